#!/usr/bin/env python3
"""Every wallet against every verifier on one air, byte for byte: `matrix.py [OPTIONS]`.

Wallets: ours (`symbolon send` on BlueZ), wallet.py, and that as stock Android and stock iOS. Verifiers: ours (`symbolon
receive` on BlueZ), verifier.py, and that as stock Android. Without --share only those pairs meet in which nothing is ours,
on an air of its own. With --share FOLDER it runs beside the machine of Scripts/bluez-machine.sh, as its --peer, and ours run
in the machine, by guest-jobs.py.

After that, the pairs of ours and Bumble once more with a request: the verifier asks (asking.py, `--request`), and the wallet reads
the request and answers it with a credential; request and answer must arrive as they were sent, and the answer must fit.

Losses: 0, and 5 % of all write commands and notifications. Stock libraries have no timer: where a report, its request or
the length is lost on the way, their sessions hang, on phones too. For pairs with one of them, PDUs shorter than 64 bytes
are therefore spared, so that what is lost is chunks.

Ends with one line of JSON, and with status 1 if a transfer failed.
"""

import argparse
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

import asking
import wire
from bumble import hci

HERE = os.path.dirname(os.path.abspath(__file__))
WALLETS = {"ours": None, "bumble": [], "android": ["--like", "android"], "ios": ["--like", "ios"]}
VERIFIERS = {"ours": None, "bumble": [], "android": ["--like", "android"]}
TITLES = {"ours": "symbolon", "bumble": "Bumble", "android": "Android-like", "ios": "iOS-like"}
STOCK = ("android", "ios")
ADAPTERS = {"verifier": "hci0", "wallet": "hci1"}
LOSS = 0.05
SPARED_BELOW = 64
MAXIMUM_EARLY = 5
# The requests and answers: bytes of padding in the request, bytes of the picture in the answer, share of packets lost.
REQUESTS = ((0, 1000, 0), (0, 1000, LOSS), (40_000, 4000, 0), (0, 60_000, 0))


class Failure(Exception):
    """A transfer that did not end as it should."""


def until(limit, what, check):
    """The first true value of `check`; a failure after `limit` seconds."""
    deadline = time.monotonic() + limit
    while True:
        value = check()
        if value:
            return value
        if time.monotonic() > deadline:
            raise Failure("%s: not within %g s" % (what, limit))
        time.sleep(0.03)


def text_of(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def events_of(path):
    """The whole lines of JSON in a file that is being written."""
    lines = text_of(path).split("\n")[:-1]
    return [json.loads(line) for line in lines if line.startswith("{")]


def reports_in(path):
    """Address and signal strength of each advertising report in a btsnoop file."""
    with open(path, "rb") as file:
        data = file.read()
    found, place = [], 16
    while place + 24 <= len(data):
        length = int.from_bytes(data[place + 4 : place + 8], "big")
        packet = hci.HCI_Packet.from_bytes(data[place + 24 : place + 24 + length])
        place += 24 + length
        for report in getattr(packet, "reports", []):
            found.append((str(report.address)[:17], report.rssi))
    return found


class Air:
    """The air: our own, or that of the machine."""

    def __init__(self, folder, process=None):
        self.folder, self.process = folder, process
        self.orders = os.path.join(folder, "orders")
        self.told = 0

    @staticmethod
    def start(folder, stations):
        log = os.path.join(folder, "air.log")
        sockets = ["unix-server:" + os.path.join(folder, name) for name in stations]
        with open(log, "w", encoding="utf-8") as out:
            process = subprocess.Popen(
                [sys.executable, os.path.join(HERE, "..", "bluetooth", "air.py"), "--orders"]
                + [os.path.join(folder, "orders"), *sockets],
                stdout=out,
                stderr=out,
            )
        air = Air(folder, process)
        try:
            until(60, "the air", lambda: "on the air" in text_of(log))
        except BaseException:
            air.stop()
            raise
        return air

    def order(self, *words):
        with open(self.orders, "a", encoding="ascii") as file:
            file.write(" ".join(str(word) for word in words) + "\n")

    def counts(self):
        """Returns the counts since the last call; all earlier orders are obeyed when it returns."""
        self.told += 1
        path = os.path.join(self.folder, "told%d" % self.told)
        self.order("tell", path)
        return json.loads(until(60, "the air's answer", lambda: text_of(path)))

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()


class Machine:
    """The machine with BlueZ: runs commands in it."""

    def __init__(self, folder):
        self.folder, self.count = folder, 0

    def start(self, command, keep=None):
        return self._write({"command": command, "keep": keep})

    def _write(self, job):
        stem = os.path.join(self.folder, str(self.count))
        self.count += 1
        with open(stem + ".new", "w", encoding="utf-8") as file:
            json.dump(job, file)
        os.rename(stem + ".new", stem + ".job")
        return stem

    def end(self, stem, limit):
        """The end of a job."""
        return json.loads(until(limit, "the end of a command", lambda: text_of(stem + ".end")))

    def stop(self, stem):
        open(stem + ".stop", "w", encoding="ascii").close()
        return self.end(stem, 60)

    def say(self, text):
        self._write({"say": text})

    def exit(self, status):
        self._write({"exit": status})


class Receiver:
    """`symbolon receive` in the machine, which serves one wallet after the other."""

    def __init__(self, machine, symbolon, profile):
        self.machine = machine
        self.inbox = "/tmp/inbox%d" % machine.count
        self.stem = machine.start(
            [symbolon, "receive", "--out", self.inbox, "--accept", "always", "--radio", "bluez:" + ADAPTERS["verifier"]]
            + ["--profile", "tuvali-" + profile, "--count", "1000", "--timeout", "600s", "--json", "--quiet"],
            keep=self.inbox,
        )
        self.served = 0
        self.kept = {}

    def of_session(self, name):
        found = [one for one in events_of(self.stem + ".out") if one["event"] == name]
        return [one for one in found if one.get("session") == self.served]

    def invite(self):
        self.served += 1
        return until(60, "a code", lambda: self.of_session("invitation"))[0]["uri"]

    def received(self, limit):
        """The facts of what arrived in this session, once it is kept."""

        def done():
            if os.path.exists(self.stem + ".end"):
                raise Failure("receive ended: " + text_of(self.stem + ".err")[-400:])
            return self.of_session("kept")

        path = until(limit, "a file that is kept", done)[0]["path"]
        facts = self.of_session("received")[0]
        self.kept[os.path.basename(path)] = facts["sha256"]
        return {"sha256": facts["sha256"], "sealed": facts["sealedBytes"], "rounds": facts["rounds"]}

    def stop(self):
        """Ends it, and holds the files that it kept against what it told."""
        files = self.machine.stop(self.stem)["files"]
        return all(files.get(name, [0, ""])[1] == digest for name, digest in self.kept.items())


class Matrix:
    """All transfers, one after the other."""

    def __init__(self, settings, folder):
        self.settings, self.folder = settings, folder
        self.machine = None
        self.receivers = {}
        self.processes = []
        self.results = []
        self.retried = 0
        self.seed = settings.seed
        if settings.share:
            jobs = os.path.join(settings.share, "jobs")
            os.makedirs(jobs, exist_ok=True)
            self.machine = Machine(jobs)
            self.air = Air(settings.share)
            transport = os.environ["PEER_HCI"]
            self.transports = {"wallet": transport, "verifier": transport}
        else:
            self.air = Air.start(folder, ["wallet", "verifier"])
            self.transports = {
                role: "unix-client:" + os.path.join(folder, role) for role in ("wallet", "verifier")
            }

    def say(self, text):
        """A line of what the run says; beside the machine, the machine says it."""
        if self.machine:
            self.machine.say(text)
        else:
            print(text, flush=True)

    # One transfer

    def peer(self, role, arguments):
        stem = os.path.join(self.folder, "%s%d" % (role, len(self.results)))
        with open(stem + ".out", "w", encoding="utf-8") as out, open(stem + ".err", "w", encoding="utf-8") as err:
            process = self.begin([role + ".py", self.transports[role], *arguments], subprocess.DEVNULL, out, err)
        return process, stem

    def begin(self, script, stdin, stdout, stderr):
        """A process of a script beside this one, which is ended with the transfer at the latest."""
        command = [sys.executable, os.path.join(HERE, script[0]), *script[1:]]
        self.processes.append(subprocess.Popen(command, stdin=stdin, stdout=stdout, stderr=stderr))
        return self.processes[-1]

    def end_peers(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
                process.wait()
        self.processes = []

    def peer_facts(self, role, process, stem, limit):
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        facts = (events_of(stem + ".out") or [{"ok": False, "error": text_of(stem + ".err")[-400:]}])[-1]
        if not facts["ok"]:
            raise Failure("%s: %s %s" % (role, facts.get("code"), facts["error"]))
        return facts

    def set_loss(self, pair, loss):
        self.seed += 1
        is_stock = any(kind in STOCK for kind in pair)
        self.air.order("set", "drop-from", SPARED_BELOW if is_stock else 1)
        self.air.order("set", "seed", self.seed)
        self.air.order("set", "drop-att", loss)
        self.air.counts()

    def transfer(self, wallet, verifier, profile, loss, file):
        """Facts of one transfer; a failure if it is not whole."""
        self.set_loss((wallet, verifier), loss)
        limit = 90 + os.path.getsize(file) / 2500
        try:
            if verifier == "ours":
                received, seconds = self.to_ours(wallet, profile, file, limit)
            else:
                received, seconds = self.to_peer(wallet, verifier, profile, file, limit)
        finally:
            self.end_peers()
        with open(file, "rb") as original:
            if hashlib.sha256(original.read()).hexdigest() != received["sha256"]:
                raise Failure("other bytes arrived than were sent")
        return {"sealed": received["sealed"], "rounds": received["rounds"], "seconds": seconds}

    def to_ours(self, wallet, profile, file, limit):
        if profile not in self.receivers:
            self.stop_receivers()
            self.receivers[profile] = Receiver(self.machine, self.settings.symbolon, profile)
        receiver = self.receivers[profile]
        seconds = self.send(wallet, profile, receiver.invite(), file, limit)
        return receiver.received(20), seconds

    def to_peer(self, wallet, verifier, profile, file, limit):
        target = os.path.join(self.folder, "received")
        if os.path.exists(target):
            os.remove(target)
        arguments = [target, "--profile", profile, "--timeout", str(limit), *VERIFIERS[verifier]]
        process, stem = self.peer("verifier", arguments)
        uri = until(60, "a code", lambda: [one for one in text_of(stem + ".out").split("\n")[:-1]])[0]
        seconds = self.send(wallet, profile, uri, file, limit)
        received = self.peer_facts("verifier", process, stem, 40)
        with open(target, "rb") as kept:
            received["sha256"] = hashlib.sha256(kept.read()).hexdigest()
        return received, seconds

    def send(self, wallet, profile, uri, file, limit):
        """Runs a wallet; the seconds of its transfer."""
        if wallet != "ours":
            # The MTU of iPhones: 185 before, 527 today.
            extra = ["--mtu", "185" if profile == "0.4" else "527"] if wallet == "ios" else []
            process, stem = self.peer(
                "wallet",
                [file, uri, "--profile", profile, "--timeout", str(limit), "--patience", "20", *extra]
                + WALLETS[wallet],
            )
            return self.peer_facts("wallet", process, stem, limit + 30)["seconds"]
        command = [self.settings.symbolon, "send", file, "--to", uri, "--radio", "bluez:" + ADAPTERS["wallet"], "--yes"]
        stem = self.machine.start([*command, "--timeout", "60s", "--json", "--quiet"])
        try:
            ended = self.machine.end(stem, limit)
        except Failure:
            self.machine.stop(stem)
            raise
        events = {one["event"]: one for one in events_of(stem + ".out")}
        if ended["status"] != 0:
            raise Failure("send: %s" % (events.get("error") or text_of(stem + ".err")[-400:]))
        return events["sent"]["elapsed"] - events["secure-channel"]["elapsed"]

    # Many of them

    def pairs(self):
        for verifier in VERIFIERS:
            for wallet in WALLETS:
                has_ours = "ours" in (wallet, verifier)
                is_wanted = (wallet + ":" + verifier).startswith(self.settings.only) or not self.settings.only
                if has_ours == bool(self.machine) and is_wanted:
                    yield wallet, verifier

    def files(self, number, loss):
        """The credentials of a pair: all, or some, so that in the end each was met."""
        files = sorted(
            (os.path.join(self.settings.credentials, name) for name in os.listdir(self.settings.credentials)),
            key=os.path.getsize,
        )
        if self.settings.full:
            return files
        small = [file for file in files if os.path.getsize(file) < 30_000]
        # A file of some length where chunks are to be lost, and a short one beside it.
        return [small[-1]] if loss else [small[number % len(small)]]

    def run(self):
        if self.machine:
            began = time.monotonic()
            self.machine.end(self.machine.start(["true"]), 180)
            self.say("the machine is there after %.0f s" % (time.monotonic() - began))
        for profile in wire.PROFILES if self.settings.only != "requests" else ():
            for number, (wallet, verifier) in enumerate(self.pairs()):
                for loss in (0, LOSS):
                    self.run_pair(number, wallet, verifier, profile, loss)
        self.stop_receivers()
        self.run_requests()
        if self.machine:
            self.count_advertisements()

    def patient_transfer(self, *transfer):
        """A transfer that may be done again, as often as --retries says; each time is told."""
        for left in range(self.settings.retries, -1, -1):
            try:
                return self.transfer(*transfer)
            except Exception as error:  # whatever it is, the next begins with fresh peers
                self.stop_receivers()
                if left == 0:
                    raise
                self.retried += 1
                self.say("    again, because of %s" % error)

    def run_pair(self, number, wallet, verifier, profile, loss):
        line = {"bytes": 0, "sealed": 0, "seconds": 0, "rounds": 0, "lost": 0, "files": 0, "failures": []}
        began = time.monotonic()
        for file in self.files(number, loss):
            try:
                facts = self.patient_transfer(wallet, verifier, profile, loss, file)
                line["bytes"] += os.path.getsize(file)
                line["files"] += 1
                for name in ("sealed", "seconds", "rounds"):
                    line[name] += facts[name]
            except Exception as error:  # each failure is one line, and the rest goes on
                line["failures"].append("%s: %s" % (os.path.basename(file), error))
            line["lost"] += self.air.counts()["lost"]
            self.results.append(not line["failures"])
        self.say(
            "%-12s -> %-12s %s %3g %% loss  %d files, %6d bytes, %6d sealed, %6.2f s, %2d rounds, %3d lost, SHA-256 %s (%.0f s)"
            % (
                TITLES[wallet],
                TITLES[verifier],
                profile,
                loss * 100,
                line["files"],
                line["bytes"],
                line["sealed"],
                line["seconds"],
                line["rounds"],
                line["lost"],
                "FAILED" if line["failures"] else "equal",
                time.monotonic() - began,
            )
        )
        for failure in line["failures"]:
            self.say("    FAILED " + failure)

    # Requests

    def asked_pairs(self):
        for wallet in ("ours", "bumble"):
            for verifier in ("ours", "bumble"):
                if ("ours" in (wallet, verifier)) == bool(self.machine):
                    yield wallet, verifier

    def run_requests(self):
        for profile in wire.PROFILES:
            for wallet, verifier in self.asked_pairs():
                for padding, portrait, loss in REQUESTS[: None if profile == "0.5" else 2]:
                    self.run_asked(wallet, verifier, profile, padding, portrait, loss)

    def run_asked(self, wallet, verifier, profile, padding, portrait, loss):
        began, failure, facts, lost = time.monotonic(), "", {}, 0
        for left in range(self.settings.retries, -1, -1):
            try:
                self.set_loss((wallet, verifier), loss)
                facts = self.asked_transfer(wallet, verifier, profile, padding, portrait)
                failure = ""
                break
            except Exception as error:  # each failure is one line, and the rest goes on
                failure = str(error)
                if left:
                    self.retried += 1
                    self.say("    again, because of %s" % error)
            finally:
                lost += self.air.counts()["lost"]
                self.end_peers()
        self.results.append(not failure)
        self.say(
            "%-12s -> %-12s %s %3g %% loss  asks with %6d bytes, %6d bytes answered, %3d lost, %s (%.0f s)"
            % (
                TITLES[wallet],
                TITLES[verifier],
                profile,
                loss * 100,
                facts.get("request", 0),
                facts.get("answer", 0),
                lost,
                "FAILED " + failure if failure else "SHA-256 equal, the answer fits",
                time.monotonic() - began,
            )
        )

    def shared(self, name, data):
        """A file that the machine sees, and its path there."""
        path = os.path.join(self.settings.share, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="ascii") as file:
            file.write(data)
        return "/run/share/" + name

    def asked_transfer(self, wallet, verifier, profile, padding, portrait):
        """Facts of one request and its answer; a failure if they are not whole, or the answer does not fit."""
        if verifier == "ours":
            uri, received = self.ask_ours(profile, padding)
        else:
            target = os.path.join(self.folder, "received")
            arguments = [target, "--profile", profile, "--timeout", "150", "--ask", str(padding)]
            process, stem = self.peer("verifier", arguments)
            uri = until(60, "a code", lambda: [one for one in text_of(stem + ".out").split("\n")[:-1]])[0]
            received = lambda: self.peer_facts("verifier", process, stem, 60)  # noqa: E731
        if not uri.endswith("&request=1"):
            raise Failure("the code does not say that the verifier asks")
        sent = self.answer_by(wallet, profile, uri, portrait)
        facts = received()
        if facts["sha256"] != sent["sha256"]:
            raise Failure("another answer arrived than was sent")
        if facts["answer"] not in ("presented", "genuine"):
            raise Failure("the answer does not fit: %s" % facts["answer"])
        if sent.get("request", facts.get("request")) != facts.get("request", sent.get("request")):
            raise Failure("another request was read than was written")
        return {"request": padding or 1, "answer": facts.get("bytes", 0)}

    def ask_ours(self, profile, padding):
        query = {"credentials": [{"id": "card", "format": "jwt_vc_json", "claims": [{"path": ["credentialSubject", "name"]}]}]}
        claims = {"dcql_query": query, "padding": os.urandom(padding // 2).hex()}
        inbox = "/tmp/asked%d" % self.machine.count
        command = [self.settings.symbolon, "receive", "--out", inbox, "--radio", "bluez:" + ADAPTERS["verifier"]]
        command += ["--request", self.shared("query.json", json.dumps(claims)), "--accept", "always", "--check"]
        command += ["--trust", self.shared("trust", "issuer %s\n" % asking.ISSUER.did), "--profile", "tuvali-" + profile]
        stem = self.machine.start([*command, "--timeout", "150s", "--json", "--quiet"], keep=inbox)

        def events(name):
            return [one for one in events_of(stem + ".out") if one["event"] == name]

        def received():
            ended = self.machine.end(stem, 60)
            if ended["status"] != 0:
                raise Failure("receive: %s" % (events("error") or text_of(stem + ".err")[-400:]))
            facts = events("received")[0]
            return {"sha256": facts["sha256"], "bytes": facts["payloadBytes"], "answer": events("checked")[0]["result"]}

        return until(60, "a code", lambda: events("invitation"))[0]["uri"], received

    def answer_by(self, wallet, profile, uri, portrait):
        if wallet != "ours":
            target = os.path.join(self.folder, "answer")
            arguments = [target, uri, "--profile", profile, "--timeout", "150", "--patience", "20", "--answer", str(portrait)]
            process, stem = self.peer("wallet", arguments)
            return self.peer_facts("wallet", process, stem, 180)
        self.shared("wallet/card.jwt", asking.credential(portrait))
        self.shared("wallet/holder.jwk", json.dumps(asking.holder_jwk()))
        command = [self.settings.symbolon, "send", "--wallet", "/run/share/wallet", "--to", uri]
        command += ["--radio", "bluez:" + ADAPTERS["wallet"], "--yes", "--timeout", "60s", "--json", "--quiet"]
        stem = self.machine.start(command)
        try:
            ended = self.machine.end(stem, 180)
        except Failure:
            self.machine.stop(stem)
            raise
        events = {one["event"]: one for one in events_of(stem + ".out")}
        if ended["status"] != 0:
            raise Failure("send: %s" % (events.get("error") or text_of(stem + ".err")[-400:]))
        return {"sha256": events["sent"]["sha256"]}

    # Advertisements

    def count_advertisements(self):
        """Holds what the application was told in a scan window against what the air gave its adapter.

        bluetoothd tells of a device's newest signal strength only, so that a machine that stands still for the time between
        two advertisements loses one: what counts is that one window of three is whole.
        """
        for _ in range(3):
            is_whole = self.count_window()
            if is_whole:
                break
        self.results.append(is_whole)

    def count_window(self):
        self.air.order("set", "drop-att", 0)
        self.air.order("set", "rssi-jitter", 20)
        self.air.counts()
        stem = os.path.join(self.folder, "advertiser")
        name = "heard%d.btsnoop" % self.machine.count
        capture = os.path.join(os.path.dirname(self.machine.folder), name)
        with open(stem, "w", encoding="utf-8") as out:
            process = self.begin(["advertiser.py", self.transports["verifier"], "200"], subprocess.PIPE, out, out)
        address = until(60, "an advertiser", lambda: [one for one in text_of(stem).split("\n")[:-1]])[0]
        absent = wire.make_uri("NOBODY", bytes(range(32)), False)
        job = self.machine.start(
            [self.settings.symbolon, "send", "/etc/hostname", "--to", absent, "--yes", "--quiet", "--timeout", "60s"]
            + ["--radio", "bluez:" + ADAPTERS["wallet"], "--capture", "/run/share/" + name],
        )
        until(60, "an advertisement", lambda: os.path.exists(capture) and os.path.getsize(capture) > 16)
        time.sleep(self.settings.window)
        process.communicate(timeout=60)
        time.sleep(1)
        self.machine.stop(job)
        scanner = "station%d" % (1 + int(ADAPTERS["wallet"][3:]))
        given = [rssi for station, who, rssi in self.air.counts()["reports"] if (station, who) == (scanner, address)]
        heard = [rssi for who, rssi in reports_in(capture) if who == address]
        self.air.order("set", "rssi-jitter", 0)
        # While the kernel starts to look it passes nothing on.
        early = max(0, len(given) - len(heard))
        is_whole = len(heard) > 2 * self.settings.window and early <= MAXIMUM_EARLY and given[early:] == heard
        self.say(
            "advertisements: the air gave %d to the adapter (and %d while the kernel began to look), the application heard"
            " %d, signal strengths %s"
            % (len(given) - early, early, len(heard), "equal" if is_whole else "NOT EQUAL: %s, %s" % (given, heard))
        )
        return is_whole

    def stop_receivers(self):
        for profile, receiver in list(self.receivers.items()):
            del self.receivers[profile]
            if not receiver.stop():
                self.say("    FAILED a file that was kept has other bytes than were told")
                self.results.append(False)


def read_settings():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--share", default="", help="the folder that the machine shares; else no machine")
    add("--symbolon", default="", help="our program")
    add("--credentials", required=True, help="the folder of what is handed over")
    add("--full", action="store_true", help="all files for each pair")
    add("--window", type=float, default=6, help="seconds in which advertisements are counted")
    add("--only", default="", help="the one wallet, or wallet:verifier, that is wanted; or requests")
    add("--retries", type=int, default=0, help="how often a transfer that failed is done again")
    add("--seed", type=int, default=0, help="decides what is lost")
    return parser.parse_args()


def main():
    # The end of the run is the end of its peers and its folder too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    settings = read_settings()
    began = time.monotonic()
    status = 1
    with tempfile.TemporaryDirectory(prefix="symbolon-peers.") as folder:
        matrix = Matrix(settings, folder)
        try:
            matrix.run()
            failed = matrix.results.count(False)
            status = 1 if failed or not matrix.results else 0
            summary = {
                "transfers": len(matrix.results),
                "failed": failed,
                "retried": matrix.retried,
                "seconds": round(time.monotonic() - began, 1),
                "machine": bool(matrix.machine),
                "full": settings.full,
            }
            matrix.say(json.dumps(summary))
        finally:
            matrix.end_peers()
            matrix.air.stop()
            if matrix.machine:
                matrix.machine.exit(status)
    sys.exit(status)


if __name__ == "__main__":
    main()
