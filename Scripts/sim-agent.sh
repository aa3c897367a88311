#!/bin/sh
# Puts a cloud agent under faults in virtual time, in a release build: the seeds 1 to SEEDS (500 if not given), which from 500
# on must visit everything that can be visited. The tests run the first 12 of them, 40 at full size.

set -eu
seeds="${1:-500}"
"$(dirname "$0")/setup.sh" build
. "$(dirname "$0")/environment.sh"
swift build $release --product agent-simulation </dev/null >&2
coverage=""
if [ "$seeds" -ge 500 ]; then
    coverage="--coverage"
fi
.build/release/agent-simulation 1 "$seeds" $coverage
