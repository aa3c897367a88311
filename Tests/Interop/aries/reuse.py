"""An inviter that is known again: the second of two invitations leads to the connection that there is, at both sides.

An inviter of ACA-Py is known by a DID in `services`, which its administrator asks for by `use_did_method` or `use_did`. ACA-Py
as the invited side knows an inviter by such a DID alone, when it is asked for with `use_existing_connection`; so our inviter
names itself by a did:peer of its reusable key, or by a did:web, whose document our cloud agent publishes.
"""

import json
import os
import subprocess
import threading

from peers import LIMIT, SECRET, Failed, eventually, freePort
from tool import Tool, only

METHODS = ("did:peer:2", "did:peer:4")
# Forms of reuse that we have and ACA-Py does not.
LEFT_OUT = (
    "a did:web of ours with 0.12.8: it takes the last part of every DID but did:peer for one of did:sov",
    "a public DID of ACA-Py (use_public_did): it needs a ledger, and none is reached here",
    "one key in two invitations with `services` in full: ACA-Py takes a new key for each, and compares none when it is invited",
)


def expect(holds, *seen):
    if not holds:
        raise Failed(" ".join(str(word) for word in seen))


def outcome(shown):
    """Returns the outcome of the acceptance that `Tool.accept` returned."""
    return only(shown["events"], "acceptance")["outcome"]


class DocumentHost:
    """Our cloud agent with TLS, which publishes the documents of did:web of those who write them into its folder."""

    def __init__(self, folder):
        self.folder = os.path.join(folder, "documents")
        self.port = freePort()
        self.roots = os.path.join(folder, "localhost.pem")
        key = os.path.join(folder, "localhost.key")
        os.makedirs(self.folder)
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", self.roots],
            check=True, capture_output=True, stdin=subprocess.DEVNULL)
        self.events = []
        self.process = subprocess.Popen(
            [Tool.binary, "agent", "run", "--data", os.path.join(folder, "host"), "--listen", f"127.0.0.1:{self.port}",
             "--public-url", f"https://localhost:{self.port}", "--tls-cert", self.roots, "--tls-key", key,
             "--did-documents", self.folder, "--json"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.events.append(json.loads(line))

    def awaitReady(self):
        eventually("the cloud agent being ready", lambda: [e for e in self.events if e["event"] == "cloud-agent"])

    def options(self, name):
        """The options by which an invitation names its inviter by a did:web of this host."""
        return ["--public-did", f"did:web:localhost%3A{self.port}:{name}",
                "--public-document", os.path.join(self.folder, name + ".json")]

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Reuse:
    """Reuse between us and one agent of ACA-Py, in both directions. `run(name, case)` runs a case and notes how it went."""

    def __init__(self, version, peer, tool, host):
        self.version, self.peer, self.tool, self.host = version, peer, tool, host

    def cases(self, run):
        for method in METHODS:
            run(f"accept: reuse by {method} in services, twice by use_did_method",
                lambda m=method: self.accept(m, lambda _: {"use_did_method": m}))
            run(f"accept: reuse by {method} in services, then by use_did",
                lambda m=method: self.accept(m, lambda did: {"use_did": did}))
            run(f"invite: reuse by {method} of the reusable key",
                lambda m=method: self.invite("--reusable-key", "--service", m))
        if self.version != "0.12.8":
            run("invite: reuse by a did:web that our cloud agent publishes",
                lambda: self.invite(*self.host.options("acapy-" + self.version.replace(".", "-"))))

    def known(self):
        """Their complete connections; an invitation for several is a record there too, which is never complete."""
        return {r["connection_id"] for r in self.peer.get("/connections", limit="10000")["results"]
                if r["rfc23_state"] == "completed"}

    def counts(self):
        """Returns the number of complete connections of each side."""
        return len([c for c in self.tool.connections() if c["stage"] == "completed"]), len(self.known())

    def talk(self, ours, theirs):
        self.peer.say(theirs, SECRET + theirs + self.version)
        self.tool.listener.heard(ours, SECRET + theirs + self.version)
        self.tool.say(ours, SECRET + ours)
        self.peer.heard(theirs, SECRET + ours)

    def newest(self, known):
        """The one connection of theirs that was not known."""
        names = eventually(f"{self.peer.name} completing the connection", lambda: self.known() - known)
        expect(len(names) == 1, "it has", len(names), "new connections")
        return names.pop()

    def accept(self, method, second):
        """We accept two invitations of theirs; `second` is what makes the second one, from the DID of the first."""
        endpoint = ["--endpoint", self.tool.listener.endpoint]
        before, known = self.counts(), self.known()
        _, made = self.peer.invite("out-of-band", ["didexchange/1.1"], True, use_did_method=method)
        did = made["invitation"]["services"][0]
        expect(isinstance(did, str) and did.startswith(method), "it names itself by", did)
        first = self.tool.accept(made["invitation_url"], *endpoint)
        # It may know us by this DID from a case before; then this invitation is reused already.
        anew = outcome(first) == "begun"
        _, made = self.peer.invite("out-of-band", ["didexchange/1.1"], **second(did))
        again = self.tool.accept(made["invitation_url"], *endpoint)
        expect(outcome(again) == "reused", "the outcome is", only(again["events"], "acceptance"))
        expect(again["id"] == first["id"], "it is another connection")
        after = self.counts()
        expect(after[0] - before[0] == int(anew), "we have", after[0] - before[0], "more connections")
        eventually(f"{self.peer.name} having one more connection",
                   lambda: self.counts()[1] - before[1] == int(anew))
        if anew:
            self.talk(first["id"], self.newest(known))

    def invite(self, *options):
        """They accept two invitations of ours, and are asked to use a connection that there is."""
        before, known, ours = self.counts(), self.known(), {c["id"] for c in self.tool.connections()}
        names = []
        for _ in range(2):
            _, invitation = self.tool.invite("--handshake", "didexchange/1.1", *options)
            names.append(invitation["services"][0])
            record = self.peer.post("/out-of-band/receive-invitation", invitation, auto_accept="true",
                                    use_existing_connection="true")
            self.peer.completed(record["connection_id"])
            expect(record["connection_id"] not in known, "it is connected from before")
        expect(names[0] == names[1] and isinstance(names[0], str), "two invitations name us by", names)
        expect(record["state"] == "reuse-accepted", "the second invitation ended in", record["state"])
        after = self.counts()
        expect(after[1] - before[1] == 1, "it has", after[1] - before[1], "more connections")
        made = [c for c in self.tool.connections() if c["id"] not in ours]
        expect(len(made) == 1, "we have", len(made), "more connections")
        self.talk(made[0]["id"], self.newest(known))


class OursWithOurs:
    """Two wallets of ours, one of which is reached through `listen`."""

    def __init__(self, tool, host, folder):
        self.tool, self.host, self.other = tool, host, Tool(folder, "reusing")

    def cases(self, run):
        run("reuse by the reusable key", lambda: self.reuse("--reusable-key"))
        for method in METHODS:
            run(f"reuse by {method} of the reusable key",
                lambda m=method: self.reuse("--reusable-key", "--service", m))
        run("reuse by a did:web that our cloud agent publishes", lambda: self.reuse(*self.host.options("ours")))
        run("without a key or DID that is known, two invitations make two connections", self.apart)

    def link(self, *options):
        made = only(self.tool.on("invite", "create", "", "--endpoint", self.tool.listener.endpoint, "--label",
                                 self.tool.name, *options), "invitation-made")
        return made["link"]

    def accept(self, *options):
        return self.other.accept(self.link(*options), "--ca-file", self.host.roots)

    def reuse(self, *options):
        before = len(self.tool.connections()), len(self.other.connections())
        first, second = self.accept(*options), self.accept(*options)
        expect((outcome(first), outcome(second)) == ("begun", "reused"), outcome(first), outcome(second))
        expect(first["id"] == second["id"], "it is another connection")
        after = len(self.tool.connections()), len(self.other.connections())
        expect((after[0] - before[0], after[1] - before[1]) == (1, 1), before, after)
        self.other.say(first["id"], SECRET + " ".join(options))
        self.tool.listener.await_("message", lambda e: e["text"] == SECRET + " ".join(options))

    def apart(self):
        first, second = self.accept(), self.accept()
        expect((outcome(first), outcome(second)) == ("begun", "begun"), outcome(first), outcome(second))
        expect(first["id"] != second["id"], "it is one connection")
