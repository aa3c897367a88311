"""Measures how many envelopes ACA-Py packs and unpacks a second; one line each: OPERATION BYTES PER-SECOND.

Its functions are called as its agent calls them, except that the recipient's key is there at once: looking it up in the
wallet takes longer than the rest.
"""

import time

from aries_askar import Key, KeyAlg
from aries_cloudagent.askar.didcomm.v1 import pack_message, unpack_message
from aries_cloudagent.wallet.util import bytes_to_b58


class Entry:
    def __init__(self, key):
        self.key = key


class Session:
    """Stands for the wallet's session: it has the one key that is asked for."""

    def __init__(self, key):
        self.entry = Entry(key)

    async def fetch_key(self, _name):
        return self.entry


def per_second(body):
    """The median of eleven batches that take about a twentieth of a second of a core each."""
    count, start = 0, time.thread_time()
    while time.thread_time() - start < 0.05:
        body()
        count += 1
    times = []
    for _ in range(11):
        start = time.thread_time()
        for _ in range(count):
            body()
        times.append((time.thread_time() - start) / count)
    return 1 / sorted(times)[5]


def finish(coroutine):
    """Runs a coroutine that never waits, without what an event loop costs."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value
    raise RuntimeError("it waited")


def main():
    sender = Key.generate(KeyAlg.ED25519)
    recipient = Key.generate(KeyAlg.ED25519)
    name = bytes_to_b58(recipient.get_public_bytes())
    session = Session(recipient)
    for size in (1024, 65536):
        message = b'{"content":"' + b"x" * (size - 14) + b'"}'
        for kind, key in (("authcrypt", sender), ("anoncrypt", None)):
            envelope = pack_message([name], key, message)
            if finish(unpack_message(session, envelope))[0] != message:
                raise RuntimeError("it does not open")
            print(f"pack.{kind}", size, per_second(lambda: pack_message([name], key, message)))
            print(f"unpack.{kind}", size, per_second(lambda: finish(unpack_message(session, envelope))))


main()
