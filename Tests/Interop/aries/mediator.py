"""One mediator of ACA-Py for others to measure: writes the link of an invitation, and ends when its standard input does.

Usage: mediator.py PLACE, where PLACE has venv-0.12 as Scripts/interop-setup.sh installs it.
"""

import os
import sys
import tempfile

from mediated import MEDIATION
from peers import Hooks, Peer


def main():
    with tempfile.TemporaryDirectory(prefix="symbolon-mediator-") as folder:
        hooks = Hooks()
        mediator = Peer("mediator", os.path.join(sys.argv[1], "venv-0.12"), folder, hooks, *MEDIATION)
        try:
            mediator.awaitReady()
            _, made = mediator.invite("out-of-band", ["didexchange/1.1"], True)
            print(made["invitation_url"], flush=True)
            sys.stdin.read()
        finally:
            mediator.stop()


if __name__ == "__main__":
    main()
