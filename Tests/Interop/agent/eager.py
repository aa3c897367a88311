"""A live client of pickup 2.0 that answers every status that counts messages with a request for them, and looks at each message
anew, as Credo's does: what goes out twice on one line, it shows twice. Where it is killed, a message may come once more for each
kill at which it was under way: the client had it, and not yet the answer to its acknowledgement.

eager.py SYMBOLON [MESSAGES]: every combination of limits, gaps and delays, with SQLite and with PostgreSQL; one line for each.
eager.py client: the client as a process of its own, which can be killed; drive.py runs a few combinations.
"""

import asyncio
import collections
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "aries"))

# pylint: disable=wrong-import-position
from aries_askar import Key, KeyAlg

from numbered import STALL, require
from peers import eventually
from raw import Client, Sender, message, receive, run, session
from tool import invitationOf

PICKUP = "messagepickup/2.0/"
LIMITS, GAPS, DELAYS = (10, 50), (0, 0.02, 0.1), (0, 0.02, 0.15)


class EagerLine:
    """The client's side of one line. Each message is worked on while others come, `delay` seconds long, and acknowledged."""

    def __init__(self, client, limit, delay):
        self.client, self.limit, self.delay, self.tasks, self.acknowledged = client, limit, delay, set(), {}

    async def live(self):
        async with self.client.line() as line:
            await line.send_bytes(self.client.pack(message(PICKUP + "status-request")))
            await line.send_bytes(self.client.pack(message(PICKUP + "live-delivery-change", {"live_delivery": True})))
            while True:
                envelope = await receive(line, None)
                if envelope is None:
                    return
                content = await self.client.open(envelope)
                for one in self.acknowledged.pop(content.get("~thread", {}).get("thid"), []):
                    print("settled", one, flush=True)
                if content["@type"].endswith("/status") and content["message_count"] > 0:
                    request = message(PICKUP + "delivery-request", {"limit": self.limit})
                    await line.send_bytes(self.client.pack(request))
                if content["@type"].endswith("/delivery"):
                    task = asyncio.ensure_future(self.work(line, content["~attach"]))
                    self.tasks.add(task)
                    task.add_done_callback(self.tasks.discard)

    async def work(self, line, attachments):
        for one in attachments:
            print("came", one["@id"], time.monotonic(), flush=True)
        await asyncio.sleep(self.delay)
        ids = [one["@id"] for one in attachments]
        acknowledgement = message(PICKUP + "messages-received", {"message_id_list": ids})
        self.acknowledged[acknowledgement["@id"]] = ids
        await line.send_bytes(self.client.pack(acknowledgement))


def client():
    """The process: its account, limit and delay come on standard input, and each message is a line of standard output."""
    given = json.loads(sys.stdin.readline())

    async def work():
        async with session() as http:
            one = Client(http, given["address"])
            one.key, one.inbox = (Key.from_secret_bytes(KeyAlg.ED25519, bytes.fromhex(key)) for key in given["keys"])
            one.mediator = given["mediator"]
            await EagerLine(one, given["limit"], given["delay"]).live()

    asyncio.run(work())


class Eager:
    """An account, its client in a process, and a sender."""

    def __init__(self, agent, limit, delay):
        self.agent, self.limit, self.delay, self.got, self.process = agent, limit, delay, [], None
        # Messages that this process of the client has not settled; and for each message the kills before it was settled.
        self.unsettled, self.underWay = set(), collections.Counter()

    async def open(self, http):
        self.client = Client(http, self.agent.address)
        await self.client.connect(invitationOf(self.agent.olderLink))
        await self.client.mediate()

    def start(self):
        self.process = subprocess.Popen(
            [sys.executable, "-B", os.path.abspath(__file__), "client"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True)
        keys = [key.get_secret_bytes().hex() for key in (self.client.key, self.client.inbox)]
        given = {"address": self.agent.address, "keys": keys, "mediator": self.client.mediator, "limit": self.limit,
                 "delay": self.delay}
        self.process.stdin.write(json.dumps(given) + "\n")
        self.process.stdin.flush()
        self.reader = threading.Thread(target=self.read, args=(self.process,), daemon=True)
        self.reader.start()

    def read(self, process):
        for line in process.stdout:
            what, *words = line.split()
            if what == "came":
                self.got.append(words)
                self.unsettled.add(words[0])
            else:
                self.unsettled.discard(words[0])

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.reader.join()
        self.underWay.update(self.unsettled)
        self.unsettled.clear()

    async def run(self, count, gap, kills):
        """Sends `count` messages; returns how many came, how often one came more often than it may, and how often again, and
        the median time that one took."""
        accepted = []
        async with session() as http:
            await self.open(http)
            self.start()
            sender = Sender(self.client, accepted)
            for number in range(count):
                await sender.send([f"{number}"])
                if kills and number in (count // 3, 2 * count // 3):
                    self.kill()
                    self.start()
                await asyncio.sleep(gap)
            last, at = 0, time.monotonic()
            while len({one[0] for one in self.got}) < count and time.monotonic() - at < STALL:
                if len(self.got) != last:
                    last, at = len(self.got), time.monotonic()
                await asyncio.sleep(0.05)
            # Messages that the mediator delivers again arrive in this time.
            await asyncio.sleep(2 * self.delay + 0.5)
            end = time.monotonic() + STALL
            while (waiting := await self.client.ask(message(PICKUP + "status-request")))["message_count"] > 0:
                require(time.monotonic() < end, "at the end there wait", waiting["message_count"])
                await asyncio.sleep(0.1)
            self.killed = sum(self.underWay.values())
            self.kill()
            await self.client.ask(message("did-rotate/1.0/hangup"))
        known = {}
        for name, moment in self.got:
            known.setdefault(name, float(moment))
        more = {name: number - 1 for name, number in collections.Counter(name for name, _ in self.got).items()}
        wrong = sum(max(0, number - self.underWay[name]) for name, number in more.items())
        # They are accepted one after the other, and come in that order.
        took = sorted(moment - sent.began for moment, sent in zip(known.values(), accepted))
        return len(known), wrong, sum(more.values()), took[len(took) // 2]


def tried(agent, count, limit, gap, delay, kills, say):
    eager = Eager(agent, limit, delay)
    came, wrong, again, median = run(eager.run(count, gap, kills))
    say(f"limit {limit}, gap {gap * 1000:.0f} ms, delay {delay * 1000:.0f} ms, kills {2 if kills else 0}: {count} accepted, {came} came, "
        f"{again} came again of {eager.killed} under way, {wrong} others again, median {median * 1000:.0f} ms")
    require(came == count, "lost:", count - came)
    require(wrong == 0, "came again, and was not under way:", wrong)


def eager(case, agent, count, say):
    """A few combinations."""
    for limit, gap, delay, kills in ((10, 0, 0, False), (50, 0.02, 0.1, False), (50, 0, 0.02, True)):
        case(f"a live client that answers each status with a request, limit {limit}, {'two kills' if kills else 'no kill'}",
             lambda l=limit, g=gap, d=delay, k=kills: tried(agent, count, l, g, d, k, say))


def main():
    from gate import Gate
    from report import Report
    from server import CloudAgent, Postgres

    os.environ["no_proxy"] = "*"
    CloudAgent.binary = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    report = Report("eager", "eager", os.environ.get("ONLY", ""))
    with tempfile.TemporaryDirectory(prefix="symbolon-eager.") as folder:
        database = Postgres(folder) if Postgres.isInstalled() else report.skip("PostgreSQL: there is no PostgreSQL 15")
        for name, store in (("SQLite", None), *([("PostgreSQL", database.store)] if database else [])):
            agent = CloudAgent("agent-" + name, folder, Gate(), store)
            try:
                for kills in (False, True):
                    for limit in LIMITS:
                        for gap in GAPS:
                            for delay in DELAYS:
                                title = f"limit {limit}, gap {gap}, delay {delay}, {'two kills' if kills else 'no kill'}"
                                report.group(name)(title, lambda l=limit, g=gap, d=delay, k=kills: tried(
                                    agent, count, l, g, d, k, report.say))
                eventually("the queue being empty", lambda: agent.status()["messages"] == 0, pause=0.2)
            finally:
                agent.stop()
        if database:
            database.stop()
    return report.finish({"messages": count})


if __name__ == "__main__":
    sys.exit(client() if sys.argv[1:] == ["client"] else main())
