#!/bin/bash
# Runs the rules of the radio seam on a real BlueZ, on both airs: `interop-ble-conformance.sh [btvirt|air]...`.
# Skips, and says so, where the machine for it cannot be had.
set -euo pipefail
. "$(dirname "$0")/environment.sh"

Scripts/interop-ble-setup.sh || { [ $? -eq 77 ] && exit 0 || exit 1; }
swift build --build-tests </dev/null >&2
bundle=$(echo .build/debug/*PackageTests.xctest)

run() {
    echo "interop-ble: the rules of the seam on $1"
    adapters=$2
    lacks=$3
    shift 3
    Scripts/interop-ble.sh --seconds 280 "$@" -- env "SYMBOLON_BLUEZ=$adapters" "SYMBOLON_BLUEZ_LACKS=$lacks" SWIFT_BACKTRACE=enable=no \
        "$bundle" --testing-library swift-testing --filter BlueZRadioTests.ConformanceTests
}

[ $# -gt 0 ] || set -- air btvirt
for air in "$@"; do
    case "$air" in
    # btvirt gives every link the same number, so it has no room for two centrals, and tells of an advertiser once a scan.
    btvirt) run btvirt hci0,hci1 repeatedReports ;;
    air) run "software controllers" hci0,hci1,hci2 "" --controllers 3 --air "" ;;
    *) echo "usage: Scripts/interop-ble-conformance.sh [btvirt|air]..." >&2 && exit 2 ;;
    esac
done
