#!/usr/bin/env python3
"""Instances of the cloud agent under load, on replicated PostgreSQL that fails over in every way that is listed.

Each run writes one line of JSON: what was accepted, lost, doubled and out of order, how soon after the promotion messages were taken
again, live lines that were closed, and the codes in the log and in the answers of /readyz. Then follows a table. Fails where a case
does not hold what it has to.
"""

import argparse
import json
import signal
import statistics
import sys
import time
import traceback

from cases import CASES
from trial import Trial


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--loader", required=True, help="the program that runs the clients")
    parser.add_argument("--cases", default="", help="names with spaces between; all but frozen-long if none is given")
    parser.add_argument("--count", type=int, default=1, help="how often each case is run")
    parser.add_argument("--first", type=int, default=1, help="the number of the first run, which decides its moments")
    parser.add_argument("--rate", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", required=True)
    parser.add_argument("--keep", action="store_true", help="keeps the folder of a run that failed")
    parser.add_argument("--list", action="store_true", help="prints the cases")
    return parser.parse_args()


def run(arguments, name, number):
    trial = Trial(arguments, name, number)
    began = time.monotonic()
    try:
        try:
            CASES[name][1](trial)
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            trial.complaints.append(f"{type(error).__name__}: {error} ({place.name}, line {place.lineno})")
        row = trial.row()
    finally:
        # Also when the run is interrupted.
        trial.close()
    return row | {"seconds": round(time.monotonic() - began, 1)}


def shown(values, places=2):
    """The median and the highest of some numbers."""
    values = [value for value in values if value is not None]
    if not values:
        return "–"
    return f"{statistics.median(values):.{places}f}/{max(values):.{places}f}"


def table(rows):
    lines = [["case", "runs", "bad", "accepted", "lost", "doubled", "disordered", "again", "gap", "live ms", "lines", "told/gone"]]
    for name in dict.fromkeys(row["case"] for row in rows):
        own = [row for row in rows if row["case"] == name]
        loaded = [row for row in own if "accepted" in row]

        def total(field, loaded=loaded):
            values = [row[field] for row in loaded if row[field] is not None]
            return str(sum(values)) if values else "–"

        lines.append([
            name, str(len(own)), str(sum(not row["isGood"] for row in own)), total("accepted"), total("lost"), total("doubled"),
            total("misordered"), shown([row["takenAgain"] for row in loaded]), shown([row["gap"] for row in loaded]),
            shown([row["liveDelay"] for row in loaded], 0), total("linesClosed"),
            ", ".join(f"{row['told']}/{row['gone']}" for row in own[:4] if "gone" in row) or "–"])
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip() for line in lines)


def main():
    arguments = options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if arguments.list:
        for name, (words, _) in CASES.items():
            print(f"{name:20} {words}")
        return 0
    names = arguments.cases.split() or [name for name in CASES if name != "frozen-long"]
    for name in names:
        if name not in CASES:
            print(f"failover-agent: there is no case {name}; --list names them", file=sys.stderr)
            return 2
    rows = []
    with open(arguments.out, "w", encoding="utf-8") as out:
        for name in names:
            for number in range(arguments.first, arguments.first + arguments.count):
                row = run(arguments, name, number)
                rows.append(row)
                out.write(json.dumps(row) + "\n")
                out.flush()
                print(json.dumps(row), flush=True)
    print(table(rows))
    bad = [row for row in rows if not row["isGood"]]
    for row in bad:
        print(f"failover-agent: {row['case']} {row['number']}: {'; '.join(row['complaints'])}", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
