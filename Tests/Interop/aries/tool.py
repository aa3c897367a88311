"""Our command, used as a person or a script uses it."""

import base64
import json
import os
import subprocess
import tempfile
import threading
import time

from peers import LIMIT, Failed, eventually


def invitationOf(link):
    """The JSON that a link carries."""
    text = link.split("c_i=" if "c_i=" in link else "oob=", 1)[1]
    return json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))


class Tool:
    """A vault, and commands on it."""

    binary = ""

    def __init__(self, folder, name):
        self.name, self.folder, self.others = name, folder, 0
        self.vault, self.key = os.path.join(folder, name), os.path.join(folder, name + ".key")
        self.run("vault", "create", self.vault, "--new-key-file", self.key)
        self.listener = None

    def run(self, *arguments, status=0, limit=LIMIT):
        """The events of one command; a failure when it ends in another way than expected."""
        done = subprocess.run([self.binary, *arguments, "--json"], capture_output=True, timeout=limit + 30,
                              stdin=subprocess.DEVNULL, check=False)
        events = [json.loads(line) for line in done.stdout.splitlines()]
        if done.returncode != status:
            raise Failed(f"{' '.join(arguments[:2])} ended with {done.returncode}, not {status}: "
                         f"{[e for e in events if e['event'] in ('error', 'passed-over')]} {done.stderr[-500:]!r}")
        return events

    def on(self, *arguments, **options):
        """A command on the vault: its words, then the vault, then the rest after an empty word."""
        at = arguments.index("")
        return self.run(*arguments[:at], self.vault, "--key-file", self.key, *arguments[at + 1:], **options)

    def another(self):
        """Another user of the tool, with a vault of their own."""
        self.others += 1
        return Tool(self.folder, f"{self.name}-{self.others}")

    # Being there.

    def listen(self, *options):
        self.listener = Listener(self, *options)
        return self.listener

    def stop(self):
        if self.listener:
            self.listener.stop()
            self.listener = None

    # Actions of a user.

    def invite(self, *options):
        """An invitation of ours: its identifier and the JSON."""
        made = only(self.on("invite", "create", "", "--endpoint", self.listener.endpoint, "--label", self.name, *options),
                    "invitation-made")
        return made["id"], invitationOf(made["link"])

    def accept(self, link, *options, limit=LIMIT):
        """Accepts, and returns what the connection is then, with the seconds from the beginning to its completion."""
        events = self.on("invite", "accept", "", link, "--allow-private", "--timeout", f"{limit}s", *options, limit=limit)
        shown = only(events, "connection")
        stages = {e["stage"]: e["elapsed"] for e in events if e["event"] == "connection-stage"}
        shown["seconds"] = stages.get("completed")
        shown["onTheWire"] = stages.get("completed", 0) - stages.get("requested", 0)
        shown["events"] = events
        return shown

    def show(self, connection):
        return only(self.on("connections", "show", "", connection), "connection")

    def connections(self):
        return [e for e in self.on("connections", "list", "") if e["event"] == "connection"]

    def say(self, connection, text):
        self.on("messages", "send", "", connection, text, "--allow-private")

    def sayAll(self, connection, texts):
        """Says one text after the other, each a line; when each was brought at the earliest, and when it was answered."""
        arguments = [self.binary, "messages", "send", self.vault, "--key-file", self.key, connection, "-", "--allow-private",
                     "--timeout", f"{LIMIT}s", "--json"]
        began, said, answered = time.monotonic(), [], {}
        with tempfile.TemporaryFile() as lines:
            lines.write("".join(text + "\n" for text in texts).encode())
            lines.seek(0)
            with subprocess.Popen(arguments, stdin=lines, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
                for line in process.stdout:
                    event = json.loads(line)
                    if event["event"] == "message" and event["direction"] == "sent":
                        said.append(event["id"])
                    elif event["event"] == "delivery" and event["isDelivered"]:
                        answered.setdefault(event["message"], time.monotonic())
        if process.returncode or len(said) != len(texts) or not set(said) <= answered.keys():
            raise Failed(f"messages send ended with {process.returncode}: {len(answered)} of {len(texts)} were delivered")
        times = [answered[one] for one in said]
        return list(zip([began, *times], times))

    def texts(self, connection, direction):
        return [e["text"] for e in self.on("messages", "list", "", connection)
                if e["event"] == "message" and e["direction"] == direction]

    def delete(self, connection):
        """Deletes a connection; whether the other side was told."""
        done = only(self.on("connections", "delete", "", connection, "--yes", "--allow-private"), "connection-deleted")
        return done["isTold"]


def only(events, name):
    """The one event of that name."""
    found = [e for e in events if e["event"] == name]
    if len(found) != 1:
        raise Failed(f"{len(found)} events {name!r}, and one is expected, in {events}")
    return found[0]


def trimmed(event):
    """An event without what every event says."""
    return {name: value for name, value in event.items() if name not in ("schema", "version", "elapsed", "at")}


class Listener:
    """`symbolon listen`, until it is stopped."""

    def __init__(self, tool, *options):
        self.events = []
        self.process = subprocess.Popen(
            [tool.binary, "listen", tool.vault, "--key-file", tool.key, "--label", tool.name, "--allow-private", "--json",
             *options], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        threading.Thread(target=self._read, daemon=True).start()
        self.endpoint = self.await_("listening", lambda _: True)["endpoint"]

    def _read(self):
        for line in self.process.stdout:
            self.events.append({**json.loads(line), "at": time.monotonic()})

    def find(self, name, holds):
        return next((e for e in list(self.events) if e["event"] == name and holds(e)), None)

    def await_(self, name, holds, limit=LIMIT):
        """The first event of that name that `holds`, when it comes."""
        def look():
            if self.process.poll() is not None:
                raise Failed(f"listen ended with {self.process.returncode}: {self.events[-2:]}")
            return self.find(name, holds)

        try:
            return eventually(f"the event {name!r}", look, limit)
        except Failed as failure:
            raise Failed(f"{failure}; the last were {[trimmed(e) for e in self.events[-4:]]}") from None

    def heard(self, connection, text, limit=LIMIT):
        self.await_("message", lambda e: e["connection"] == connection and e["text"] == text
                    and e["direction"] == "received", limit)

    def stop(self, isHard=False):
        if isHard:
            self.process.kill()
            return self.process.wait()
        self.process.terminate()
        try:
            self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
