#!/bin/sh
# Every gate: `make check`, then each long gate of Scripts/gates.table; a failed one does not keep the others from running.
# `check-full.sh GATE...` runs these alone. Ends with the time of each step and with what failed; 100 minutes or more.

set -eu
cd "$(dirname "$0")/.."
. Scripts/steps.sh

mkdir -p .build/check-full
place=.build/check-full
if [ $# -eq 0 ]; then
    set -- check $(awk '/^[a-z]/ { print $1 }' Scripts/gates.table)
fi
: >"$place/times"
failed=""
for gate in "$@"; do
    echo "==> $gate"
    log=$place/$gate.log
    began=$(date +%s)
    status=0
    timeout 5400 make --no-print-directory "$gate" </dev/null >"$log" 2>&1 || status=$?
    seconds=$(($(date +%s) - began))
    outcome=passed
    if grep -q 'SKIPPED: ' "$log"; then outcome=$(grep -o 'SKIPPED: .*' "$log" | head -n 1); fi
    if [ $status -ne 0 ]; then
        outcome="FAILED with status $status, see $log"
        failed="$failed $gate"
        complaints "$log"
    fi
    printf '%6d s  %-20s %s\n' $seconds "$gate" "$outcome" | tee -a "$place/times"
done
Scripts/secrets-in-logs.sh "$place"/*.log || failed="$failed secrets"
echo "==> together"
cat "$place/times"
[ -z "$failed" ] || { echo "check-full: failed:$failed" && exit 1; }
echo "check-full: all passed"
