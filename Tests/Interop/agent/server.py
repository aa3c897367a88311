"""Our cloud agent as a process, and the database that it may keep its messages in."""

import json
import os
import signal
import subprocess
import threading

from peers import LIMIT, Failed, eventually

POSTGRES = "/usr/lib/postgresql/15/bin"
# Room for a run that is offline all the time.
ROOM = ["--account-messages", "50000", "--key-messages", "50000", "--account-bytes", "1GiB", "--key-bytes", "1GiB"]


class CloudAgent:
    """`symbolon agent run` behind a door, with a store of its own below `folder`."""

    binary = ""

    def __init__(self, name, folder, gate, store=None):
        self.name, self.gate = name, gate
        self.data = os.path.join(folder, name)
        self.place = ["--data", self.data] + (["--store", store] if store else [])
        self.start()

    def start(self):
        self.events = []
        self.process = subprocess.Popen(
            [self.binary, "agent", "run", *self.place, "--listen", "127.0.0.1:0", "--public-url", self.gate.address,
             "--allow-private", "--admin-listen", "127.0.0.1:0", *ROOM, "--json"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        threading.Thread(target=self._read, args=(self.process, self.events), daemon=True).start()
        shown = eventually(f"{self.name} being ready", lambda: self.event("cloud-agent"))
        self.link, self.olderLink = shown["link"], shown["olderLink"]
        self.address, self.admin = "http://" + shown["address"], shown["admin"]
        self.gate.target = self.address

    def _read(self, process, events):
        for line in process.stdout:
            events.append(json.loads(line))

    def event(self, name):
        if self.process.poll() is not None:
            raise Failed(f"{self.name} ended with {self.process.returncode}: {self.events[-1:]}")
        return next((e for e in list(self.events) if e["event"] == name), None)

    def run(self, *arguments):
        """The events of a command on the store."""
        done = subprocess.run([self.binary, "agent", *arguments, *self.place, "--json"], capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=LIMIT, check=False)
        if done.returncode:
            raise Failed(f"agent {arguments[0]} ended with {done.returncode}: {done.stderr[-500:]!r}")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def status(self):
        return next(e for e in self.run("status") if e["event"] == "cloud-agent-status")

    def stop(self):
        """Ends it as its operator does; its exit status."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        return self.process.returncode

    def kill(self):
        self.process.kill()
        self.process.wait()


class Postgres:
    """A PostgreSQL on a socket in a folder of its own."""

    @staticmethod
    def isInstalled():
        return os.access(POSTGRES + "/postgres", os.X_OK)

    def __init__(self, folder):
        self.folder = os.path.join(folder, "postgres")
        os.makedirs(self.folder)
        # It does not run as root: then it runs as the user that its package made, who has to reach the folder.
        self.user = []
        if os.geteuid() == 0:
            subprocess.run(["chown", "postgres", self.folder], check=True)
            os.chmod(folder, 0o711)
            self.user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]
        self._run("initdb", "--auth=trust", "--username=postgres", "--no-sync", "--encoding=UTF8", "-D",
                  self.folder + "/data")
        self.start()
        if not self._answers("CREATE DATABASE agent"):
            raise Failed("no database could be made")
        self.store = f"postgresql:///agent?host={self.folder}&user=postgres"

    def start(self):
        """Starts it, with what is in its folder."""
        self.process = subprocess.Popen(
            [*self.user, POSTGRES + "/postgres", "-D", self.folder + "/data", "-k", self.folder, "-c",
             "listen_addresses=", "-c", "max_connections=50", "-c", "shared_buffers=8MB"],
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        eventually("PostgreSQL being ready", lambda: self._answers("SELECT 1"), pause=0.1)

    def _run(self, program, *arguments):
        done = subprocess.run([*self.user, f"{POSTGRES}/{program}", *arguments], cwd=self.folder, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=LIMIT, check=False)
        if done.returncode:
            raise Failed(f"{program} ended with {done.returncode}: {done.stderr[-300:]!r}")

    def _answers(self, sql):
        try:
            self._run("psql", "-h", self.folder, "-U", "postgres", "-qc", sql)
        except Failed:
            return False
        return True

    def stop(self):
        # Its data are removed next, so that they need not be written to disk.
        self.process.send_signal(signal.SIGQUIT)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
