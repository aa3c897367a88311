"""Live agents of ACA-Py, on this machine alone, and what they tell."""

import http.server
import json
import os
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

LIMIT = 60
# The beginning of the texts that no log may contain.
SECRET = "For your eyes only: "


class Failed(Exception):
    """A case that is not as it should be, with what was seen."""


def freePort():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def eventually(what, look, limit=LIMIT, pause=0.02):
    """Returns the result of `look` as soon as it is true; raises a failure that names `what` after `limit` seconds."""
    end = time.monotonic() + limit
    while True:
        found = look()
        if found:
            return found
        if time.monotonic() > end:
            raise Failed(f"{what} did not happen within {limit} s")
        time.sleep(pause)


DIGITS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def verkey(didKey):
    """The key in base 58 that a did:key of Ed25519 names."""
    number = 0
    for digit in didKey.split("#")[0].split(":z")[1]:
        number = number * 58 + DIGITS.index(digit)
    number, text = int.from_bytes(number.to_bytes(34, "big")[2:], "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = DIGITS[digit] + text
    return text


class Hooks:
    """A server that agents tell what happens: (agent, topic, body, when), in order."""

    def __init__(self):
        self.told = []
        hooks = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                parts = self.path.strip("/").split("/")
                hooks.told.append((parts[0], parts[2] if len(parts) > 2 else "", json.loads(body or b"{}"),
                                   time.monotonic()))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def find(self, agent, topic, holds):
        """Returns an agent's report on a topic that `holds`, with its time; None if there is none."""
        return next(((body, at) for name, kind, body, at in list(self.told)
                     if name == agent and kind == topic and holds(body)), None)


class Peer:
    """One agent of ACA-Py. Its wallet lies below `folder`; its ports are free ones, and others are told `endpoint` when there is
    one in front of them. It trusts the certificates in the file `roots`, and where there is none those of the machine."""

    def __init__(self, name, venv, folder, hooks, *options, paths=(), hasSocket=True, endpoint=None, roots=None,
                 prefersSocket=False):
        self.name, self.hooks = name, hooks
        self.http, self.ws, self.admin = freePort(), freePort(), freePort()
        self.log = os.path.join(folder, name + ".log")
        home = os.path.join(folder, name)
        os.makedirs(home)
        self.environment = {
            **os.environ, "HOME": home, "PYTHONPATH": os.pathsep.join(paths), "PYTHONWARNINGS": "ignore"}
        # A chosen interpreter says where its packages are; those of the machine are not meant.
        self.environment.pop("PYTHONHOME", None)
        if roots:
            self.environment["SSL_CERT_FILE"] = roots
        socketOptions = ["--inbound-transport", "ws", "127.0.0.1", str(self.ws)] if hasSocket else []
        endpoints = [endpoint or f"http://127.0.0.1:{self.http}"] + [f"ws://127.0.0.1:{self.ws}"] * hasSocket
        if prefersSocket:
            endpoints.reverse()
        self.command = [
            os.path.join(venv, "bin", "aca-py"), "start", "--label", name, "--no-ledger",
            "--wallet-type", "askar", "--wallet-name", name, "--wallet-key", "insecure-test-key", "--auto-provision",
            "--inbound-transport", "http", "127.0.0.1", str(self.http), *socketOptions,
            "--outbound-transport", "http", "--outbound-transport", "ws",
            "--endpoint", *endpoints,
            "--admin", "127.0.0.1", str(self.admin), "--admin-insecure-mode",
            "--auto-accept-invites", "--auto-accept-requests", "--auto-ping-connection", "--monitor-ping",
            "--webhook-url", f"{hooks.address}/{name}", "--log-level", "warning", *options]
        self.start()

    def start(self):
        """Starts it, for the first time or with the wallet that it had."""
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.command, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def kill(self):
        """Ends it without a word to it."""
        self.process.kill()
        self.process.wait()

    def awaitReady(self):
        def isReady():
            if self.process.poll() is not None:
                raise Failed(f"{self.name} ended with status {self.process.returncode}: {self.tail()}")
            try:
                return self.get("/status/ready").get("ready")
            except (OSError, ValueError):
                return False

        eventually(f"{self.name} being ready", isReady, limit=120, pause=0.1)
        return self

    def tail(self):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return log.read()[-1500:]

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    # Requests of its owner.

    def call(self, method, path, body=None, **query):
        text = "?" + urllib.parse.urlencode(query) if query else ""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.admin}{path}{text}", method=method,
            data=None if body is None else json.dumps(body).encode(), headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=LIMIT) as answer:
                return json.loads(answer.read() or b"{}")
        except urllib.error.HTTPError as error:
            raise Failed(f"{self.name} answered {method} {path} with {error.code}: {error.read()[:300]!r}") from error

    def get(self, path, **query):
        return self.call("GET", path, **query)

    def post(self, path, body=None, **query):
        return self.call("POST", path, {} if body is None else body, **query)

    def invite(self, kind, protocols=(), isMultiUse=False, **extra):
        """An invitation of its: the identifier under which its connections are found, and the link."""
        query = {"auto_accept": "true", "multi_use": "true" if isMultiUse else "false"}
        if kind == "connections":
            made = self.post("/connections/create-invitation", {"my_label": self.name}, **query)
            return {"invitation_key": made["invitation"]["recipientKeys"][0]}, made
        body = {"my_label": self.name, "handshake_protocols": ["https://didcomm.org/" + name for name in protocols],
                "use_public_did": False, **extra}
        made = self.post("/out-of-band/create-invitation", body, **query)
        service = made["invitation"]["services"][0]
        if isMultiUse and isinstance(service, dict) and list(protocols) == ["connections/1.0"]:
            # Its connections of such an invitation do not name it.
            return {"invitation_key": verkey(service["recipientKeys"][0])}, made
        return {"invitation_msg_id": made["invi_msg_id"]}, made

    def accept(self, kind, invitation, **query):
        """Lets it accept an invitation; its name of the connection."""
        path = "/connections/receive-invitation" if kind == "connections" else "/out-of-band/receive-invitation"
        return self.post(path, invitation, auto_accept="true", **query)["connection_id"]

    def completed(self, connection, limit=LIMIT):
        """Waits until it says that a connection is complete."""
        def look():
            record = self.get("/connections/" + connection)
            return record if record["rfc23_state"] == "completed" else None

        return eventually(f"{self.name} completing the connection", look, limit)

    def found(self, isComplete=True, **query):
        """The connections that came of an invitation."""
        records = self.get("/connections", **query)["results"]
        return [r["connection_id"] for r in records
                if not isComplete or (r["rfc23_state"] == "completed" and r["state"] in ("active", "completed"))]

    def heard(self, connection, text, limit=LIMIT):
        """Waits until it got a text."""
        eventually(f"{self.name} hearing a text", lambda: self.hooks.find(
            self.name, "basicmessages", lambda body: body.get("content") == text
            and body.get("connection_id") == connection), limit)

    def say(self, connection, text):
        self.post(f"/connections/{connection}/send-message", {"content": text})

    def ping(self, connection, limit=LIMIT):
        """Pings, and waits for the answer."""
        thread = self.post(f"/connections/{connection}/send-ping", {"comment": "hi"})["thread_id"]
        eventually(f"{self.name}'s ping being answered", lambda: self.hooks.find(
            self.name, "ping", lambda body: body.get("thread_id") == thread
            and body.get("state") == "response_received"), limit)
