#!/usr/bin/env python3
"""Transfers back to back between real processes, with restarts and cancels of either side.

A verifier process serves one session after the other; a wallet process is started for each. By chance (decided by the
seed) the wallet is interrupted or killed in the middle, or the verifier is interrupted or killed and started again. Every
transfer that was not disturbed must arrive byte for byte and end with status 0 on the wallet; the verifier's memory must not
grow. Usage: transfers.py PROGRAM [TRANSFERS [SEED]].
"""

import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
PROGRAM = os.path.abspath(sys.argv[1])
PAYLOAD = os.path.join(ROOT, "Examples", "credentials", "national-id.json")
DEADLINE = 60


class Verifier:
    """A verifier process, what it said last, and the most memory it was seen to use."""

    def __init__(self, folder, air):
        self.folder, self.air = folder, air
        self.memory = []
        self.start()

    def start(self):
        self.uris, self.used, self.is_bound = [], 0, False
        self.changed = threading.Condition()
        self.process = subprocess.Popen(
            [PROGRAM, "receive", "--out", self.folder, "--accept", "always", "--count", "100000", "--timeout", "10m",
             "--link", "ideal-2m", "--air", self.air, "--json"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=open(self.folder + ".talk", "w"))
        threading.Thread(target=self.read, args=(self.process,), daemon=True).start()

    def read(self, process):
        for line in process.stdout:
            event = json.loads(line)
            if event["event"] in ("invitation", "secure-channel"):
                with self.changed:
                    self.is_bound = event["event"] == "secure-channel"
                    if not self.is_bound:
                        self.uris.append(event["uri"])
                    self.changed.notify_all()

    def next_uri(self):
        """The code of the session that waits; a disturbed one takes a while to end, one without a wallet goes on."""
        with self.changed:
            if len(self.uris) == self.used and not self.is_bound and self.used > 0:
                self.changed.wait(0.5)
                if len(self.uris) == self.used and not self.is_bound:
                    return self.uris[-1]
            if not self.changed.wait_for(lambda: len(self.uris) > self.used, DEADLINE):
                with open(self.folder + ".talk") as talk:
                    raise SystemExit(f"soak: the verifier began no further session (exit {self.process.poll()}): "
                                     + talk.read()[-600:])
            self.used = len(self.uris)
            return self.uris[-1]

    def measure(self):
        try:
            with open(f"/proc/{self.process.pid}/status") as status:
                for line in status:
                    if line.startswith("VmRSS"):
                        self.memory.append(int(line.split()[1]))
        except OSError:
            pass

    def stop(self, number):
        self.process.send_signal(number)
        self.process.wait(DEADLINE)


def arrived(folder, digest):
    """True when a file with this digest has arrived; empties the folder."""
    found = False
    for name in os.listdir(folder):
        if not name.startswith("credential-"):
            continue
        path = os.path.join(folder, name)
        with open(path, "rb") as file:
            found = hashlib.sha256(file.read()).hexdigest() == digest or found
        os.remove(path)
    return found


def main():
    transfers = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    chance = random.Random(seed)
    scratch = tempfile.mkdtemp(prefix="symbolon-soak-")
    folder = os.path.join(scratch, "received")
    os.mkdir(folder)
    with open(PAYLOAD, "rb") as file:
        payload = file.read()
    verifier = Verifier(folder, os.path.join(scratch, "air.sock"))
    counts = {"undisturbed": 0, "wallet interrupted": 0, "wallet killed": 0, "verifier interrupted": 0,
              "verifier killed": 0}
    failures, first_memory, began = [], None, time.time()
    for number in range(transfers):
        sample = payload.replace(b"}", b" " * (number % 97) + b"}", 1)
        path = os.path.join(scratch, "sample.json")
        with open(path, "wb") as file:
            file.write(sample)
        disturbance = chance.choices(list(counts), [88, 4, 3, 3, 2])[0]
        counts[disturbance] += 1
        uri = verifier.next_uri()
        wallet = subprocess.Popen(
            [PROGRAM, "send", path, "--to", uri, "--yes", "--link", "ideal-2m", "--air", verifier.air, "--timeout", "20s"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if disturbance != "undisturbed":
            time.sleep(chance.uniform(0.05, 0.6))
            hard = disturbance.endswith("killed")
            if disturbance.startswith("wallet"):
                wallet.send_signal(signal.SIGKILL if hard else signal.SIGINT)
            else:
                verifier.stop(signal.SIGKILL if hard else signal.SIGINT)
        try:
            talk = wallet.communicate(timeout=DEADLINE)[1].decode(errors="replace")
        except subprocess.TimeoutExpired:
            wallet.kill()
            talk = "the wallet did not end"
            wallet.communicate()
        if disturbance.startswith("verifier"):
            verifier.start()
        if disturbance == "undisturbed" and wallet.returncode != 0:
            failures.append((number, wallet.returncode, talk[-300:]))
        digest = hashlib.sha256(sample).hexdigest()
        deadline = time.time() + 5
        found = arrived(folder, digest)
        while disturbance == "undisturbed" and not found and time.time() < deadline:
            time.sleep(0.02)
            found = arrived(folder, digest)
        if disturbance == "undisturbed" and not found:
            failures.append((number, "not received", talk[-300:]))
        verifier.measure()
        if number % 100 == 99:
            print(f"soak: {number + 1} transfers, {len(failures)} failures, verifier {verifier.memory[-1]} kB", flush=True)
        if first_memory is None and number >= 50:
            first_memory = max(verifier.memory)
    verifier.stop(signal.SIGINT)
    shutil.rmtree(scratch)
    for failure in failures[:10]:
        print("soak: failed:", failure)
    report = {"schema": "symbolon.soak", "version": 1, "seed": seed, "transfers": transfers, "counts": counts,
              "failures": len(failures), "seconds": round(time.time() - began), "memoryAfter50": first_memory,
              "memoryMaximum": max(verifier.memory), "memoryLast": verifier.memory[-1]}
    print(json.dumps(report))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
