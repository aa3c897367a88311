#!/bin/bash
# Runs the rules of the radio seam on a real BlueZ, on both airs: `interop-ble-conformance.sh [air|btvirt]...`.
# Skips, and says so, where the machine for it cannot be had. The tests are those of the last `make test`, or are built.
set -euo pipefail
. "$(dirname "$0")/environment.sh"

Scripts/interop-ble-setup.sh || { [ $? -eq 77 ] && exit 0 || exit 1; }
if [ -z "${SYMBOLON_TESTS:-}" ]; then
    swift build --build-tests --enable-code-coverage </dev/null >&2
    SYMBOLON_TESTS=$(echo "$PWD"/.build/debug/*PackageTests.xctest)
fi

run() {
    echo "interop-ble: the rules of the seam on $1"
    adapters=$2
    seconds=$3
    shift 3
    Scripts/interop-ble.sh --seconds "$seconds" --tries 2 "$@" -- \
        Tests/Interop/bluetooth/conformance.sh "$SYMBOLON_TESTS" "$adapters"
}

[ $# -gt 0 ] || set -- air btvirt
for air in "$@"; do
    case "$air" in
    air) run "software controllers" hci0,hci1,hci2 400 --controllers 3 --air "" ;;
    # btvirt gives every link the same number, so it has no room for two centrals; it tells of an advertiser once a scan.
    btvirt) run btvirt hci0,hci1 600 ;;
    *) echo "usage: Scripts/interop-ble-conformance.sh [air|btvirt]..." >&2 && exit 2 ;;
    esac
done
