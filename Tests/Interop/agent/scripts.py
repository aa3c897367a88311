"""Scripts that fetch in ways that no wallet at hand does, as receivers of a conversation."""

import asyncio
import base64
import json
import random
import threading
import time

from raw import COMMUNITY, OLDER, Client, Sender, message, receive, run, session
from numbered import STALL
from tool import invitationOf


class Scripted:
    """A client in a thread of its own that fetches until it is to go away; what it got stays."""

    def __init__(self, agent):
        self.agent, self.got, self.ids, self.failures = agent, [], {}, []
        self.client, self.thread, self.away = None, None, threading.Event()
        run(self._open())

    @classmethod
    def both(cls, kind, agent):
        """Sender and receiver of a conversation."""
        receiver = kind(agent)
        return ScriptedSender(receiver), receiver

    async def _open(self):
        async with session() as http:
            self.client = Client(http, self.agent.address)
            await self.client.connect(invitationOf(self.agent.olderLink))
            await self.client.mediate()

    # As the receiver.

    def begin(self):
        self.before = len(self.got)

    def texts(self):
        return list(self.got)

    def settle(self, count):
        last, at = -1, time.monotonic()
        while len(self.got) - self.before < count and time.monotonic() - at < STALL:
            self.check()
            if len(self.got) != last:
                last, at = len(self.got), time.monotonic()
            time.sleep(0.02)
        time.sleep(0.2)
        self.check()

    def check(self):
        if self.failures:
            raise self.failures[0]

    def goOnline(self):
        if self.thread:
            return
        self.away.clear()
        self.thread = threading.Thread(target=self._work, daemon=True)
        self.thread.start()

    def goOffline(self):
        if self.thread:
            self.away.set()
            self.thread.join()
            self.thread = None

    def flap(self, chance):
        self.goOffline()
        time.sleep(chance.uniform(0, 0.2))
        self.goOnline()

    def _work(self):
        try:
            run(self._session())
        except Exception as error:  # pylint: disable=broad-except
            self.failures.append(error)

    async def _session(self):
        async with session() as http:
            self.client.http = http
            await self.fetch()

    async def take(self, envelope, name=None):
        """Takes a message for the inbox; one with a name that was there before is known, and has to have the same bytes."""
        if name in self.ids:
            if self.ids[name] != envelope:
                raise ValueError("a message has other bytes than before")
            return
        if name:
            self.ids[name] = envelope
        self.got.append((await self.client.open(envelope))["content"])


class ScriptedSender:
    """Writes to a script."""

    def __init__(self, receiver):
        self.receiver = receiver

    def sendAll(self, texts, accepted):
        async def work():
            async with session() as http:
                client = Client(http, self.receiver.agent.address)
                client.inbox, client.routing = self.receiver.client.inbox, self.receiver.client.routing
                await Sender(client, accepted).send(texts)

        run(work())


class ByPings(Scripted):
    """Implicit pickup by HTTP: each ping that asks for no answer carries one message back."""

    async def fetch(self):
        while not self.away.is_set():
            prefix = random.choice((COMMUNITY, OLDER))
            ping = message("trust_ping/1.0/ping", {"response_requested": False}, prefix)
            _, envelope = await self.client.post(self.client.pack(ping))
            if envelope:
                await self.take(envelope)
            else:
                await asyncio.sleep(0.05)


class OnLine(Scripted):
    """Implicit pickup by WebSocket: after one ping everything is pushed. There is no acknowledgement, so a line is ended
    by a word, and read until the other side has ended it too."""

    async def fetch(self):
        async with self.client.line() as line:
            await line.send_bytes(self.client.pack(message("trust_ping/1.0/ping", {"response_requested": False})))
            while not self.away.is_set():
                if envelope := await receive(line, 0.05):
                    await self.take(envelope)
            await line._writer.close(1000, b"")
            while envelope := await receive(line, 10):
                await self.take(envelope)


class InBatches(Scripted):
    """Pickup 1.0 by HTTP, in batches of a changing size."""

    async def fetch(self):
        while not self.away.is_set():
            size = random.choice((1, 7, 10, 10**6))
            batch = await self.client.ask(message("messagepickup/1.0/batch-pickup", {"batch_size": size}))
            for entry in batch["messages~attach"]:
                await self.take(dumped(entry["message"]))
            if not batch["messages~attach"]:
                await asyncio.sleep(0.05)


class Live(Scripted):
    """Pickup 2.0 in live mode, by a client that is never done with asking, acknowledges late, twice and what it does not know,
    and whose line breaks without a word."""

    async def fetch(self):
        line = await self.client.line()
        await self.catchUp(line)
        await self.tell(line, "live-delivery-change", {"live_delivery": True})
        kept = []
        while not self.away.is_set():
            envelope = await receive(line, 0.05)
            if envelope:
                kept += await self.delivered(await self.client.open(envelope))
            if kept and (not envelope or random.random() < 0.3):
                kept = await self.acknowledge(line, kept)
        # It is gone as if its machine were off; what it had not acknowledged comes again.
        line._response.connection.transport.abort()

    async def catchUp(self, line):
        """Fetches what waits, for live mode brings what comes later."""
        while True:
            await self.tell(line, "delivery-request", {"limit": random.choice((0, 3, 10**9))})
            kept = await self.delivered(await self.client.open(await receive(line, 60)))
            if not kept:
                return
            await self.tell(line, "messages-received", {"message_id_list": kept})
            await receive(line, 60)

    async def delivered(self, content):
        attached = content.get("~attach", [])
        for one in attached:
            await self.take(unpacked(one), one["@id"])
        return [one["@id"] for one in attached]

    async def acknowledge(self, line, kept):
        names = kept + random.choice(([], kept, ["an unknown name"], kept[:1]))
        await self.tell(line, "messages-received", {"message_id_list": names})
        dice = random.random()
        if dice < 0.1:
            await self.tell(line, "messages-received", {"message_id_list": kept})
        elif dice < 0.2:
            await self.tell(line, "status-request", {})
        elif dice < 0.3:
            await self.tell(line, "delivery-request", {"limit": random.choice((0, 1, 10**9))})
        elif dice < 0.35:
            await self.tell(line, "live-delivery-change", {"live_delivery": True})
        return []

    async def tell(self, line, name, body):
        prefix = random.choice((COMMUNITY, OLDER))
        await line.send_bytes(self.client.pack(
            message("messagepickup/2.0/" + name, body, prefix, random.choice(("all", None)))))


def dumped(value):
    return json.dumps(value).encode()


def unpacked(attachment):
    text = attachment["data"]["base64"]
    return base64.urlsafe_b64decode(text.replace("+", "-").replace("/", "_") + "=" * (-len(text) % 4))


SCRIPTS = [("implicit pickup by HTTP", ByPings), ("implicit pickup by WebSocket", OnLine),
           ("pickup 1.0 by HTTP", InBatches), ("pickup 2.0, live, with quirks", Live)]
