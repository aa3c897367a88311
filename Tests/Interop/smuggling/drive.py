"""Looks for requests that a proxy and our server count differently (RFC 9112 section 11.2).

drive.py --server WEB-PEER [--every N] [--fronts NAMES] [--only KIND]: sends every case of the corpus alone, pipelined
and byte by byte, directly to the server and through each front.
drive.py --self-test: the same with servers that have a planted fault each, which must be found.

Prints JSON Lines: one for each run with a fault, with its bytes, and one summary for each front. In a summary, `refused by front` are
runs of which the front forwarded nothing, and `logged_by_front` is the front's own count of what it forwarded, beside ours. Ends with
status 1 if there is any fault.

A case of the corpus (framing.py, syntax.py) is `valid` (must be answered), `invalid` (must be refused with one of the statuses in
verdicts.py, and closed), `may be refused` (the RFCs allow both, or our policy refuses it: a path with `..`, TRACE, unknown methods),
or `cut` (truncated; the client closes its half, and no answer is due).

Directly a fault is: an invalid case answered, a valid one refused, no answer to a case that is not truncated, another number of
answers than requests, a body of another length, or other answers byte by byte than in one piece. Behind a front a fault is: another
number of answers than the front forwarded requests, an answer for another request, or the next user's request on the same connection
refused or not answered; a refusal by front or server is none. The front marks each request that it forwards with a secret word, and the
relay (exchange.py) counts that word, so that no reading of the framing is needed. Both fronts refuse or rewrite most malformed requests;
the direct part is therefore the stricter one. pipelines.py sends random pipelines of valid requests in random pieces.
"""

import argparse
import collections
import concurrent.futures
import json
import multiprocessing
import os
import secrets
import signal
import subprocess
import sys
import time

import faulty_server
import fronts
from corpus import corpus
from exchange import Exchange
from messages import CUT
from reading import answers
from verdicts import BYTEWISE, MODES, FrontJudge, judge_direct, sent

DIRECT = "direct"
# Bytes of each part of a run that are printed.
SHOWN = 600


def text(raw):
    return bytes(raw[:SHOWN]).decode("latin-1")


def exchange_bytes(raw, exchange):
    """The bytes of a run, for its line in the output."""
    lines = {"sent": text(raw), "received": text(exchange.client.received if exchange.client else b"")}
    if exchange.links:
        lines["forwarded"] = [text(link.front.received) for link in exchange.links]
        lines["answered"] = [text(link.server.received) for link in exchange.links]
    return lines


class Campaign:
    """All cases through one front, or directly."""

    def __init__(self, name, server):
        self.name, self.server = name, server
        self.word = b"word" + secrets.token_hex(8).encode()
        self.judge = FrontJudge(self.word)
        self.counts = collections.Counter()
        self.forwarded = 0
        self.faults = []

    def run(self, cases):
        begun = time.monotonic()
        summary = {"front": self.name, "cases": len(cases)}
        if self.name == DIRECT:
            self.run_all(cases, None)
        else:
            with fronts.Front(self.name, self.word) as front:
                self.run_all(cases, front)
                summary.update(forwarded=self.forwarded, logged_by_front=front.logged())
        kinds = ("sent", "refused by front", "refused by ours", "agreed", "disagreed")
        summary.update({kind: self.counts[kind] for kind in kinds})
        summary["seconds"] = round(time.monotonic() - begun, 1)
        return summary, self.faults

    def run_all(self, cases, front):
        for number, case in enumerate(cases):
            statuses = {}
            for mode in MODES:
                address = front.address if front else self.server
                exchange = Exchange(address, self.server, self.word, front and front.listener)
                raw, listens = sent(case, mode), True
                try:
                    exchange.run(raw, mode == BYTEWISE, case.expected == CUT)
                    fault, outcome = self.outcome(case, mode, exchange, statuses)
                except ConnectionRefusedError:
                    listens = False
                    fault, outcome = "nothing listens any more: the run before this one ended it", "disagreed"
                self.counts["sent"] += 1
                self.counts[outcome] += 1
                if fault:
                    self.faults.append({
                        "front": self.name, "case": number, "kind": case.kind, "variant": case.variant, "mode": mode,
                        "expected": case.expected, "fault": fault, **exchange_bytes(raw, exchange)})
                if not listens:
                    return

    def outcome(self, case, mode, exchange, statuses):
        """Returns the fault of a run, None if there is none; and the kind as which it is counted."""
        if self.name != DIRECT:
            fault = self.judge.judge(case, exchange)
            tags = sum(len(self.judge.forwarded(link)) for link in exchange.links)
            self.forwarded += tags
            found = [answer for link in exchange.links for answer in answers(bytes(link.server.received))]
        else:
            fault, found = judge_direct(case, mode, exchange)
            tags = 1
            statuses[mode] = [answer.status for answer in found]
            if not fault and mode == BYTEWISE and case.expected != CUT and statuses[mode] != statuses["pipelined"]:
                fault = "%s byte by byte, %s in one piece" % (statuses[mode], statuses["pipelined"])
        if fault:
            return fault, "disagreed"
        if not tags:
            return None, "refused by front"
        return None, "refused by ours" if any(answer.refuses for answer in found) else "agreed"


def run_campaign(name, server, cases):
    return Campaign(name, server).run(cases)


def run_campaigns(names, server, cases, jobs):
    """Runs fronts in processes of their own; yields their summaries and faults."""
    context = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(jobs, context) as pool:
        waiting = [pool.submit(run_campaign, name, server, cases) for name in names]
        try:
            for future in concurrent.futures.as_completed(waiting):
                yield future.result()
        except BaseException:
            # An interrupted run ends the fronts too: each process ends its own.
            pool.shutdown(wait=False, cancel_futures=True)
            for child in multiprocessing.active_children():
                child.terminate()
            raise


def print_line(record):
    print(json.dumps(record), flush=True)


def test_server(options, cases):
    """Starts our server at a free port of its choice, and tests it; the exit status."""
    server = subprocess.Popen([options.server, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        words = server.stdout.readline().split()
        if words[:1] != [b"listening"]:
            raise SystemExit("smuggling: %s does not serve." % options.server)
        address = ("127.0.0.1", int(words[1]))
        bad = 0
        for summary, faults in run_campaigns(options.fronts, address, cases, options.jobs):
            for fault in faults:
                print_line(fault)
            print_line(summary)
            bad += len(faults)
        if server.poll() is not None:
            print("smuggling: FAILED: the server ended with %d" % server.returncode, file=sys.stderr)
            return 1
    finally:
        server.terminate()
        server.wait()
    if bad:
        print("smuggling: FAILED: %d runs with a fault" % bad, file=sys.stderr)
    return 1 if bad else 0


# For each planted fault the kind of cases that show it, and the ways on which it must be seen. Both fronts refuse two
# lengths and blanks before a colon themselves; nginx sends the length before the fields of the client.
PLANTED = {
    "prefix": ("name before Content-Length", (DIRECT, "haproxy")),
    "first-length": ("two lengths", (DIRECT,)),
    "blank": ("decorated field", (DIRECT,)),
    "get-without-body": ("name before a length in a GET", (DIRECT, "nginx", "haproxy")),
}


def self_test(cases):
    """Every planted fault must be found, and none without one; the exit status."""
    missed = 0
    for fault, (kind, ways) in PLANTED.items():
        chosen = [case for case in cases if case.kind == kind][:90]
        for planted in (fault, "none"):
            address = faulty_server.FaultyServer(planted).address
            for way in ways:
                summary, faults = Campaign(way, address).run(chosen)
                print_line({"self-test": planted, "kind": kind, **summary})
                if bool(faults) != (planted == fault):
                    missed += 1
                    print("smuggling: FAILED: the fault %s, %s: %d runs with a fault" % (planted, way, len(faults)),
                          *(json.dumps(record) for record in faults[:3]), sep="\n", file=sys.stderr)
    return 1 if missed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--server", help="the program web-peer")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--every", type=int, default=1, help="send each n-th case only")
    parser.add_argument("--only", default="", help="a part of the names of the kinds to send")
    parser.add_argument("--fronts", type=lambda names: names.split(","), default=[DIRECT, *fronts.NAMES])
    parser.add_argument("--jobs", type=int, default=min(4, os.cpu_count() or 1), help="fronts at a time")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    cases = [case for case in corpus() if options.only in case.kind]
    if options.self_test:
        return self_test(cases)
    if not options.server:
        parser.error("--server or --self-test is needed")
    return test_server(options, cases[::options.every])


if __name__ == "__main__":
    sys.exit(main())
