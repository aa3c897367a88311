#!/bin/bash
# Ours over Bluetooth on a real BlueZ in an emulated machine (Scripts/bluez-machine.sh): `interop-ble.sh [PART [ARGUMENTS]]`. Without a
# part: conformance air, faults some, phones 3, matrix; `full`: conformance, faults all, phones 100, throughput, matrix --full, two hours.
#   conformance [air|btvirt]...  the rules of the radio seam, on both airs; the tests are those of the last `make test`, or are built
#   faults [some|all]            `symbolon receive` and `send` while a daemon is killed, adapters go off or are pulled out, a wallet walks
#                                away, links are cut, a second verifier is there, rights are missing: a line for each; all
#   matrix [--full]              every wallet against every verifier, byte for byte, with and without losses; others on Bumble's host stack,
#                                as stock Android and iOS among them. --full hands over every credential in each pair; without it a small
#                                one each, and one of many chunks where chunks are lost. A transfer that fails is tried once more, which is said
#   throughput [BYTES [TIMES]]   how fast `send` and `receive` are (500000, 3; the median counts), beside the most that the same air carries
#                                in the same run; a line of JSON for each air. Figures, and no verdict
#   phones foreign [OPTIONS]     phones and readers that share no code with ours, on Bumble's host stack, against `symbolon` on BlueZ: the two
#                                modes, MTUs, sizes, curves, proofs, signed requests; options of Tests/Interop/phones/drive.py
#   phones [TIMES [strangers]]   `symbolon receive --phone` reads `symbolon send --show` so many times in a row in each mode (10), and large answers
#                                through a bluetoothd that loses long writes; nothing of a session may stay in bluetoothd's storage. With
#                                strangers the phone connects to a reader alone, behind twenty devices that say nothing, and among them
#   herald                       the proximity sensor among phones on Bumble's host stack that speak Herald
# Skips, and says so, where the machine for it cannot be had. SYMBOLON names a program in place of a fresh release build,
# SYMBOLON_BLUEZ_SUITE a suite of Debian whose bluetoothd is used, as trixie (5.82).
set -euo pipefail
. "$(dirname "$0")/environment.sh"
export PYTHONDONTWRITEBYTECODE=1

# run_conformance NAME ADAPTERS SECONDS OPTIONS...
run_conformance() {
    local name=$1 adapters=$2 seconds=$3
    shift 3
    echo "interop-ble: the rules of the seam on $name"
    Scripts/bluez-machine.sh --seconds "$seconds" --tries 2 "$@" -- Tests/Interop/bluetooth/conformance.sh "$SYMBOLON_TESTS" "$adapters"
}

conformance() {
    if [ -z "${SYMBOLON_TESTS:-}" ]; then
        # shellcheck disable=SC2086
        swift build $debug --build-tests </dev/null >&2
        SYMBOLON_TESTS=$(echo "$PWD"/.build/debug/*PackageTests.xctest)
    fi
    local air
    [ $# -gt 0 ] || set -- air btvirt
    for air in "$@"; do
        case "$air" in
        air) run_conformance "software controllers" hci0,hci1,hci2 600 --controllers 3 --air "" ;;
        # btvirt gives every link the same number, so it has no room for two centrals; it tells of an advertiser once a scan.
        btvirt) run_conformance btvirt hci0,hci1 600 ;;
        *) echo "usage: Scripts/interop-ble.sh conformance [air|btvirt]..." >&2 && exit 2 ;;
        esac
    done
}

faults() {
    release_programs symbolon
    echo "interop-ble: faults on software controllers"
    Scripts/bluez-machine.sh --seconds 1500 --tries 2 --air "" -- Tests/Interop/bluetooth/faults.sh "$SYMBOLON" "${1:-all}"
}

phones() {
    local times=${1:-10} crowd=20 strangers=()
    release_programs symbolon
    if [ "${1:-}" = foreign ]; then
        shift
        echo "interop-ble: foreign phones and readers on Bumble's host stack"
        Scripts/bluez-machine.sh --seconds 3000 --air "" --peer "python Tests/Interop/phones/bluez.py $(printf '%q ' "$SYMBOLON" "$@")" \
            -- /usr/bin/python3 Tests/Interop/bluetooth/guest-jobs.py /run/share/jobs
        return
    fi
    if [ "${2:-}" = strangers ]; then
        echo "interop-ble: phones are read $times times, alone"
        phones_with "$times" 0
        strangers=(--peer "python Tests/Interop/peers/strangers.py \$SHARE $crowd")
        while [ ${#strangers[@]} -lt $((2 * crowd)) ]; do strangers+=(--peer true); done
        echo "interop-ble: phones are read $times times, behind $crowd strangers and among them"
        phones_with "$times" "$crowd" "${strangers[@]}"
        return
    fi
    echo "interop-ble: phones are read $times times in each mode"
    phones_with "$times" ""
}

# phones_with TIMES LINKS OPTIONS...: with these options of the machine.
phones_with() {
    # shellcheck disable=SC2086
    Scripts/bluez-machine.sh --seconds $((240 + 40 * $1)) --air "" "${@:3}" \
        -- /usr/bin/python3 Tests/Interop/bluetooth/phones.py "$SYMBOLON" "$1" $2
}

matrix() (
    full=${1:-}
    case "$full" in
    "") seconds=720 options="--retries 1" ;;
    --full) seconds=5700 options="--full --retries 1" ;;
    *) echo "usage: Scripts/interop-ble.sh matrix [--full]" >&2 && exit 2 ;;
    esac
    began=$SECONDS
    release_programs symbolon
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
    Scripts/bluez-machine.sh --seconds $seconds --air "" \
        --peer "python $peers/matrix.py --share \$SHARE --symbolon '$SYMBOLON' --credentials '$credentials' $options" \
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
)

throughput() (
    bytes=${1:-500000} times=${2:-3}
    parts=Tests/Interop/bluetooth
    release_programs symbolon
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
    Scripts/bluez-machine.sh --seconds 300 --air "--rate 100" --peer "$parts/bare.py serve \$PEER_HCI $bytes" \
        --peer "$parts/bare.py send \$PEER_HCI $bytes" -- $parts/throughput.sh "$SYMBOLON" "$bytes" "$times" | tee "$log" >&2
    report "software controllers at 100 kB/s" "$log"
    Scripts/bluez-machine.sh --seconds 300 -- bash -c \
        "for n in \$(seq $times); do /usr/bin/python3 $parts/bare-bluez.py $bytes; done; $parts/throughput.sh $SYMBOLON $bytes $times" | tee "$log" >&2
    report btvirt "$log"
)

herald() {
    local peers=Tests/Interop/peers attempt status
    release_programs symbolon
    echo "interop-ble: the phones' bytes"
    .build-interop/ble/venv/bin/python "$peers/herald_wire_test.py" "${SYMBOLON_VECTORS:-../shared/vectors}"
    echo "interop-ble: the sensor among phones"
    # Each --peer is a controller on the air; the first one's command uses them all. A machine that fails, as Debian's kernel makes
    # it now and then, is no verdict, and is started again, twice at most.
    for attempt in 1 2 3; do
        status=0
        Scripts/bluez-machine.sh --seconds 900 --controllers 1 --air "" \
            --peer "python $peers/herald_check.py --share \$SHARE --symbolon '$SYMBOLON'" --peer true --peer true --peer true --peer true \
            -- /usr/bin/python3 Tests/Interop/bluetooth/guest-jobs.py /run/share/jobs || status=$?
        [ $status -eq 125 ] || break
        echo "interop-ble: the machine failed $attempt times"
    done
    return "$status"
}

part=${1:-}
[ $# -eq 0 ] || shift
case "$part" in
"" | full | conformance | faults | phones | matrix | throughput | herald) ;;
*) sed -n '2,/^# Skips/p' Scripts/interop-ble.sh >&2 && exit 2 ;;
esac
Scripts/bluez-machine.sh --setup >&2 || { [ $? -eq 77 ] && exit 0 || exit 1; }
case "$part" in
"")
    conformance air
    faults some
    phones 3
    matrix
    ;;
full)
    conformance
    faults all
    phones 100
    throughput
    matrix --full
    ;;
*) "$part" "$@" ;;
esac
