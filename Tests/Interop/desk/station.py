"""A running `symbolon desk`, and wallets that send to it."""

import json
import os
import re
import subprocess
import threading
import time


class Desk:
    """A desk with its events as they come."""

    def __init__(self, program, folder, arguments=(), environment=None, prefix=(), air=None, radio="virtual",
                 server=None):
        """`server` is a program that serves the desk in place of `program`, which wallets run."""
        self.program = program
        self.air = air or os.path.join(folder, "air.sock")
        self.events = []
        self.least_offset = None
        self.condition = threading.Condition()
        line = [*prefix, server or program, "desk", "--json", "--json-codes", "--port", "0", "--radio", radio, *arguments]
        if radio == "virtual":
            line += ["--air", self.air]
        self.errors = open(os.path.join(folder, f"desk-{time.time_ns()}.err"), "w+")
        self.process = subprocess.Popen(
            line, stdout=subprocess.PIPE, stderr=self.errors, stdin=subprocess.DEVNULL, text=True,
            env={**os.environ, **(environment or {})})
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self):
        for line in self.process.stdout:
            now = time.time()
            event = json.loads(line)
            offset = now - event["elapsed"]
            with self.condition:
                if self.least_offset is None or offset < self.least_offset:
                    self.least_offset = offset
                self.events.append(event)
                self.condition.notify_all()
        with self.condition:
            self.condition.notify_all()

    def wait(self, fits, seconds=60, since=0):
        """The first event from `since` that fits."""
        end = time.time() + seconds
        with self.condition:
            while True:
                for event in self.events[since:]:
                    if fits(event):
                        return event
                left = end - time.time()
                if left <= 0 or self.process.poll() is not None:
                    self.errors.seek(0)
                    raise AssertionError(f"no such event; the desk said: {self.errors.read()[-2000:]}")
                self.condition.wait(min(left, 1))

    def session(self, what, station=1, session=None, seconds=60, since=0):
        return self.wait(
            lambda e: e["event"] == "desk-session" and e["what"] == what and e["station"] == station
            and (session is None or e["session"] == session), seconds, since)

    def count(self):
        with self.condition:
            return len(self.events)

    def url(self, station=1):
        return self.wait(lambda e: e["event"] == "desk" and e["station"] == station)["url"]

    @property
    def port(self):
        return int(re.search(r":(\d+)/", self.url()).group(1))

    def code(self, station=1):
        """The newest one-time code."""
        self.wait(lambda e: e["event"] == "desk-code" and e["station"] == station)
        with self.condition:
            return [e for e in self.events if e["event"] == "desk-code" and e["station"] == station][-1]["code"]

    def uri(self, station=1):
        """The code for wallets that is shown now."""
        self.session("waiting", station)
        with self.condition:
            found = [e for e in self.events if e["event"] == "desk-session" and e["station"] == station]
        return [e for e in found if e["what"] == "waiting"][-1]["uri"]

    def moment(self, event):
        """When an event was, on the clock of this machine; never later than it was."""
        return self.least_offset + event["elapsed"]

    def send(self, path, uri=None, arguments=(), station=1, air=None):
        """Starts a wallet."""
        return subprocess.Popen(
            [self.program, "send", path, "--to", uri or self.uri(station), "--yes", "--radio", "virtual", "--air",
             air or self.air, "--json", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def text(self):
        self.errors.seek(0)
        return self.errors.read()

    def stop(self):
        self.process.terminate()
        return self.process.wait(20)


def memory(pid):
    """The writable memory of a process, a region after the other."""
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as file:
        for line in maps:
            fields = line.split()
            if not fields[1].startswith("rw") or (len(fields) > 5 and fields[5].startswith("[v")):
                continue
            start, end = (int(text, 16) for text in fields[0].split("-"))
            try:
                file.seek(start)
                yield fields[5] if len(fields) > 5 else "", start, file.read(end - start)
            except (OSError, ValueError):
                continue


def found_in_memory(pid, texts):
    """The texts that the memory of a process holds, with where."""
    # Searched by their first bytes, which many of them share, and then compared.
    forms = {}
    for text in texts:
        for form in (text.encode(), text.encode("utf-16-le")):
            forms.setdefault(form[:4], []).append((form, text))
    found = {}
    for name, start, data in memory(pid):
        for head, tails in forms.items():
            at = data.find(head)
            while at >= 0:
                for form, text in tails:
                    if data.startswith(form, at):
                        found.setdefault(text, []).append(f"{name or 'anonymous'} {start + at:x}")
                at = data.find(head, at + 1)
    return found


def found_in_files(folder, texts):
    """The files of a folder that hold one of the texts, in either of the forms that browsers write."""
    forms = [form for text in texts for form in (text.encode(), text.encode("utf-16-le"))]
    found = []
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                with open(os.path.join(place, name), "rb") as file:
                    data = file.read()
            except OSError:
                continue
            if any(form in data for form in forms):
                found.append(name)
    return found


def status(pid, field):
    with open(f"/proc/{pid}/status") as file:
        for line in file:
            if line.startswith(field + ":"):
                return int(line.split()[1])
    return 0


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))
