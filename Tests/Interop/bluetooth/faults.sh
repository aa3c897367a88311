#!/bin/bash
# Runs in the machine of Scripts/interop-ble.sh with two adapters: `faults.sh SYMBOLON`. Each fault has to end with its code,
# nothing of ours may stay advertised, and the next hand-over has to work.
symbolon=$1
place=$(mktemp -d)
cd "$place" || exit 1
file=$place/payload
head -c 400000 /dev/urandom >"$file"
failures=0

check() {
    local what=$1
    shift
    if "$@" >/dev/null 2>&1; then echo "ok    $what"; else
        echo "FAIL  $what"
        failures=$((failures + 1))
        tail -n 6 receive.err send.err 2>/dev/null
    fi
}

# Starts a verifier on hci0 and waits for its code.
wait_for_wallets() {
    rm -rf inbox receive.out receive.err uri
    "$symbolon" receive --out inbox --accept always --radio bluez:hci0 --timeout 60s --qr-file code.svg "$@" \
        >receive.out 2>receive.err &
    receiver=$!
    for ((tries = 0; tries < 200; tries++)); do
        uri=$(grep -m 1 -o 'OPENID4VP://.*' receive.out) && return 0
        kill -0 $receiver 2>/dev/null || return 1
        sleep 0.1
    done
    return 1
}

hand_over() { timeout 90 "$symbolon" send "$file" --to "$uri" --radio bluez:hci1 --yes --timeout 30s >send.out 2>send.err; }

arrived() { cmp "$file" inbox/credential-*; }

succeeds() {
    wait_for_wallets && hand_over && wait $receiver && arrived
}

# The instances that the kernel advertises on hci0, one number for each.
instances() {
    python3 - <<'PYTHON'
import ctypes, socket, struct
s = socket.socket(31, socket.SOCK_RAW, 1)
s.settimeout(5)
name = struct.pack("<HHH", 31, 0xFFFF, 3)
ctypes.CDLL(None).bind(s.fileno(), name, len(name))
s.send(struct.pack("<HHH", 0x3D, 0, 0))
while True:
    m = s.recv(512)
    if m[0] == 1 and m[6:8] == b"\x3d\x00":
        print(*m[17 : 17 + m[16]])
        break
PYTHON
}

quiet() { [ -z "$(instances)" ]; }

kill_daemon() { kill -9 "$(cat /run/bluetoothd.pid)"; }

start_daemon() {
    /usr/libexec/bluetooth/bluetoothd -n >>/run/share/bluetoothd.log 2>&1 &
    echo $! >/run/bluetoothd.pid
    for ((tries = 0; tries < 200; tries++)); do
        busctl get-property org.bluez /org/bluez/hci1 org.bluez.Adapter1 Powered 2>/dev/null | grep -q true && return 0
        sleep 0.1
    done
    return 1
}

power() { busctl set-property org.bluez "/org/bluez/$1" org.bluez.Adapter1 Powered b "$2"; }

in_transfer() {
    for ((tries = 0; tries < 300; tries++)); do
        grep -q "Secure channel" receive.err && sleep 1 && return 0
        sleep 0.1
    done
    return 1
}

ends_with() { grep -qE "code: +($1)" "$2"; }

check "a hand-over works" succeeds
check "nothing stays advertised" quiet

wait_for_wallets
kill_daemon
sleep 1
start_daemon
sleep 2
check "a verifier survives a restart of bluetoothd while it waits" eval 'hand_over && wait $receiver && arrived'

for fault in "bluetoothd is killed" "the verifier's adapter is powered off" "the wallet's adapter is powered off"; do
    wait_for_wallets
    hand_over &
    sender=$!
    in_transfer
    case "$fault" in
    bluetoothd*) kill_daemon ;;
    *verifier*) power hci0 false ;;
    *wallet*) power hci1 false ;;
    esac
    wait $sender
    check "$fault: the wallet ends with its code" ends_with 'tuvali\.(session|wallet)\.[a-z-]+' send.err
    case "$fault" in
    bluetoothd*) start_daemon ;;
    *verifier*) power hci0 true ;;
    *wallet*) power hci1 true ;;
    esac
    wait $receiver
    check "$fault: the verifier ends with its code" ends_with 'tuvali\.(session|verifier)\.[a-z-]+' receive.err
    check "$fault: the next hand-over works" succeeds
done

wait_for_wallets
"$symbolon" receive --out other --accept always --radio bluez:hci0 >second.out 2>second.err
check "a second verifier on the adapter is refused" ends_with 'tuvali.verifier.radio-failed|radio.unavailable' second.err
kill -9 $receiver
wait $receiver 2>/dev/null
check "a verifier that was killed leaves its advertisement" eval '! quiet'
check "the next one takes it back and works" succeeds
check "nothing stays advertised after it" quiet

as_nobody() { setpriv --reuid nobody --regid nogroup --clear-groups --inh-caps=-all env HOME=/tmp "$@"; }
chmod 777 "$place"
as_nobody "$symbolon" receive --out "$place/nobody" --accept always --radio bluez:hci0 >nobody.out 2>nobody.err
check "without rights the verifier says which is missing" grep -q CAP_NET_ADMIN nobody.err
wait_for_wallets
as_nobody timeout 90 "$symbolon" send "$file" --to "$uri" --radio bluez:hci1 --yes --timeout 30s >send.out 2>send.err
check "without rights the wallet works" eval 'wait $receiver && arrived'

echo "$failures failures"
[ $failures -eq 0 ]
