"""Connections with live agents, directly: both roles, every handshake and every form of DID that each version can."""

import json

from peers import SECRET, Failed, eventually
from tool import only

# Handshake, then what the inviter's invitation is to say of DIDs; None is the legacy form.
AS_ACAPY_INVITES = [
    ("connections", "connections/1.0", None),
    ("out-of-band", "connections/1.0", None),
    ("out-of-band", "didexchange/1.0", None),
    ("out-of-band", "didexchange/1.1", None),
    ("out-of-band", "didexchange/1.1", "did:peer:2"),
    ("out-of-band", "didexchange/1.1", "did:peer:4"),
]
FORMS = ("legacy", "did:peer:2", "did:peer:4")


def method(did):
    """The form of a DID: `did:peer:2`, or `legacy` for an unqualified one."""
    return ":".join(did.split(":")[:2]) + ":" + did.split(":")[2][0] if did.startswith("did:peer:") else "legacy"


def expect(holds, *seen):
    if not holds:
        raise Failed(" ".join(str(word) for word in seen))


class Direct:
    """The matrix of one peer. `run(name, case)` runs a case and notes how it went."""

    def __init__(self, peer, tool, run, knowsConnections):
        self.peer, self.tool, self.run, self.knowsConnections = peer, tool, run, knowsConnections

    def cases(self):
        for kind, handshake, did in AS_ACAPY_INVITES:
            if handshake == "connections/1.0" and not self.knowsConnections:
                continue
            shape = f"{kind}, {handshake}" + (f", {did}" if did else "")
            self.run(f"accept: {shape}", lambda k=kind, h=handshake, d=did: self.accept(k, h, d))
            if not did:
                self.run(f"accept: {shape}, multi-use, twice", lambda k=kind, h=handshake: self.acceptTwice(k, h))
        for kind, handshake, service, method_ in self.invitations():
            shape = f"{kind}, {handshake}, {service}" + (f", answered with {method_}" if method_ else "")
            self.run(f"invite: {shape}", lambda k=kind, h=handshake, s=service, m=method_: self.invite(k, h, s, m))
        for kind, handshake in [("connections", None)] * self.knowsConnections + [("out-of-band", "didexchange/1.1")]:
            self.run(f"invite: {kind}, multi-use, twice", lambda k=kind, h=handshake: self.inviteTwice(k, h))
            self.run(f"invite: {kind}, single use is not used twice", lambda k=kind, h=handshake: self.single(k, h))

    def invitations(self):
        if self.knowsConnections:
            yield "connections", "connections/1.0", "inline", None
            yield "out-of-band", "connections/1.0", "inline", None
        yield "out-of-band", "didexchange/1.0", "inline", None
        yield "out-of-band", "didexchange/1.1", "inline", None
        yield "out-of-band", "didexchange/1.1", "did:peer:2", None
        yield "out-of-band", "didexchange/1.1", "did:peer:4", None

    # We accept.

    def accepted(self, kind, handshake, did=None, isMultiUse=False, **extra):
        """An invitation of the peer: how its connections are found, and the invitation itself."""
        if did:
            extra["use_did_method"] = did
        return self.peer.invite(kind, [handshake], isMultiUse, **extra)

    def theirs(self, found, count=1):
        """The peer's names of the complete connections that came of an invitation."""
        def look():
            names = self.peer.found(**found)
            return names if len(names) >= count else None

        return eventually(f"{self.peer.name} completing {count}", look)

    def accept(self, kind, handshake, did):
        found, made = self.accepted(kind, handshake, did)
        shown = self.tool.accept(made["invitation_url"], "--endpoint", self.tool.listener.endpoint)
        expect(shown["stage"] == "completed" and shown["role"] == "invitee", "not completed:", shown)
        expect(shown["protocol"].endswith(handshake), "made by", shown["protocol"], "not", handshake)
        if did:
            expect(method(shown["theirDID"]) in FORMS[1:], "their DID is", shown["theirDID"])
        theirs = self.theirs(found)[0]
        self.talk(shown["id"], theirs)
        self.end(shown["id"], theirs)

    def acceptTwice(self, kind, handshake):
        """Two who share nothing, with one invitation."""
        found, made = self.accepted(kind, handshake, isMultiUse=True)
        shown = self.tool.accept(made["invitation_url"])
        again = self.tool.accept(made["invitation_url"])
        expect(shown["id"] == again["id"], "the same invitation made two connections")
        other = self.tool.another()
        second = other.accept(made["invitation_url"])
        expect(second["theirDID"] != shown["theirDID"] and second["ourDID"] != shown["ourDID"], "a DID serves two")
        self.theirs(found, 2)
        for tool, connection in ((self.tool, shown), (other, second)):
            text = "from " + tool.name
            tool.say(connection["id"], text)
            eventually("the text", lambda t=text: self.peer.hooks.find(
                self.peer.name, "basicmessages", lambda body: body["content"] == t))

    # We invite.

    def offer(self, kind, handshake, *options):
        choice = ["--kind", kind] + (["--handshake", handshake] if kind == "out-of-band" else [])
        return self.tool.invite(*choice, *options)

    def ours(self, invitation, count=1):
        """Our names of the complete connections that came of an invitation."""
        def look():
            done = [c for c in self.tool.connections() if c["stage"] == "completed" and c["role"] == "inviter"
                    and c["id"] not in self.known]
            return done if len(done) >= count else None

        return eventually(f"{count} of our connections being complete", look, pause=0.1)

    def begin(self):
        self.known = {c["id"] for c in self.tool.connections()}

    def invite(self, kind, handshake, service, method_):
        self.begin()
        _, invitation = self.offer(kind, handshake, "--service", service)
        theirs = self.peer.accept(kind, invitation)
        self.peer.completed(theirs)
        ours = self.ours(invitation)[0]
        expect(ours["protocol"].endswith(handshake), "made by", ours["protocol"])
        self.talk(ours["id"], theirs)
        self.end(ours["id"], theirs, isByThem=True)

    def inviteTwice(self, kind, handshake):
        self.begin()
        _, invitation = self.offer(kind, handshake, "--multi-use")
        for _ in range(2):
            self.peer.completed(self.peer.accept(kind, invitation))
        pair = self.ours(invitation, 2)
        expect(len({c["ourDID"] for c in pair}) == 2, "one DID serves two")

    def single(self, kind, handshake):
        self.begin()
        _, invitation = self.offer(kind, handshake)
        self.peer.completed(self.peer.accept(kind, invitation))
        second = self.peer.accept(kind, invitation)
        self.tool.listener.await_("passed-over", lambda e: e["code"] == "aries.request.invitation-used")
        state = self.peer.get("/connections/" + second)["rfc23_state"]
        expect(state != "completed", "a second connection is complete")
        expect(len(self.ours(invitation)) == 1, "two connections came of it")

    # Uses of a connection.

    def talk(self, ours, theirs):
        self.peer.ping(theirs)
        self.peer.say(theirs, SECRET + theirs)
        self.tool.listener.heard(ours, SECRET + theirs)
        self.tool.say(ours, SECRET + ours)
        self.peer.heard(theirs, SECRET + ours)
        expect(self.tool.texts(ours, "received") == [SECRET + theirs], "received:", self.tool.texts(ours, "received"))
        expect(self.tool.texts(ours, "sent") == [SECRET + ours], "sent:", self.tool.texts(ours, "sent"))
        self.features(theirs)
        self.ask(ours)

    def ask(self, ours):
        """We ask whether they are there, and what they can do."""
        on = self.tool.on
        expect(only(on("connections", "ping", "", ours, "--allow-private"), "ping")["seconds"] > 0, "no time")
        told = only(on("connections", "features", "", ours, "--allow-private"), "features")["protocols"]
        expect(any("trust_ping/1.0" in name for name in told), "they can:", told)

    def features(self, theirs):
        """They ask what we can do, in both versions; they wait only so long for the answer, and ask again."""
        for path, query in (("/discover-features/query", "query"), ("/discover-features-2.0/queries", "query_protocol")):
            def isTold(path=path, query=query):
                answer = self.peer.get(path, connection_id=theirs, **{query: "*"})
                told = json.dumps(answer).partition("disclos")[2]
                return "trust_ping/1.0" in told and "basicmessage/1.0" in told

            eventually(f"{self.peer.name} hearing our features from {path}", isTold)

    def gone(self, theirs):
        """They have forgotten the connection, because we told them that it is over."""
        def isGone():
            try:
                self.peer.get("/connections/" + theirs)
            except Failed:
                return True
            return False

        eventually(f"{self.peer.name} forgetting the connection", isGone)

    def end(self, ours, theirs, isByThem=False):
        """One side hangs up, and we delete it."""
        if isByThem:
            self.peer.post(f"/did-rotate/{theirs}/hangup")
            self.tool.listener.await_("connection-ended", lambda e: e["connection"] == ours)
            expect(self.tool.show(ours)["isEnded"], "it is not ended")
            expect(not self.tool.delete(ours), "who had hung up was told")
        else:
            expect(self.tool.delete(ours), f"{self.peer.name} was not told")
            self.gone(theirs)
        expect(ours not in [c["id"] for c in self.tool.connections()], "it is still there")

