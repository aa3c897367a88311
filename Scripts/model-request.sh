#!/bin/bash
# The model of a verifier's request (Tests/Models/request) in maude: it finds the known attacks on the protocol of today, none on
# the profile, and one for each binding that is out; then the steps of SEEDS (100 if not given) simulated hand-overs of our
# cores, which it must accept, and each planted fault in them, which it must refuse. Skips, and says so, where there is no maude.
set -euo pipefail
. "$(dirname "$0")/environment.sh"

seeds=${1:-100}
if ! command -v maude >/dev/null; then
    echo "model-request: there is no maude, of the Debian package maude; nothing is checked"
    exit 0
fi
python3 -B Tests/Models/request/model.py search
release_programs symbolon-lab
"$SYMBOLON_LAB" sim requests --seed 1 --count "$seeds" | python3 -B Tests/Models/request/model.py traces
