"""Printed codes: ours against those of other makers, and ours read by other readers.

    drive.py PROGRAM KIT VECTORS [--seed N] [--codes N] [--only PART]

PROGRAM is `symbolon`, KIT the folder of the kit of forgeries, VECTORS that of the outside vectors. Parts:
  health-certificates  the published codes of 16 countries, genuine under their signer at their clock, and with changed bytes
  library-codes        the published codes that a library made, each as its row says
  claim-169            codes made now by the package claim169
  pixelpass            codes made now of the kit's credentials by cbor2, zlib and base45, with the verdict of the file
  drawn                codes that we draw, with the credential's value for the same packages, and read by zbarimg
  hostile              codes that want to harm or deceive
  timing               how long a verdict takes beside readers in Python; printed, never judged
Without the outside vectors the first two say that they are skipped. Prints JSON Lines: one for each fault, with the code's
text, and one for each part. Ends with status 1 if there is any fault.
"""

import argparse
import json
import os
import sys
import tempfile

from hostile import hostile
from made import COUNT, claim_codes, drawn, kit_codes
from program import Program, Verdict
from published import health_certificates, library_codes
from timing import timing

PARTS = {"health-certificates": health_certificates, "library-codes": library_codes, "claim-169": claim_codes,
         "pixelpass": kit_codes, "drawn": drawn, "hostile": hostile, "timing": timing}
# The most characters of a text in the line of a fault.
SHOWN = 4000


class Run:
    """What all parts share, and the faults that they find."""

    def __init__(self, arguments, folder):
        self.program = Program(arguments.program, folder)
        self.kit, self.vectors = os.path.abspath(arguments.kit), os.path.abspath(arguments.vectors)
        self.seed, self.codes, self.faults = arguments.seed, arguments.codes, 0
        self.cases = json.load(open(os.path.join(self.kit, "manifest.json")))["cases"]

    def check(self, holds, what, expected, found, text=None):
        if holds:
            return
        self.faults += 1
        if isinstance(found, Verdict):
            found = [found.result, *[[name, outcome, code] for name, outcome, code in found.checks if code]]
        record = {"fault": what, "expected": expected, "found": found}
        if text is not None:
            record["text"] = text[:SHOWN]
        print_line(record)

    def say(self, part, **figures):
        print_line({"part": part, "seed": self.seed, **figures})


def print_line(record):
    print(json.dumps(record, ensure_ascii=False), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("kit")
    parser.add_argument("vectors")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--codes", type=int, default=COUNT, help="how many of the kit's credentials become PixelPass codes")
    parser.add_argument("--only", choices=PARTS)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="codes-") as folder:
        run = Run(arguments, folder)
        for name, part in PARTS.items():
            if arguments.only not in (None, name):
                continue
            if part in (health_certificates, library_codes) and not os.path.exists(os.path.join(run.vectors, "codes")):
                run.say(name, skipped="the outside vectors are not at hand")
                continue
            part(run)
    print_line({"codes": "ended", "faults": run.faults})
    return 1 if run.faults else 0


sys.exit(main())
