"""Our command beside live agents of ACA-Py, on this machine alone.

drive.py SYMBOLON FOLDER: the program under test, and an empty folder. A line for each case, "ok" or "FAILED" with its
reason, and in the end a line of JSON that counts them; status 1 when any failed.
"""

import json
import os
import sys
import time
import traceback

from direct import Direct
from peers import Failed, Hooks, Peer
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
    Tool.binary, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
    report, hooks, figures = Report(os.environ.get("ONLY", "")), Hooks(), {}
    legacy, modern = os.path.join(PLACE, "venv-0.12"), os.path.join(PLACE, "venv-1.4")
    peers = [("0.12.8", Peer("faber", legacy, folder, hooks))]
    if os.path.exists(os.path.join(modern, "installed")):
        peers.append(("1.4.0", Peer("modern", modern, folder, hooks)))
    else:
        report.skip("acapy-agent 1.4.0: there is no Python of 3.12 or 3.13")
    tool = Tool(folder, "symbolon")
    try:
        for _, peer in peers:
            peer.awaitReady()
        tool.listen()
        for version, peer in peers:
            Direct(peer, tool, report.group(version), version == "0.12.8").cases()
    finally:
        tool.stop()
        for _, peer in peers:
            peer.stop()
    return report.finish(figures)


if __name__ == "__main__":
    sys.exit(main())
