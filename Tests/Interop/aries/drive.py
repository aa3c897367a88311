"""Our command beside live agents of ACA-Py, on this machine alone.

drive.py SYMBOLON: the program under test. A line for each case, "ok" or "FAILED" with its reason, and in the end a line of
JSON that counts them; status 1 when any failed.
"""

import os
import signal
import sys
import tempfile

from direct import Direct
from grant import grants
from harness import Harness
from mediated import KINDS, Mediated, mediators
from peers import Hooks, Peer
from report import Report
from reuse import LEFT_OUT, DocumentHost, OursWithOurs, Reuse
from timing import measure
from tool import Tool
from transports import transports

# Later agents: their version, a name, and the versions of Python that they run with.
LATER = [("1.4.0", "modern", "3.12 or 3.13"), ("1.7.0", "newest", "3.13")]
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
    legacy = os.path.join(PLACE, "venv-0.12")
    host = DocumentHost(folder)
    alice = Peer("alice", legacy, folder, hooks)
    peers = [("0.12.8", Peer("faber", legacy, folder, hooks, roots=host.roots))]
    for version, name, pythons in LATER:
        venv = os.path.join(PLACE, "venv-" + version.rsplit(".", 1)[0])
        if os.path.exists(os.path.join(venv, "installed")):
            peers.append((version, Peer(name, venv, folder, hooks, roots=host.roots)))
        else:
            report.skip(f"acapy-agent {version}: there is no Python of {pythons}")
    between = mediators(PLACE, folder, hooks)
    all_peers = [alice, *(peer for _, peer in peers), *between]
    tool = Tool(folder, "symbolon")
    try:
        for peer in all_peers:
            peer.awaitReady()
        host.awaitReady()
        tool.listen()
        timed = Tool(folder, "timed")
        report.group("0.12.8")("accept to completed is measured", lambda: figures.update(
            acceptMilliseconds=measure(timed, peers[0][1], alice, report.say)))
        for version, peer in peers:
            Direct(peer, tool, report.group(version), version == "0.12.8").cases()
            Reuse(version, peer, tool, host).cases(report.group(version))
            Harness(version, peer, folder).cases(report.group("harness, " + version), between[1])
        OursWithOurs(tool, host, folder).cases(report.group("ours"))
        for form in LEFT_OUT:
            report.say("not there:", form)
        transports(report, legacy, folder, hooks, alice)
        figures.update(grants(report, legacy, folder, hooks))
        for mediator, kind in zip(between, KINDS):
            behind.append(Mediated(mediator, kind, peers[0][1], peers, folder))
            behind[-1].cases(report.group("mediator, " + kind[0]))
    finally:
        for one in [tool, *(case.tool for case in behind)]:
            one.stop()
        for peer in all_peers:
            peer.stop()
        host.stop()
    return report.finish(figures)


if __name__ == "__main__":
    sys.exit(main())
