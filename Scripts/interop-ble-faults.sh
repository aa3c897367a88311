#!/bin/bash
# Puts `symbolon receive` and `send` under faults on a real BlueZ: a daemon that is killed, adapters that are switched off,
# a verifier that is killed, a second one, missing rights. Skips, and says so, where the machine for it cannot be had.
set -euo pipefail
. "$(dirname "$0")/environment.sh"

Scripts/interop-ble-setup.sh || { [ $? -eq 77 ] && exit 0 || exit 1; }
swift build --product symbolon </dev/null >&2
echo "interop-ble: faults on software controllers"
Scripts/interop-ble.sh --seconds 300 --air "" -- Tests/Interop/bluetooth/faults.sh "$PWD/.build/debug/symbolon"
