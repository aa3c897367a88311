#!/bin/bash
# Every wallet against every verifier over Bluetooth, byte for byte, with and without losses: ours on a real BlueZ in an
# emulated machine, others on Bumble's host stack, as stock Android and iOS among them: `interop-ble-matrix.sh [--full]`.
# --full hands over every credential in each pair; without it a small one each, and one that spans many chunks where chunks
# are lost; a transfer that fails is tried once more, and told of. Skips, and says so, where the machine for it cannot be had.
set -euo pipefail
. "$(dirname "$0")/environment.sh"

full=${1:-}
case "$full" in
"") seconds=720 options="--retries 1" ;;
--full) seconds=5700 options="--full --retries 1" ;;
*) echo "usage: Scripts/interop-ble-matrix.sh [--full]" >&2 && exit 2 ;;
esac
export PYTHONDONTWRITEBYTECODE=1
began=$SECONDS
Scripts/interop-ble-setup.sh || { [ $? -eq 77 ] && exit 0 || exit 1; }
symbolon=${SYMBOLON:-$PWD/.build/release/symbolon}
[ -n "${SYMBOLON:-}" ] || Scripts/build.sh >&2
python=.build-interop/ble/venv/bin/python
peers=Tests/Interop/peers
place=.build-interop/ble/matrix$full
mkdir -p "$place"

# What is handed over: the shared credentials, or pieces of our example.
credentials=$(realpath -m "${SYMBOLON_CREDENTIALS:-../shared/credentials}")
if [ ! -d "$credentials" ]; then
    credentials=$PWD/$place/credentials
    mkdir -p "$credentials"
    for length in 57 915 16811 21180 60419; do head -c $length Examples/credentials/national-id.json >"$credentials/$length"; done
    echo "interop-ble: ${SYMBOLON_CREDENTIALS:-../shared/credentials} is not there; pieces of the example are handed over"
fi

echo "interop-ble: the peers' bytes"
"$python" "$peers/wire_test.py" "${SYMBOLON_VECTORS:-../shared/vectors}"

echo "interop-ble: every wallet against every verifier"
: >"$place/machine.log"
# shellcheck disable=SC2086
"$python" "$peers/matrix.py" --credentials "$credentials" $options >"$place/apart.log" 2>&1 &
apart=$!
trap 'kill $apart 2>/dev/null || true' EXIT
status=0
Scripts/interop-ble.sh --seconds $seconds --air "" \
    --peer "python $peers/matrix.py --share \$SHARE --symbolon '$symbolon' --credentials '$credentials' $options" \
    -- /usr/bin/python3 Tests/Interop/bluetooth/guest-jobs.py /run/share/jobs >"$place/machine.log" 2>&1 &
machine=$!
trap 'kill $apart $machine 2>/dev/null || true' EXIT
tail -f -n +1 --pid=$machine "$place/machine.log" &
wait $machine || status=$?
wait $! || true
wait $apart || status=1
cat "$place/apart.log"
grep -h '^{' "$place/machine.log" "$place/apart.log" | "$python" -c '
import json, sys
parts = [json.loads(line) for line in sys.stdin]
print(json.dumps({
    "transfers": sum(one["transfers"] for one in parts), "failed": sum(one["failed"] for one in parts),
    "retried": sum(one["retried"] for one in parts),
    "complete": len(parts) == 2, "full": parts[0]["full"] if parts else None, "seconds": int(sys.argv[1])}))
' $((SECONDS - began))
exit $status
