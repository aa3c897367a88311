#!/bin/sh
# A thousand transfers between real processes, with restarts and cancels of either side; figures at the end.
# Takes a quarter of an hour or more and needs python3; make soak-short is the short form.

set -eu
"$(dirname "$0")/setup.sh" build
. "$(dirname "$0")/environment.sh"
swift build $release --product symbolon >&2
python3 Tests/Interop/soak/transfers.py "${TRANSFERS:-1000}" "${SEED:-1}"
