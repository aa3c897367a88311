#!/bin/bash
# Our proximity sensor on a real BlueZ in an emulated machine, among phones on Bumble's host stack that speak Herald.
# Skips, and says so, where the machine for it cannot be had. SYMBOLON is the program to use; else it is built.
set -euo pipefail
. "$(dirname "$0")/environment.sh"

export PYTHONDONTWRITEBYTECODE=1
Scripts/interop-ble-setup.sh || { [ $? -eq 77 ] && exit 0 || exit 1; }
symbolon=${SYMBOLON:-$PWD/.build/release/symbolon}
[ -n "${SYMBOLON:-}" ] || Scripts/build.sh >&2
peers=Tests/Interop/peers

echo "interop-herald: the phones' bytes"
.build-interop/ble/venv/bin/python "$peers/herald_wire_test.py" "${SYMBOLON_VECTORS:-../shared/vectors}"

echo "interop-herald: the sensor among phones"
# Each --peer is a controller on the air; the first one's command uses them all. A machine that fails, as Debian's kernel makes
# it now and then, is no verdict, and is started again, twice at most.
for attempt in 1 2 3; do
    status=0
    Scripts/interop-ble.sh --seconds 900 --controllers 1 --air "" \
        --peer "python $peers/herald_check.py --share \$SHARE --symbolon '$symbolon'" --peer true --peer true --peer true --peer true \
        -- /usr/bin/python3 Tests/Interop/bluetooth/guest-jobs.py /run/share/jobs || status=$?
    [ $status -eq 125 ] || break
    echo "interop-herald: the machine failed $attempt times"
done
exit "$status"
