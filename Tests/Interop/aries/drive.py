"""Our command beside live agents of ACA-Py, on this machine alone.

drive.py SYMBOLON: the program under test. A line for each case, "ok" or "FAILED" with its reason, and in the end a line of
JSON that counts them; status 1 when any failed.
"""

import json
import os
import signal
import sys
import tempfile
import time
import traceback

from direct import Direct
from mediated import KINDS, Mediated, mediators
from peers import Failed, Hooks, Peer
from timing import measure
from tool import Tool

PLACE = os.environ.get("SYMBOLON_PEERS", ".build-interop")


class Report:
    """Runs cases, and keeps how they went."""

    def __init__(self, only):
        self.only, self.ok, self.failed, self.skipped, self.began = only, 0, [], [], time.monotonic()

    def group(self, name):
        def run(case, body):
            title = f"{name}: {case}"
            if self.only and self.only not in title:
                return
            began = time.monotonic()
            try:
                body()
            except (Failed, OSError, KeyError, IndexError) as error:
                self.failed.append(title)
                say("FAILED", title, "-", error)
                if not isinstance(error, Failed):
                    traceback.print_exc()
            else:
                self.ok += 1
                say("ok", f"{title} ({time.monotonic() - began:.2f} s)")

        return run

    def skip(self, what):
        self.skipped.append(what)
        say("SKIPPED", what)

    def finish(self, figures):
        print(json.dumps({
            "interop": "aries", "ok": self.ok, "failed": self.failed, "skipped": self.skipped,
            "seconds": round(time.monotonic() - self.began, 1), **figures}), flush=True)
        return 1 if self.failed or not self.ok else 0


def say(*words):
    print("interop:", *words, flush=True)


def main():
    # Whoever ends the run ends its agents too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    # Nothing here goes through a proxy of the machine.
    os.environ["no_proxy"] = "*"
    Tool.binary = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="symbolon-aries.") as folder:
        return cases(folder)


def cases(folder):
    report, hooks, figures, behind = Report(os.environ.get("ONLY", "")), Hooks(), {}, []
    legacy, modern = os.path.join(PLACE, "venv-0.12"), os.path.join(PLACE, "venv-1.4")
    alice = Peer("alice", legacy, folder, hooks)
    peers = [("0.12.8", Peer("faber", legacy, folder, hooks))]
    if os.path.exists(os.path.join(modern, "installed")):
        peers.append(("1.4.0", Peer("modern", modern, folder, hooks)))
    else:
        report.skip("acapy-agent 1.4.0: there is no Python of 3.12 or 3.13")
    between = mediators(PLACE, folder, hooks)
    everybody = [alice, *(peer for _, peer in peers), *between]
    tool = Tool(folder, "symbolon")
    try:
        for peer in everybody:
            peer.awaitReady()
        tool.listen()
        timed = Tool(folder, "timed")
        report.group("0.12.8")("accept to completed is measured", lambda: figures.update(
            acceptMilliseconds=measure(timed, peers[0][1], alice, say)))
        for version, peer in peers:
            Direct(peer, tool, report.group(version), version == "0.12.8").cases()
        for mediator, kind in zip(between, KINDS):
            behind.append(Mediated(mediator, kind, peers[0][1], peers, folder))
            behind[-1].cases(report.group("mediator, " + kind[0]))
    finally:
        for one in [tool, *(case.tool for case in behind)]:
            one.stop()
        for peer in everybody:
            peer.stop()
    return report.finish(figures)


if __name__ == "__main__":
    sys.exit(main())
