"""Rows of the Aries Agent Test Harness in which our wallet meets an agent of ACA-Py, step by step with the calls of its backchannel.

The harness itself is not run: each case does what the steps of one row ask of both agents, ours by the commands of a user.
"""

import json

from direct import method
from peers import SECRET, eventually
from reuse import expect, outcome
from tool import Tool, invitationOf, only
from transports import allowed

# The DID methods of the inviter's invitation, and of our answer.
QUALIFIED = [("did:peer:2", "did:peer:4"), ("did:peer:4", "did:peer:2")]


class Harness:
    """The rows with one agent. `run(name, case)` runs a case and notes how it went."""

    def __init__(self, version, peer, folder):
        self.version, self.peer, self.folder = version, peer, folder

    def cases(self, run, mediator=None):
        for theirs, ours in QUALIFIED:
            run(f"0793 T003: they invite by {theirs}, we request with {ours}, though they are known",
                lambda t=theirs, o=ours: self.qualified(t, o))
        run("0025 T003: a request that no transport of both fits is not received, and with a fitting one they connect",
            self.mismatched)
        if mediator:
            run("0211 T005: mediation is granted while we listen, and both connect through the mediator",
                lambda: self.mediated(mediator))

    def wallet(self, row):
        """A wallet that listens, with a vault of this row and agent."""
        tool = Tool(self.folder, f"row-{row}-{self.version}")
        tool.listen()
        return tool

    def mismatched(self):
        """They are reached by WebSockets, and we send by HTTP alone; then the same invitation with what they are reached by."""
        tool = self.wallet("mismatched")
        try:
            found, made = self.peer.invite("out-of-band", ["didexchange/1.1"])
            invitation = made["invitation"]
            for service in invitation["services"]:
                service["serviceEndpoint"] = f"ws://127.0.0.1:{self.peer.ws}"
            options = [json.dumps(invitation), "--endpoint", tool.listener.endpoint, "--allow-private"]
            with allowed("http"):
                failed = tool.on("invite", "accept", "", *options, "--timeout", "10s", status=4)
            expect(only(failed, "error")["code"] == "agent.delivery.transport", "it failed by", failed)
            states = [r["rfc23_state"] for r in self.peer.get("/connections", **found)["results"]]
            expect(states == ["invitation-sent"], f"{self.peer.name} has received the request:", states)
            with allowed("ws"):
                shown = only(tool.on("invite", "accept", "", *options, "--timeout", "60s"), "connection")
            expect(shown["stage"] == "completed", "not completed:", shown)
            completed = eventually(f"{self.peer.name} completing", lambda: self.peer.found(**found))[0]
            self.talk(tool, shown["id"], completed)
        finally:
            tool.stop()

    def talk(self, tool, ours, theirs):
        text = f"{SECRET}{ours} {theirs}"
        self.peer.say(theirs, text)
        tool.listener.heard(ours, text)
        tool.say(ours, "back " + text)
        self.peer.heard(theirs, "back " + text)

    def qualified(self, theirs, ours):
        """The row before has connected by the DID that ACA-Py puts into every invitation of this kind."""
        tool = self.wallet(theirs.replace(":", "-"))
        try:
            names, connections = [], []
            for options in (["--did-form", theirs], ["--did-form", ours, "--new-connection"]):
                found, made = self.peer.invite("out-of-band", ["didexchange/1.1"], use_did_method=theirs)
                names.append(made["invitation"]["services"][0])
                shown = tool.accept(made["invitation_url"], "--endpoint", tool.listener.endpoint, *options)
                expect(shown["stage"] == "completed" and outcome(shown) == "begun", "not completed anew:", shown)
                connections.append(shown)
                completed = eventually(f"{self.peer.name} completing", lambda f=found: self.peer.found(**f))[0]
                self.talk(tool, shown["id"], completed)
            expect(names[0] == names[1] and method(names[0]) == theirs, "the invitations name it by", names)
            expect(connections[0]["id"] != connections[1]["id"], "it is one connection")
            forms = [method(shown["ourDID"]) for shown in connections]
            expect(forms == [theirs, ours], "our DIDs are of the forms", forms)
        finally:
            tool.stop()

    def mediated(self, mediator):
        """Ours and theirs ask one mediator, ours while `listen` is at work at the address of that connection."""
        tool = self.wallet("mediated")
        try:
            listener = tool.listener
            found, made = mediator.invite("out-of-band", ["didexchange/1.1"])
            tool.accept(made["invitation_url"], "--endpoint", listener.endpoint)
            asking = eventually("the mediator completing", lambda: mediator.found(**found))[0]
            shown = only(tool.on("mediator", "use", "", made["invitation_url"], "--allow-private", "--timeout", "15s"),
                         "mediator")
            expect(shown["stage"] == "granted", "not granted:", shown)
            records = mediator.get("/mediation/requests", conn_id=asking)["results"]
            expect([r["state"] for r in records] == ["granted"], "the mediator has", records)
            expect(not listener.find("request", lambda _: True), "an answer of the mediator is shown as a request")

            _, made = mediator.invite("out-of-band", ["didexchange/1.1"])
            between = self.peer.accept("out-of-band", made["invitation"])
            self.peer.completed(between)
            mediation = self.peer.post("/mediation/request/" + between)["mediation_id"]
            eventually(f"{self.peer.name} being granted mediation",
                       lambda: self.peer.get("/mediation/requests/" + mediation)["state"] == "granted")

            made = only(tool.on("invite", "create", "", "--label", tool.name, "--handshake", "didexchange/1.1"),
                        "invitation-made")
            invitation, known = invitationOf(made["link"]), {c["id"] for c in tool.connections()}
            address = invitation["services"][0]["serviceEndpoint"]
            expect(address == f"http://127.0.0.1:{mediator.http}", "we are reached at", address)
            theirs = self.peer.accept("out-of-band", invitation, mediation_id=mediation)
            self.peer.completed(theirs)
            ours = eventually("our side being complete", lambda: [
                c for c in tool.connections() if c["id"] not in known and c["stage"] == "completed"], pause=0.1)[0]
            self.talk(tool, ours["id"], theirs)
        finally:
            tool.stop()
