#!/bin/sh
# Puts simulated hand-overs under faults, in a release build: the seeds 1 to SEEDS (2000 if not given), which must visit
# everything that can be visited, and as many seeds that the commit decides. Then two processes carry one seed out and
# must print the same digest.

set -eu
seeds="${1:-2000}"
"$(dirname "$0")/setup.sh" build
. "$(dirname "$0")/environment.sh"
swift build $release --product symbolon-lab >&2
lab=.build/release/symbolon-lab
commit=$(git rev-parse HEAD 2>/dev/null || echo 0)
derived=$(printf '%d' "0x$(printf '%s' "$commit" | cut -c1-12)")
echo "commit $commit"
coverage=""
if [ "$seeds" -ge 2000 ]; then
    coverage="--coverage"
fi
$lab sim run --seed 1 --count "$seeds" $coverage
$lab sim run --seed "$derived" --count "$seeds"
one=$($lab sim run --seed "$derived")
other=$($lab sim run --seed "$derived")
if [ "$one" != "$other" ]; then
    echo "Two processes disagree about seed $derived:" >&2
    printf '%s\n%s\n' "$one" "$other" >&2
    exit 10
fi
printf '%s\n' "$one"
