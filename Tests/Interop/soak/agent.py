#!/usr/bin/env python3
"""A cloud agent at work for hours, looked at from outside.

Starts `symbolon agent run` with a store in a folder of its own, and `symbolon-lab bench agent-soak` beside it. Each sample and
what clients counted goes to a file of JSON Lines. At the end everything that was answered as taken must have arrived, once
each; the queue must be empty; the median of the agent's memory in the last quarter must not lie above that of the second
quarter by more than a tenth and 4 MiB.
"""

import argparse
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--loader", required=True, help="the program that runs the clients")
    parser.add_argument("--minutes", type=float, default=120)
    parser.add_argument("--rate", type=int, default=30)
    parser.add_argument("--accounts", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sample", type=float, default=30)
    parser.add_argument("--out", required=True)
    return parser.parse_args()


class Agent:
    """The agent, its addresses, and what can be seen of it from outside."""

    def __init__(self, program, folder):
        self.folder = os.path.join(folder, "data")
        self.talk = open(os.path.join(folder, "agent.log"), "wb")
        self.process = subprocess.Popen(
            [program, "agent", "run", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--data", self.folder,
             "--report-interval", "10m", "--json"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.talk)
        for line in self.process.stdout:
            event = json.loads(line)
            if event["event"] == "cloud-agent":
                self.link, self.admin = event["link"], event["admin"]
                break
        else:
            raise SystemExit(f"soak-agent: the agent ended with {self.process.wait()}")
        # It writes more later; a pipe that is not read would block it in the end.
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def processor(self):
        """Seconds of a core that it has had."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def sample(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii", errors="replace") as status:
            kept = dict(line.split(":", 1) for line in status if ":" in line)
        with urllib.request.urlopen(self.admin + "status", timeout=300) as answer:
            told = json.loads(answer.read())
        sizes = {name: os.path.getsize(os.path.join(self.folder, name)) for name in os.listdir(self.folder)}
        return {
            "residentBytes": int(kept["VmRSS"].split()[0]) * 1024, "threads": int(kept["Threads"]),
            "files": len(os.listdir(f"/proc/{self.process.pid}/fd")), "processorSeconds": self.processor(),
            "storeBytes": sum(sizes.values()),
            **{"agent" + name[0].upper() + name[1:]: told[name]
               for name in ("accounts", "keys", "messages", "bytes", "oldest", "sockets", "live", "storeFailures")}}

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(300)


def median(samples, name):
    return statistics.median(sample[name] for sample in samples) if samples else 0


def verdict(samples, last, status):
    """Judges the samples of the whole run."""
    quarter = len(samples) // 4
    second, fourth = samples[quarter:2 * quarter] or samples, samples[3 * quarter:] or samples
    early, late = median(second, "residentBytes"), median(fourth, "residentBytes")
    failures = []

    def require(holds, words):
        if not holds:
            failures.append(words)

    require(last is not None, "the clients did not end")
    last = last or {}
    require(last.get("missing") == 0, f"{last.get('missing')} messages that were answered as taken did not come")
    require(last.get("waiting") == 0, f"{last.get('waiting')} messages wait at the end")
    for name in ("duplicates", "misordered", "strange"):
        require(last.get(name) == 0, f"{name}: {last.get(name)}")
    require(last.get("received", 0) >= last.get("accepted", 1), "less was received than accepted")
    require(status == 0, f"the agent ended with {status}")
    require(samples and samples[-1]["agentMessages"] == 0, "the store is not empty at the end")
    require(late <= early * 1.1 + (4 << 20), f"memory grew from {early} to {late} bytes")
    return {
        "operation": "soak.verdict", "isGood": not failures, "failures": failures, "samples": len(samples),
        "residentBytesSecondQuarter": early, "residentBytesLastQuarter": late,
        "ratio": round(late / early, 4) if early else None,
        "residentBytesPeak": max((s["residentBytes"] for s in samples), default=0),
        "filesSecondQuarter": median(second, "files"), "filesLastQuarter": median(fourth, "files"),
        "storeBytesSecondQuarter": median(second, "storeBytes"), "storeBytesLastQuarter": median(fourth, "storeBytes"),
        "queuePeak": max((s["agentMessages"] for s in samples), default=0),
        "processorSeconds": samples[-1]["processorSeconds"] if samples else None,
        **{name: last.get(name) for name in ("accepted", "uncertain", "deferred", "received", "redelivered", "duplicates",
                                             "misordered", "keysAdded", "keysRemoved", "accountsMade", "accountsDeleted",
                                             "socketsOpened", "failures") if name != "failures"},
        "clientFailures": last.get("failures")}


def main():
    chosen = options()
    folder = tempfile.mkdtemp(prefix="symbolon-soak-agent-")
    os.makedirs(os.path.dirname(os.path.abspath(chosen.out)), exist_ok=True)
    out = open(chosen.out, "w", encoding="utf-8")
    began = time.monotonic()

    def tell(line):
        line = {"schema": "symbolon.soak", "version": 1, "soak": "agent",
                "at": round(time.monotonic() - began, 1), **line}
        out.write(json.dumps(line) + "\n")
        out.flush()
        return line

    agent = Agent(chosen.program, folder)
    clients = subprocess.Popen(
        [chosen.loader, "bench", "agent-soak", agent.link, "--for", f"{chosen.minutes * 60:g}s",
         "--accounts", str(chosen.accounts), "--rate", str(chosen.rate), "--seed", str(chosen.seed), "--json",
         "--sample", f"{max(1, chosen.sample):g}s"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    latest, talk = {}, []

    def read():
        for line in clients.stdout:
            counted = json.loads(line)
            latest.clear()
            latest.update(counted)

    readers = [threading.Thread(target=read), threading.Thread(target=lambda: talk.append(clients.stderr.read()))]
    for reader in readers:
        reader.start()
    samples, last = [], None
    try:
        while clients.poll() is None:
            due = time.monotonic() + chosen.sample
            sample = {**agent.sample(), **{k: v for k, v in latest.items() if isinstance(v, int) and k != "version"}}
            samples.append(sample)
            tell({"operation": "soak.sample", **sample})
            while clients.poll() is None and time.monotonic() < due:
                time.sleep(0.2)
            if agent.process.poll() is not None:
                clients.terminate()
        for reader in readers:
            reader.join()
        last = dict(latest) if latest.get("operation") == "soak.end" else None
        if agent.process.poll() is None:
            samples.append(agent.sample())
    finally:
        if clients.poll() is None:
            clients.terminate()
        status = agent.process.poll()
        if status is None:
            status = agent.stop()
    end = tell(verdict(samples, last, status))
    print(json.dumps(end, indent=1))
    if clients.returncode != 0:
        print("soak-agent: the clients said:", b"".join(talk).decode(errors="replace")[-1000:])
    shutil.rmtree(folder)
    return 0 if end["isGood"] else 1


if __name__ == "__main__":
    sys.exit(main())
