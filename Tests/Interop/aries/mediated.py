"""The same behind foreign mediators: messages reach us that were sent while nothing of ours ran, and live ones at once."""

import os

from peers import SECRET, Failed, Peer, eventually
from tool import Tool, invitationOf, only

MEDIATION = ["--open-mediation", "--enable-undelivered-queue"]
# The transport and pickup of each mediator, and the pickup protocol that fetches from it.
KINDS = [("HTTP, implicit pickup", "implicit", False), ("WebSocket, live", "implicit", True),
         ("HTTP, pickup 2.0", "messagepickup/2.0", False)]


def expect(holds, *seen):
    if not holds:
        raise Failed(" ".join(str(word) for word in seen))


def mediators(place, folder, hooks):
    """The mediators of `KINDS`, which have begun to start."""
    legacy, plug = os.path.join(place, "venv-0.12"), os.path.abspath(os.path.join(place, "plug"))
    return [
        Peer("mediator-http", legacy, folder, hooks, *MEDIATION, hasSocket=False),
        Peer("mediator-socket", legacy, folder, hooks, *MEDIATION),
        Peer("mediator-pickup", legacy, folder, hooks, *MEDIATION, "--plugin", "acapy_plugin_pickup", hasSocket=False,
             paths=[plug]),
    ]


class Mediated:
    """The cases behind one mediator, with one agent that writes to us; later cases need earlier ones.

    `guests` are agents with their versions, which accept our invitations."""

    def __init__(self, mediator, kind, peer, guests, folder):
        self.mediator, self.peer, self.guests = mediator, peer, guests
        _, self.flavour, self.isLive = kind
        self.tool = Tool(folder, "behind-" + mediator.name)
        self.ours = self.theirs = None

    def cases(self, run):
        run("a mediator serves us", self.use)
        run("accept, reached through it", self.accept)
        run("messages that were sent while we were away", self.away)
        run("messages both ways while we listen", self.listening)
        run("messages again after we were away", self.away)
        run("invite, with an address of our own beside it", self.invite)
        for version, guest in self.guests:
            for handshake, service in self.invitations(version):
                run(f"{version} accepts at the mediator: {handshake}, {service}",
                    lambda g=guest, h=handshake, s=service: self.inviteThrough(g, h, s))
            run(f"{version} accepts at the mediator while we are away",
                lambda g=guest: self.inviteThrough(g, "didexchange/1.1", "inline", isAway=True))
        run("a key is taken back when its connection is deleted", self.delete)
        self.tool.stop()

    def use(self):
        _, made = self.mediator.invite("out-of-band", ["connections/1.0"], True)
        shown = only(self.tool.on("mediator", "use", "", made["invitation_url"], "--allow-private"), "mediator")
        expect(shown["stage"] == "granted", "not granted:", shown)
        expect(shown["endpoint"] == f"http://127.0.0.1:{self.mediator.http}", "its address is", shown["endpoint"])
        expect((shown["socket"] is not None) == self.isLive, "its WebSocket is", shown["socket"])

    def accept(self):
        found, made = self.peer.invite("out-of-band", ["didexchange/1.1"])
        shown = self.tool.accept(made["invitation_url"])
        expect(shown["stage"] == "completed", "not completed:", shown)
        self.ours = shown["id"]
        self.theirs = eventually(f"{self.peer.name} completing", lambda: self.peer.found(**found))[0]

    def away(self):
        """Some texts, in any order; afterwards a listening command is at work."""
        self.tool.stop()
        texts = [f"{SECRET}away {number} {os.urandom(4).hex()}" for number in range(3)]
        for text in texts:
            self.peer.say(self.theirs, text)
        listener = self.tool.listen()
        for text in texts:
            listener.heard(self.ours, text)
        received = self.tool.texts(self.ours, "received")
        expect(all(received.count(text) == 1 for text in texts), "received:", received)

    def listening(self):
        text = SECRET + "live " + os.urandom(4).hex()
        self.peer.say(self.theirs, text)
        self.tool.listener.heard(self.ours, text)
        self.tool.say(self.ours, "back " + text)
        self.peer.heard(self.theirs, "back " + text)
        self.peer.ping(self.theirs)
        news = only(self.tool.on("mediator", "show", ""), "mediator")
        expect(news["pickup"] == self.flavour, "messages are fetched by", news["pickup"])

    def invite(self):
        known = {c["id"] for c in self.tool.connections()}
        _, invitation = self.tool.invite("--kind", "out-of-band", "--handshake", "didexchange/1.1")
        theirs = self.peer.accept("out-of-band", invitation)
        self.peer.completed(theirs)
        ours = eventually("our side being complete", lambda: [
            c for c in self.tool.connections() if c["id"] not in known and c["stage"] == "completed"], pause=0.1)[0]
        text = SECRET + "invited " + os.urandom(4).hex()
        self.peer.say(theirs, text)
        self.tool.listener.heard(ours["id"], text)

    def invitations(self, version):
        """With what the peer connects; all of it behind the first mediator, one kind behind the others."""
        if self.isLive or self.flavour != "implicit":
            return [("didexchange/1.1", "inline")]
        legacy = [("connections/1.0", "inline")] if version == "0.12.8" else []
        return legacy + [("didexchange/1.0", "inline")] + [
            ("didexchange/1.1", service) for service in ("inline", "did:peer:2", "did:peer:4")]

    def inviteThrough(self, guest, handshake, service, isAway=False):
        """An invitation that names the mediator's address and keys alone; the request comes by it, and all the rest."""
        known = {c["id"] for c in self.tool.connections()}
        if isAway:
            self.tool.stop()
        made = only(self.tool.on("invite", "create", "", "--label", self.tool.name, "--kind", "out-of-band",
                                 "--handshake", handshake, "--service", service), "invitation-made")
        invitation = invitationOf(made["link"])
        named = invitation["services"][0]
        if service == "inline":
            expect(named["serviceEndpoint"] == f"http://127.0.0.1:{self.mediator.http}", "others are told", named)
            expect(len(named["routingKeys"]) == 1, "the mediator's keys are", named["routingKeys"])
        else:
            expect(named.startswith(service), "the service is", named)
        theirs = guest.accept("out-of-band", invitation)
        if isAway:
            expect(guest.get("/connections/" + theirs)["rfc23_state"] != "completed", "it completed without us")
            self.tool.listen()
        guest.completed(theirs)
        ours = eventually("our side being complete", lambda: [
            c for c in self.tool.connections() if c["id"] not in known and c["stage"] == "completed"], pause=0.1)[0]
        expect(ours["protocol"].endswith(handshake), "made by", ours["protocol"])
        text = SECRET + "through " + os.urandom(4).hex()
        guest.say(theirs, text)
        self.tool.listener.heard(ours["id"], text)
        self.tool.say(ours["id"], "back " + text)
        guest.heard(theirs, "back " + text)
        guest.ping(theirs)

    def keys(self):
        lists = self.mediator.get("/mediation/keylists", role="server")["results"]
        return {entry["recipient_key"] for entry in lists}

    def delete(self):
        """The mediator is told by whichever command talks to it next."""
        before = self.keys()
        self.tool.stop()
        expect(self.tool.delete(self.ours), "the other side was not told")
        self.tool.listen()
        eventually("the mediator forgetting the key", lambda: before - self.keys())
