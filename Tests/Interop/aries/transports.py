"""A wallet whose transports are taken away, beside an agent of ACA-Py that is reached by HTTP, and one that is reached by WebSocket.

The calls are those of AATH's feature 0025: where both sides have a transport they connect, and where they have none the wallet says so
at once and sends nothing.
"""

import contextlib
import os

from peers import Failed, Peer
from tool import Tool, only

HANDSHAKES = ["didexchange/1.1", "connections/1.0"]


@contextlib.contextmanager
def allowed(transports):
    """Commands of this time send by these transports alone."""
    os.environ["SYMBOLON_TRANSPORTS"] = transports
    try:
        yield
    finally:
        del os.environ["SYMBOLON_TRANSPORTS"]


class Transports:
    def __init__(self, folder, http, socket):
        self.folder, self.peers, self.number = folder, {"http": http, "ws": socket}, 0

    def wallet(self):
        self.number += 1
        return Tool(self.folder, f"transport-{self.number}")

    def connects(self, kind, set_):
        peer, tool = self.peers[kind], self.wallet()
        found, made = peer.invite("out-of-band", HANDSHAKES)
        with allowed(set_):
            shown = tool.accept(made["invitation_url"])
            peer.completed(peer.found(isComplete=False, **found)[0])
            tool.say(shown["id"], "by " + kind)
        peer.heard(peer.found(**found)[0], "by " + kind)

    def isRefused(self, kind, other):
        peer, tool = self.peers[kind], self.wallet()
        found, made = peer.invite("out-of-band", HANDSHAKES)
        with allowed(other):
            events = tool.on("invite", "accept", "", made["invitation_url"], "--allow-private", "--timeout", "1h", status=4)
        if only(events, "error")["code"] != "agent.delivery.transport":
            raise Failed(f"it ended with {only(events, 'error')}")
        states = [peer.get("/connections/" + one)["rfc23_state"] for one in peer.found(isComplete=False, **found)]
        if states != ["invitation-sent"]:
            raise Failed(f"the agent has heard of it: {states}")


def transports(report, venv, folder, hooks, http):
    socket = Peer("socketed", venv, folder, hooks, prefersSocket=True)
    try:
        socket.awaitReady()
        cases, run = Transports(folder, http, socket), report.group("transports")
        for kind, other in (("http", "ws"), ("ws", "http")):
            run(f"{kind} alone, to an agent at {kind}", lambda k=kind: cases.connects(k, k))
            run(f"http and ws, to an agent at {kind}", lambda k=kind: cases.connects(k, "http, ws"))
            run(f"{other} alone, to an agent at {kind}, is refused", lambda k=kind, o=other: cases.isRefused(k, o))
    finally:
        socket.stop()
