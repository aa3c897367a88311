#!/bin/sh
# Simulated runs under faults in virtual time, in a release build: `sim.sh [SEEDS]`, `sim.sh phone [SEEDS]` or `sim.sh agent [SEEDS]`.
# Hand-overs: the seeds 1 to SEEDS (2000 if not given), which must visit everything that can be visited, and as many seeds that the
# commit decides; then two processes carry one seed out and must print the same digest. A cloud agent: the seeds 1 to SEEDS (500),
# which from 500 on must visit everything; the tests run the first 12 of them, 40 at full size. Sessions of mobile documents: the seeds
# 1 to SEEDS (10000), which from 5000 on must visit everything, and a hundred that the commit decides, twice with the same digest.

set -eu
. "$(dirname "$0")/environment.sh"

if [ "${1:-}" = agent ]; then
    seeds=${2:-500}
    coverage=""
    [ "$seeds" -lt 500 ] || coverage="--coverage"
    release_programs agent-simulation
    # shellcheck disable=SC2086
    exec "$AGENT_SIMULATION" 1 "$seeds" $coverage
fi
phone=""
if [ "${1:-}" = phone ]; then
    phone=yes
    shift
fi
seeds=${1:-${phone:+10000}}
seeds=${seeds:-2000}
release_programs symbolon-lab
lab=$SYMBOLON_LAB
commit=$(git rev-parse HEAD 2>/dev/null || echo 0)
derived=$(printf '%d' "0x$(printf '%s' "$commit" | cut -c1-12)")
echo "commit $commit"
coverage=""
if [ -n "$phone" ]; then
    [ "$seeds" -lt 5000 ] || coverage="--coverage"
    # shellcheck disable=SC2086
    $lab sim phone --seed 1 --count "$seeds" $coverage
    one=$($lab sim phone --seed "$derived" --count 100)
    other=$($lab sim phone --seed "$derived" --count 100)
    printf '%s\n' "$one"
    [ "$one" = "$other" ] && exit 0
    echo "Two processes disagree about the seeds from $derived:" >&2
    printf '%s\n' "$other" >&2
    exit 10
fi
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
