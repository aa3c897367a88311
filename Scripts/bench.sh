#!/bin/sh
# Measures hand-overs in virtual time, the cores, envelopes and credentials beside the bare libraries, a cloud agent beside ACA-Py's
# mediator; JSON Lines on standard output.
# Nothing is judged here: figures are for people.

set -eu
"$(dirname "$0")/setup.sh" build
. "$(dirname "$0")/environment.sh"
swift build $release --product symbolon >&2
# shellcheck disable=SC2086
swift build $release --product symbolon-lab >&2
.build/release/symbolon-lab bench pipeline --json
.build/release/symbolon-lab bench didcomm --json
.build/release/symbolon-lab bench credentials --json
python3 Tests/Interop/credentials/time-large.py .build/release/symbolon
.build/release/symbolon-lab bench herald --json
.build/release/symbolon-lab bench transfer --json
Scripts/bench-agent.sh
