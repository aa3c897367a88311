"""Our command beside live agents of ACA-Py, on this machine alone.

drive.py SYMBOLON: the program under test. A line for each case, "ok" or "FAILED" with its reason, and in the end a line of
JSON that counts them; status 1 when any failed.
"""

import os
import signal
import sys
import tempfile

from direct import Direct
from mediated import KINDS, Mediated, mediators
from peers import Hooks, Peer
from report import Report
from timing import measure
from tool import Tool

PLACE = os.environ.get("SYMBOLON_PEERS", ".build-interop")


def main():
    # The end of the run is the end of its agents too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    # Nothing here goes through a proxy of the machine.
    os.environ["no_proxy"] = "*"
    Tool.binary = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="symbolon-aries.") as folder:
        return cases(folder)


def cases(folder):
    report, hooks, figures, behind = Report("interop", "aries", os.environ.get("ONLY", "")), Hooks(), {}, []
    legacy, modern = os.path.join(PLACE, "venv-0.12"), os.path.join(PLACE, "venv-1.4")
    alice = Peer("alice", legacy, folder, hooks)
    peers = [("0.12.8", Peer("faber", legacy, folder, hooks))]
    if os.path.exists(os.path.join(modern, "installed")):
        peers.append(("1.4.0", Peer("modern", modern, folder, hooks)))
    else:
        report.skip("acapy-agent 1.4.0: there is no Python of 3.12 or 3.13")
    between = mediators(PLACE, folder, hooks)
    all_peers = [alice, *(peer for _, peer in peers), *between]
    tool = Tool(folder, "symbolon")
    try:
        for peer in all_peers:
            peer.awaitReady()
        tool.listen()
        timed = Tool(folder, "timed")
        report.group("0.12.8")("accept to completed is measured", lambda: figures.update(
            acceptMilliseconds=measure(timed, peers[0][1], alice, report.say)))
        for version, peer in peers:
            Direct(peer, tool, report.group(version), version == "0.12.8").cases()
        for mediator, kind in zip(between, KINDS):
            behind.append(Mediated(mediator, kind, peers[0][1], peers, folder))
            behind[-1].cases(report.group("mediator, " + kind[0]))
    finally:
        for one in [tool, *(case.tool for case in behind)]:
            one.stop()
        for peer in all_peers:
            peer.stop()
    return report.finish(figures)


if __name__ == "__main__":
    sys.exit(main())
