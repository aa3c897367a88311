"""One run of a case: instances of the agent behind a proxy, clients and senders, and what can be seen of all of them."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import urllib.request

from servers import Failed, Pair, Proxy, end, eventually

# Room for all that waits over an outage, and no limit that a case does not look for.
ROOM = ["--account-messages", "50000", "--key-messages", "50000", "--account-bytes", "1GiB", "--key-bytes", "1GiB",
        "--source-rate", "100000", "--source-burst", "100000"]
PUBLIC_PORT = 8000


def get(address, limit=4):
    try:
        with urllib.request.urlopen(address, timeout=limit) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    except OSError as error:
        return 0, str(error)


class Instance:
    """One instance of the cloud agent."""

    def __init__(self, program, number, home, store, options=()):
        self.number, self.port, self.admin = number, 8000 + number, f"http://127.0.0.1:{8100 + number}/"
        self.log, self.events, self.link = os.path.join(home, f"agent{number}.log"), [], None
        self.command = [
            program, "agent", "run", "--data", os.path.join(home, f"data{number}"), "--secret-file", os.path.join(home, "secret"),
            "--store", store, "--listen", f"127.0.0.1:{self.port}", "--public-url", f"http://127.0.0.1:{PUBLIC_PORT}",
            "--admin-listen", self.admin[7:-1], "--report-interval", "10m", "--json", *ROOM, *options]
        os.makedirs(os.path.join(home, f"data{number}"), mode=0o700)
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log)
        self.readiness, self.isWatched = [], True
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            event = json.loads(line)
            self.events.append((time.monotonic(), event))

    def wait(self):
        """Waits until it serves."""
        def serves():
            if self.process.poll() is not None:
                raise Failed(f"instance {self.number} ended with {self.process.returncode}: {self.lines()[-3:]}")
            return next((event for _, event in list(self.events) if event["event"] == "cloud-agent"), None)
        self.link = eventually(f"instance {self.number}", serves)["link"]
        self.watcher = threading.Thread(target=self._watch, daemon=True)
        self.watcher.start()

    def _watch(self):
        while self.isWatched and self.process.poll() is None:
            status, text = get(self.admin + "readyz")
            self.readiness.append((time.monotonic(), status, text.strip()))
            time.sleep(0.1)

    def lines(self):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return log.read().splitlines()

    def store_lines(self):
        """Counts the lines of the log about the store."""
        return sum(" The store " in line or " The database" in line for line in self.lines())

    def losses(self):
        """Returns the reports of a store that went back: the instant, and the number of steps."""
        return [(at, event["steps"]) for at, event in list(self.events) if event["event"] == "cloud-agent-store-went-back"]

    def stop(self):
        self.isWatched = False
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
        end(self.process)


class Load:
    """Clients of all manners and their senders."""

    def __init__(self, loader, link, seconds, rate, accounts, seed, drain):
        self.samples, self.talk = [], []
        self.process = subprocess.Popen(
            [loader, "bench", "agent-soak", link, "--for", f"{seconds:g}s", "--rate", str(rate), "--accounts", str(accounts),
             "--seed", str(seed), "--sample", "100ms", "--drain", f"{drain}s", "--json"], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.threads = [threading.Thread(target=self._read, daemon=True), threading.Thread(target=self._listen, daemon=True)]
        for thread in self.threads:
            thread.start()

    def _read(self):
        for line in self.process.stdout:
            self.samples.append((time.monotonic(), json.loads(line)))

    def _listen(self):
        self.talk.append(self.process.stderr.read())

    def accepted(self):
        return self.samples[-1][1]["accepted"] if self.samples else 0

    def wait(self, limit):
        """The last line."""
        try:
            self.process.wait(limit)
        except subprocess.TimeoutExpired as error:
            raise Failed(f"the load did not end within {limit} s") from error
        for thread in self.threads:
            thread.join(5)
        last = self.samples[-1][1] if self.samples else {}
        if self.process.returncode or last.get("operation") != "soak.end":
            raise Failed(f"the load ended with {self.process.returncode}: {''.join(self.talk)[-300:]}")
        return last


class Trial:
    """One run of a case, and everything that it started."""

    def __init__(self, arguments, name, number):
        self.arguments, self.name, self.number = arguments, name, number
        self.random = random.Random(f"{name} {arguments.seed} {number}")
        # A folder that users of other programs can pass through.
        self.home = tempfile.mkdtemp(prefix="symbolon-failover-")
        os.chmod(self.home, 0o711)
        self.started, self.instances, self.load, self.last = [], [], None, {}
        self.complaints, self.figures, self.promoted, self.furtherCauses = [], {}, None, 0

    # Processes and rules that a case starts.

    def keep(self, thing):
        self.started.append(thing)
        return thing

    def pair(self, synchronous, standbyParent=None):
        return self.keep(Pair(self.home, synchronous, standbyParent))

    def serve(self, store, count=2, options=()):
        """Starts instances, one after the other, and the proxy before them."""
        for number in range(1, count + 1):
            instance = Instance(self.arguments.program, number, self.home, store, options)
            self.instances.append(instance)
            instance.wait()
        self.keep(Proxy.before_agents(self.home, PUBLIC_PORT, [instance.port for instance in self.instances]))

    def begin(self, seconds, rate=None, drain=60):
        """Begins the load, and waits until it flows."""
        self.load = Load(self.arguments.loader, self.instances[0].link, seconds, rate or self.arguments.rate, 20,
                         self.arguments.seed * 1000 + self.number, drain)
        self.seconds, self.drain = seconds, drain
        eventually("the load", lambda: self.load.accepted() > 50 or self.load.process.poll() is not None)

    def pause(self, least, most):
        """A pause whose length the seed decides."""
        time.sleep(self.random.uniform(least, most))

    def open(self, store, options=(), limit=30):
        """Starts an agent that is to fail; the seconds that took, its code, and what it said."""
        began = time.monotonic()
        instance = Instance(self.arguments.program, 9, self.home, store, options)
        self.instances.append(instance)
        try:
            instance.process.wait(limit)
        except subprocess.TimeoutExpired:
            pass
        took = time.monotonic() - began
        instance.stop()
        self.instances.remove(instance)
        shutil.rmtree(os.path.join(self.home, "data9"))
        text = " ".join(instance.lines())
        found = re.search(r"\[?(cloud\.[a-z.-]+)\]?", text + " " + json.dumps([event for _, event in instance.events]))
        return took, found and found[1], text

    # Actions of a case.

    def promote(self, server):
        """Promotes a standby; the instant from which it can be written to."""
        server.sql("SELECT pg_promote(false)", "postgres")
        self.promoted = eventually("the promotion", lambda: server.is_writable() and time.monotonic(), pause=0.01)
        return self.promoted

    def mark(self):
        """The instant from which messages have to be taken again."""
        self.promoted = time.monotonic()
        return self.promoted

    def finish(self):
        """Waits for the end of the load."""
        self.last = self.load.wait(self.seconds + self.drain + 120)
        return self.last

    # Observations of a case.

    def require(self, holds, words):
        if not holds:
            self.complaints.append(words)

    def growth(self):
        """The instants at which the number of accepted messages grew."""
        instants, before = [], 0
        for at, sample in list(self.load.samples):
            if sample["accepted"] > before:
                instants.append(at)
            before = sample["accepted"]
        return instants

    def taken_again(self, since=None):
        """The seconds from an instant, the promotion if none is given, until messages are taken."""
        since = since or self.promoted
        after = [at - since for at in self.growth() if at > since]
        return round(after[0], 2) if after else None

    def wait_for_growth(self, limit=60):
        """Waits until messages are taken; the seconds that took."""
        began = time.monotonic()
        eventually("messages being taken", lambda: any(at > began for at in self.growth()[-3:]), limit)
        return time.monotonic() - began

    def rests(self, seconds):
        """True when nothing is taken in the next seconds."""
        time.sleep(0.3)
        before = self.load.accepted()
        time.sleep(seconds)
        return self.load.accepted() == before

    def gap(self):
        """The longest time in which nothing was taken."""
        instants = self.growth()
        return round(max((later - earlier for earlier, later in zip(instants, instants[1:])), default=0), 2)

    def delay(self):
        """The longest that a message waited for its live client since the promotion, in milliseconds."""
        if not self.promoted:
            return None
        return max((sample["liveDelay"] for at, sample in self.load.samples if at > self.promoted + 0.2), default=None)

    def codes(self):
        """The codes in the log and in the answers of /readyz."""
        logged = set()
        for instance in self.instances:
            logged |= set(re.findall(r"\(cloud\.([a-z.-]+)\)", " ".join(instance.lines())))
        unready = {text for instance in self.instances for _, status, text in instance.readiness if status == 503}
        return sorted(logged), sorted(text.replace("unready cloud.", "").strip() for text in unready)

    def told(self):
        """The steps that the instances told to be lost: the most of one instance; nil when none told any."""
        steps = [steps for instance in self.instances for _, steps in instance.losses() if steps is not None]
        return max(steps, default=None)

    def expect_nothing_lost(self):
        for name in ("lost", "waiting", "duplicates", "misordered", "strange"):
            self.require(self.last.get(name) == 0, f"{name}: {self.last.get(name)}")

    def expect_lines_kept(self):
        self.require(self.last.get("liveSocketsLost") == 0, f"{self.last.get('liveSocketsLost')} live lines were closed")

    def expect_taken_within(self, seconds, since=None):
        took = self.taken_again(since)
        self.require(took is not None and took <= seconds, f"taken again after {took} s, not {seconds}")

    def expect_ready_when_writable(self):
        """An instance that was unready is ready again only once a client of the database could commit, and takes messages then."""
        latest = 0
        for instance in self.instances:
            first = next((at for at, status, _ in instance.readiness if status == 503), None)
            ready = [at for at, status, _ in instance.readiness if first and at > first and status == 200]
            if not ready:
                self.require(first is None, f"instance {instance.number} was never ready again")
                continue
            early = self.promoted - ready[0]
            # The client of the database that is compared asks every few hundredths of a second.
            self.require(early < 0.3, f"instance {instance.number} was ready {early:.2f} s before a commit was made")
            latest = max(latest, ready[0])
        self.figures["readyAgain"] = round(latest - self.promoted, 2) if latest else None
        counts = [sample["deferred"] for at, sample in self.load.samples if latest and at > latest + 0.3]
        self.require(not counts or counts[0] == counts[-1], "messages were put off by an instance that was ready")

    def expect_logged(self, code):
        logged, unready = self.codes()
        self.require(code in logged, f"{code} is not in the log: {logged}")
        return unready

    def row(self):
        """Returns the result of one run as a row of the report."""
        if self.instances:
            silent = [text for instance in self.instances for _, status, text in instance.readiness if status == 503
                      and "cloud." not in text and text != "draining"]
            self.require(not silent, f"/readyz was unready without a code {len(silent)} times")
        # One line each for the begin, the loss and the end; one more for a further cause.
        most = max((instance.store_lines() for instance in self.instances), default=0)
        self.require(most <= 3 + self.furtherCauses, f"{most} lines of the log are about the store")
        logged, unready = self.codes()
        row = {"schema": "symbolon.failover", "version": 1, "case": self.name, "number": self.number,
               "seed": self.arguments.seed}
        if self.last:
            row |= {"accepted": self.last["accepted"], "lost": self.last["lost"], "waiting": self.last["waiting"],
                    "doubled": self.last["duplicates"], "misordered": self.last["misordered"],
                    "redelivered": self.last["redelivered"], "uncertain": self.last["uncertain"],
                    "deferred": self.last["deferred"], "linesClosed": self.last["liveSocketsLost"], "gap": self.gap(),
                    "takenAgain": self.taken_again() if self.promoted else None, "liveDelay": self.delay(),
                    "storeLines": [instance.store_lines() for instance in self.instances]}
        if self.instances:
            row |= {"told": self.told()}
        return row | self.figures | {"logged": logged, "readyz": unready, "isGood": not self.complaints,
                                     "complaints": self.complaints}

    def close(self):
        if self.load:
            end(self.load.process)
        for instance in self.instances:
            instance.stop()
        for thing in reversed(self.started):
            thing.close()
        if self.complaints and self.arguments.keep:
            print(f"kept: {self.home}", flush=True)
        else:
            shutil.rmtree(self.home, ignore_errors=True)
