#!/bin/bash
# Runs in the machine of Scripts/bluez-machine.sh: `conformance.sh TESTS ADAPTERS`, the rules of the radio seam with these
# adapters, and says how many were tried.
set -o pipefail
log=$(mktemp)
env SYMBOLON_BLUEZ="$2" SWIFT_BACKTRACE=enable=no LLVM_PROFILE_FILE=/dev/null \
    "$1" --testing-library swift-testing --filter BlueZRadioTests.ConformanceTests 2>&1 | tee "$log"
status=$?
# A name that fits no test would pass too.
grep -qE 'with [0-9]+ test cases passed' "$log" && exit $status
exit 1
