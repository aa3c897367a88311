#!/usr/bin/env python3
"""A cloud agent under load while its disk is full, and while its database is away.

Each outage lasts --seconds. Measured are the lines of the agent's log in that time, its processor time as a share of one core,
how long after the end of the outage it is ready and takes messages again, and whether everything that was answered as taken
arrives. Fails where there are more than ten lines, none of them with the cause, more than 5 % of a core, more than five
seconds, or a message less. Prints JSON Lines.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

INTEROP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(INTEROP, "agent"), os.path.join(INTEROP, "aries")]
from server import Postgres  # noqa: E402

MOST_LINES, MOST_SHARE, MOST_SECONDS = 10, 0.05, 5.0


class Agent:
    def __init__(self, program, folder, store, log):
        self.log = log
        data = os.path.join(folder, "data")
        options = ["--store", store] if store else []
        self.talk = open(self.log, "wb")
        self.process = subprocess.Popen(
            [program, "agent", "run", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--data", data, "--json",
             *options], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.talk)
        for line in self.process.stdout:
            event = json.loads(line)
            if event["event"] == "cloud-agent":
                self.link, self.admin = event["link"], event["admin"]
                break
        else:
            raise SystemExit(f"outages: the agent ended with {self.process.wait()}: {open(self.log).read()}")
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def processor(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def lines(self):
        with open(self.log, encoding="utf-8") as log:
            return log.read().splitlines()

    def get(self, path):
        try:
            with urllib.request.urlopen(self.admin + path, timeout=3) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError as error:
            return 0, str(error)

    def status(self):
        return json.loads(self.get("status")[1])

    def stop(self):
        self.process.terminate()
        return self.process.wait(60)


class FullDisk:
    """A small file system of its own, filled to the last byte."""

    cause = "cloud.store.full"

    def __init__(self, folder):
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=48m,mode=0700", "tmpfs", folder], check=True)
        self.folder, self.store = folder, None

    def begin(self):
        with open(os.path.join(self.folder, "filler"), "wb", buffering=0) as filler:
            block = bytes(65536)
            while len(block):
                try:
                    filler.write(block)
                except OSError:
                    block = block[:len(block) // 2]

    def end(self):
        os.remove(os.path.join(self.folder, "filler"))

    def close(self):
        subprocess.run(["umount", "-l", self.folder], check=False)


class DatabaseAway:
    """A database whose server is ended at once, and started again."""

    cause = "cloud.store.unavailable"

    def __init__(self, folder):
        self.postgres = Postgres(folder)
        self.store = self.postgres.store

    def begin(self):
        self.postgres.stop()

    def end(self):
        self.postgres.start()

    def close(self):
        self.postgres.stop()


def measure(name, outage, arguments, folder, log):
    agent = Agent(arguments.program, folder, outage.store, log)
    load = subprocess.Popen(
        [arguments.loader, "bench", "agent-soak", agent.link, "--rate", str(arguments.rate), "--accounts", "10", "--for",
         f"{arguments.seconds + 30}s", "--sample", "600s"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True)
    time.sleep(10)
    before = agent.status()
    if before["taken"] < 10:
        raise SystemExit("outages: the load did not begin")
    lines, processor, start = len(agent.lines()), agent.processor(), time.monotonic()
    outage.begin()
    time.sleep(arguments.seconds - (time.monotonic() - start))
    during = agent.status()
    ready = agent.get("readyz")
    share = (agent.processor() - processor) / (time.monotonic() - start)
    said = agent.lines()[lines:]
    taken = agent.status()["taken"]
    outage.end()
    # The disk has room, or the database answers again, from here on.
    end = time.monotonic()
    while time.monotonic() - end < 60:
        if agent.get("readyz")[0] == 200 and agent.status()["taken"] > taken:
            break
        time.sleep(0.05)
    recovery = time.monotonic() - end
    print(f"outages: {name}: {len(said)} lines, {share:.1%} of a core, recovery {recovery:.2f} s; waiting for the load to end",
          file=sys.stderr, flush=True)
    output, errors = load.communicate(timeout=arguments.seconds + 300)
    result = json.loads(output.splitlines()[-1]) if load.returncode == 0 else {"failed": errors[-500:]}
    after = agent.lines()[lines + len(said):]
    agent.stop()
    row = {
        "outage": name, "seconds": arguments.seconds, "rate": arguments.rate, "lines": len(said), "share": round(share, 4),
        "recovery": round(recovery, 2), "failures": during["storeFailures"] - before["storeFailures"],
        "deferred": during["deferred"] - before["deferred"], "redelivered": during["handedOut"] - before["handedOut"],
        "readyz": ready[1].strip(),
        "load": {name: value for name, value in result.items() if name not in ("schema", "version", "bench", "operation")},
    }
    print(json.dumps(row), flush=True)
    for line in said + after:
        print(f"  {line}", file=sys.stderr)
    complaints = []
    if len(said) > MOST_LINES:
        complaints.append(f"{len(said)} lines")
    if not any(outage.cause in line for line in said):
        complaints.append("no line has the cause")
    if share > MOST_SHARE:
        complaints.append(f"{share:.1%} of a core")
    if recovery > MOST_SECONDS:
        complaints.append(f"recovery took {recovery:.1f} s")
    if load.returncode:
        complaints.append("messages were lost, or the load failed: " + errors[-300:])
    return complaints


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--loader", required=True)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--rate", type=int, default=50)
    parser.add_argument("--only", choices=["disk", "database"])
    arguments = parser.parse_args()
    complaints = []
    for name, kind in (("disk", FullDisk), ("database", DatabaseAway)):
        if arguments.only not in (None, name):
            continue
        if name == "database" and not Postgres.isInstalled():
            print("outages: SKIPPED database: no PostgreSQL")
            continue
        # The log is not on the disk that is full.
        with tempfile.TemporaryDirectory(dir="/tmp") as folder, tempfile.NamedTemporaryFile() as log:
            outage = kind(folder)
            try:
                complaints += [f"{name}: {words}" for words in measure(name, outage, arguments, folder, log.name)]
            finally:
                outage.close()
    for words in complaints:
        print(f"outages: {words}", file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
