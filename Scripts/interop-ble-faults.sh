#!/bin/bash
# Puts `symbolon receive` and `send` under faults on a real BlueZ: a daemon that is killed, adapters that go off or are pulled
# out, a wallet that walks away, links that are cut, a second verifier, missing rights. A line for each.
#     Scripts/interop-ble-faults.sh [some|all]      all; some is what continuous integration has time for
# Skips, and says so, where the machine for it cannot be had.
set -euo pipefail
. "$(dirname "$0")/environment.sh"

Scripts/interop-ble-setup.sh || { [ $? -eq 77 ] && exit 0 || exit 1; }
symbolon=${SYMBOLON:-$PWD/.build/release/symbolon}
[ -n "${SYMBOLON:-}" ] || Scripts/build.sh >&2
echo "interop-ble: faults on software controllers"
exec Scripts/interop-ble.sh --seconds 1500 --tries 2 --air "" -- Tests/Interop/bluetooth/faults.sh "$symbolon" "${1:-all}"
