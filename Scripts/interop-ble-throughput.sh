#!/bin/bash
# How fast `symbolon send` and `receive` are over a real BlueZ, beside the most that the same air carries in the same run;
# prints a line of JSON for each air. Figures, not a gate. Skips, and says so, where the machine for it cannot be had.
#     Scripts/interop-ble-throughput.sh [BYTES [TIMES]]      500000, 3; the median counts
set -euo pipefail
. "$(dirname "$0")/environment.sh"

bytes=${1:-500000} times=${2:-3}
parts=Tests/Interop/bluetooth
Scripts/interop-ble-setup.sh >&2 || { [ $? -eq 77 ] && exit 0 || exit 1; }
symbolon=${SYMBOLON:-$PWD/.build/release/symbolon}
[ -n "${SYMBOLON:-}" ] || Scripts/build.sh >&2

# The middle one of the figures for bytes a second on lines that hold a word.
median() {
    grep "$1" "$2" | grep -o '"bytesPerSecond": [0-9]*' | cut -d ' ' -f 2 | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

report() {
    ours=$(median ours "$2")
    bare=$(median bare "$2")
    awk -v air="$1" -v ours="$ours" -v bare="$bare" -v bytes="$bytes" 'BEGIN {
        printf "{\"air\": \"%s\", \"bytes\": %d, \"bytesPerSecond\": %d, \"bareBytesPerSecond\": %d, \"share\": %.3f}\n", air, bytes, ours, bare, ours / bare }'
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
# The handling of one frame more or less is not what is measured: the bare transfer begins when the machine has done its part.
Scripts/interop-ble.sh --seconds 300 --air "--rate 100" --peer "$parts/bare.py serve \$PEER_HCI $bytes" \
    --peer "$parts/bare.py send \$PEER_HCI $bytes" -- $parts/throughput.sh "$symbolon" "$bytes" "$times" | tee "$log" >&2
report "software controllers at 100 kB/s" "$log"
Scripts/interop-ble.sh --seconds 300 -- bash -c \
    "for n in \$(seq $times); do /usr/bin/python3 $parts/bare-bluez.py $bytes; done; $parts/throughput.sh $symbolon $bytes $times" | tee "$log" >&2
report btvirt "$log"
