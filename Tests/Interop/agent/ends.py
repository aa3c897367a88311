"""Both ends of a conversation through a cloud agent: our wallet, and an agent of ACA-Py that has an address of its own."""

import time
import urllib.parse

from gate import Gate
from peers import LIMIT, Failed, Peer, eventually
from numbered import LEAST, STALL, Accepted, arrive, byLength, require
from tool import Tool, invitationOf, only


class WalletEnd:
    """Our wallet behind a mediator. `pickup` is by what it fetches; None for the usual, which is live.

    `isHard` says whether it is killed where others are asked to end: only what is acknowledged survives that."""

    def __init__(self, name, folder, link, pickup=None):
        self.name, self.tool, self.pickup = name, Tool(folder, name), pickup
        self.isHard = pickup != "1.0"
        self.connection, self.before, self.stall = None, 0, STALL
        shown = only(self.tool.on("mediator", "use", "", link, "--allow-private"), "mediator")
        require(shown["stage"] == "granted", "not granted:", shown)

    def accept(self, link):
        shown = self.tool.accept(link)
        require(shown["stage"] == "completed", "not completed:", shown)
        self.connection = shown["id"]

    # As the receiver.

    def goOnline(self):
        if not self.tool.listener:
            self.tool.listen(*(["--pickup", self.pickup] if self.pickup else []))

    def goOffline(self):
        if self.tool.listener:
            self.tool.listener.stop(self.isHard)
            self.tool.listener = None

    def flap(self, chance):
        self.goOffline()
        time.sleep(chance.uniform(0, 0.3))
        self.goOnline()

    def begin(self):
        self.before = len(self.texts())

    def texts(self):
        """All texts that came on the connection, in the order of writing."""
        events = self.tool.on("messages", "list", "", self.connection, "--limit", "1000000", limit=10 * LIMIT)
        return [e["text"] for e in events if e["event"] == "message" and e["direction"] == "received"]

    def settle(self, count):
        """Waits until so many texts are there."""
        arrive(lambda: len(self.texts()) - self.before, count, 0.3, self.stall)

    # As the sender.

    def sendAll(self, texts, accepted):
        for number, times in enumerate(self.tool.sayAll(self.connection, texts)):
            accepted.append(Accepted(number, *times))

    def stop(self):
        self.tool.stop()


class AcaEnd:
    """An agent of ACA-Py behind our agent, which brings its mail to the address of the agent's own, where a gate counts.

    ACA-Py answers 200 before it has looked at a message, and looks at several at once: what it is killed with is lost, and what
    it tells has another order. So the order is that at the gate, and it is killed when it has told of all that it took."""

    def __init__(self, name, venv, folder, hooks):
        self.name, self.hooks, self.gate, self.agentGate = name, hooks, Gate(), None
        self.peer = Peer(name, venv, folder, hooks, hasSocket=False, endpoint=self.gate.address)
        self.gate.target = f"http://127.0.0.1:{self.peer.http}"
        self.isOnline, self.since, self.origin, self.told = True, 0.0, 0.0, 0

    def use(self, link, address):
        """Has our agent mediate."""
        self.mediator = self.peer.accept("out-of-band", invitationOf(link))
        self.peer.completed(self.mediator)
        asked = self.peer.post(f"/mediation/request/{self.mediator}")["mediation_id"]

        def granted():
            record = self.peer.get(f"/mediation/requests/{asked}")
            return record if record["state"] == "granted" else None

        record = eventually(f"{self.name} being granted mediation", granted)
        require(record["endpoint"] == address and len(record["routing_keys"]) == 1, "granted:", record)
        self.routing = record["routing_keys"]
        self.peer.call("PUT", f"/mediation/{asked}/default-mediator")

    def keys(self):
        return [entry["recipient_key"] for entry in self.peer.get("/mediation/keylists", role="client")["results"]]

    def invite(self, address):
        """An invitation of its, which names our agent's address and the routing key that it granted."""
        found, made = self.peer.invite("out-of-band", ["didexchange/1.1"])
        service = made["invitation"]["services"][0]
        require(service["serviceEndpoint"] == address, "its invitation names", service["serviceEndpoint"])
        require([one.split("#")[0] for one in service["routingKeys"]] == [one.split("#")[0] for one in self.routing],
                "its invitation names", service["routingKeys"], "and was granted", self.routing)
        return found, made

    def connected(self, found, agentGate):
        """Its side of a connection, whose other side is reached through the gate of our agent."""
        self.connection = eventually(f"{self.name} completing", lambda: self.peer.found(**found))[0]
        told = self.peer.get(f"/connections/{self.connection}/endpoints")["their_endpoint"]
        self.agentGate, self.path = agentGate, urllib.parse.urlsplit(told).path or "/"
        require(told.startswith(agentGate.address), "the other side is at", told)
        # Handshakes, which are long, came before this.
        self.origin, self.told = time.monotonic(), len(self.texts())

    # As the receiver.

    def goOnline(self):
        if self.isOnline:
            return
        self.restart()
        self.isOnline = self.gate.isOpen = True
        # An agent that is back online sends a ping, as wallets do.
        self.peer.post(f"/connections/{self.mediator}/send-ping", {"comment": "here"})

    def restart(self):
        """Starts it at its ports, which a connection of another process may have borrowed for a moment."""
        for attempt in range(5):
            self.peer.start()
            try:
                return self.peer.awaitReady()
            except Failed:
                if attempt == 4 or self.peer.process.poll() is None:
                    raise
                time.sleep(1)

    def goOffline(self):
        self.gate.isOpen = False
        time.sleep(0.2)
        self.work()
        self.peer.kill()
        self.isOnline = False

    def flap(self, chance):
        self.goOffline()
        time.sleep(chance.uniform(0, 0.5))
        self.goOnline()

    def begin(self):
        self.since = time.monotonic()

    def texts(self):
        return [body["content"] for name, kind, body, _ in list(self.hooks.told)
                if name == self.name and kind == "basicmessages" and body.get("state") != "sent"]

    def settle(self, count):
        arrive(lambda: self.gate.count(least=LEAST, since=self.since), count)
        self.work()

    def work(self):
        """Waits until it has told of all that it took."""
        arrive(lambda: len(self.texts()) - self.told, self.gate.count(least=LEAST, since=self.origin))

    def boundary(self):
        """The numbers of the messages in the order in which it took them."""
        return [number for number, _ in byLength(self.gate.accepted(least=LEAST, since=self.since))]

    # As the sender.

    def sendAll(self, texts, accepted):
        """Sends through the gate of the agent, and reads there when each was brought and answered."""
        since, written = time.monotonic(), []
        for text in texts:
            began = time.monotonic()
            self.peer.say(self.connection, text)
            written.append((began, time.monotonic()))

        def taken():
            return self.agentGate.accepted(self.path, LEAST, since)

        arrive(lambda: len(taken()), len(texts))
        accepted += [Accepted(number, post.began, post.answered, written[number]) for number, post in byLength(taken())]
        if len(accepted) != len(texts):
            raise Failed(f"{self.name} had {len(accepted)} of {len(texts)} messages accepted")

    def stop(self):
        if self.peer.process.poll() is None:
            self.peer.kill()
