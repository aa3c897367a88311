#!/bin/bash
# Runs in the machine of Scripts/bluez-machine.sh, with two adapters on the air of air.py: `faults.sh SYMBOLON some|all`. Under
# each fault it has to have come to the fault, both sides have to end with the code that is written beside it or go on as it
# says, nothing of ours may stay advertised, and the next hand-over has to work. A line for each; `some` is the first fault of
# each kind. A bluetoothd that crashed over a fault, as 5.66 does, is told of and started again, as systemd would.
symbolon=$1 extent=${2:-all}
place=$(mktemp -d)
cd "$place" || exit 1
head -c 20000 /dev/urandom >small
head -c 800000 /dev/urandom >large
failures=0
began=$(date +%s%N)

# Ends a case: `judge NAME DETAILS COMMAND…` writes its line, with the time it took.
judge() {
    local name=$1 verdict="ok  " now
    shift
    "$@" >judge.log 2>&1 || verdict=FAIL
    now=$(date +%s%N)
    printf '%s  %s%s  %d.%01d s\n' "$verdict" "$name" "${details:+: $details}" \
        $(((now - began) / 1000000000)) $(((now - began) / 100000000 % 10))
    if [ "$verdict" = FAIL ]; then
        failures=$((failures + 1))
        tail -n 8 judge.log receive.err send.err /run/share/air.log 2>/dev/null
    fi
    began=$now
    details=""
}

# Tries a command, for 40 s at most.
patiently() {
    local until=$((SECONDS + 40))
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $until ] || return 1
        sleep 0.1
    done
}

# Waits for the end of a process of ours, for so many seconds at most; its status.
ends() {
    local until=$((SECONDS + $2))
    while kill -0 "$1" 2>/dev/null; do
        if [ $SECONDS -ge $until ]; then
            kill -9 "$1" 2>/dev/null
            details="$details, a side did not end"
            return 1
        fi
        sleep 0.1
    done
    wait "$1"
}

# Starts a verifier on hci0, by way of the command given if any, and waits for its code.
wait_for_wallets() {
    # One that was left by a failure would be in the way.
    [ -z "${receiver:-}" ] || kill -9 "$receiver" 2>/dev/null
    rm -rf inbox receive.out receive.err send.err
    "$@" "$symbolon" receive --out inbox --accept always --radio bluez:hci0 --timeout 60s --qr-file code.svg \
        >receive.out 2>receive.err &
    receiver=$!
    patiently grep -q OPENID4VP:// receive.out || return 1
    uri=$(grep -m 1 -o 'OPENID4VP://.*' receive.out)
}

# Hands over a file, by way of the command given if any.
hand_over() {
    local file=$1
    shift
    timeout -k 5 90 "$@" "$symbolon" send "$place/$file" --to "$uri" --radio bluez:hci1 --yes --timeout 30s >send.out 2>send.err
}

arrived() { ends $receiver 90 && cmp "$1" inbox/credential-*; }
succeeds() { wait_for_wallets && hand_over small && arrived small; }

# The code with which a side ended; nothing when it went well.
code() { sed -n 's/^code: *//p' "$1.err" | tail -n 1; }

# Whether nothing advertises on the air, which is asked; a controller may take a moment.
order() { echo "$*" >>/run/share/orders; }
count=0
is_advertising() {
    count=$((count + 1))
    order "who $count."
    patiently grep -q "advertising $count\." /run/share/air.log && grep -q "advertising $count\..*$1" /run/share/air.log
}
quiet() { patiently eval '! is_advertising station'; }

power() { timeout 10 busctl set-property org.bluez "/org/bluez/$1" org.bluez.Adapter1 Powered b "$2"; }
is_on() { timeout 10 busctl get-property org.bluez "/org/bluez/$1" org.bluez.Adapter1 Powered 2>/dev/null | grep -q true; }
are_on() { is_on hci0 && is_on hci1; }
kill_daemon() { kill -9 "$(cat /run/bluetoothd.pid)"; }
start_daemon() {
    /run/bluetoothd >>/run/share/bluetoothd.log 2>&1 &
    echo $! >/run/bluetoothd.pid
    # The shell is not to tell of its end.
    disown
}
remove() { kill "$(cat "/run/btattach$1.pid")" && order gone "$1"; }
# Puts an adapter back. What was on its way to the one that is gone is taken off the wire first, without an echo: the kernel
# would take it for the beginning of a packet. A kernel that did not come to terms with it all the same gets another try.
attach() {
    local tries waits
    for tries in 1 2 3; do
        timeout 2 sh -c 'stty raw -echo && exec cat >/dev/null' <"/dev/hvc$1"
        btattach -B "/dev/hvc$1" -P h4 >>/run/share/btattach.log 2>&1 &
        echo $! >"/run/btattach$1.pid"
        for ((waits = 0; waits < 150; waits++)); do
            if is_on "hci$1"; then return 0; fi
            sleep 0.1
        done
        kill "$(cat "/run/btattach$1.pid")"
        sleep 1
    done
    return 1
}

strike() {
    case "$1" in
    "bluetoothd is killed") kill_daemon ;;
    "the verifier's adapter goes off") power hci0 false ;;
    "the wallet's adapter goes off") power hci1 false ;;
    "the verifier's adapter is pulled out") remove 0 ;;
    "the wallet's adapter is pulled out") remove 1 ;;
    "the wallet walks away") order out ;;
    "the message bus dies") kill -9 "$(cat /run/dbus-daemon.pid)" ;;
    esac
}

mend() {
    if [[ "$1" != *" is killed" && "$1" != *" bus dies" ]] && ! kill -0 "$(cat /run/bluetoothd.pid)" 2>/dev/null; then
        details="$details, bluetoothd crashed"
        start_daemon
    fi
    case "$1" in
    "bluetoothd is killed") start_daemon ;;
    "the verifier's adapter goes off") power hci0 true ;;
    "the wallet's adapter goes off") power hci1 true ;;
    "the verifier's adapter is pulled out") attach 0 ;;
    "the wallet's adapter is pulled out") attach 1 ;;
    "the wallet walks away") order in ;;
    "the message bus dies")
        kill -9 "$(cat /run/bluetoothd.pid)" 2>/dev/null
        dbus-daemon --system --fork --nopidfile --print-pid >/run/dbus-daemon.pid && start_daemon
        ;;
    esac
    patiently are_on
}

# Whether both sides ended as they should: `ended WALLET VERIFIER`, each an expression for its code.
ended() {
    ends $receiver 90 || true
    details="wallet $(code send), verifier $(code receive)$details"
    [[ "$(code send)" =~ ^($1)$ ]] && [[ "$(code receive)" =~ ^($2)$ ]]
}

# What has to hold after every fault; adds to `good` and `details`.
aftermath() {
    quiet || { good=no details="$details, still advertised"; }
    succeeds || { good=no details="$details, the next failed"; }
}

# A fault in the middle of a transfer: `in_transfer FAULT WALLET VERIFIER`.
in_transfer() {
    local fault=$1 good=yes sender
    wait_for_wallets || { good=no details=", no verifier"; }
    hand_over large &
    sender=$!
    patiently grep -q "Secure channel" receive.err || { good=no details="$details, never in mid-transfer"; }
    sleep 0.5
    strike "$fault"
    wait $sender
    ended "$2" "$3" || good=no
    mend "$fault" || { good=no details="$details, not mended"; }
    aftermath
    judge "$fault in mid-transfer" test $good = yes
}

# A link that is cut instead of carrying a PDU: `at_stage STAGE ORDER WALLET VERIFIER [again]`. A side without a code has to
# have the file, or have brought it; `again` hands over once more to the verifier, which goes on waiting.
at_stage() {
    local stage=$1 good=yes cuts
    cuts=$(grep -c "cut at" /run/share/air.log)
    # shellcheck disable=SC2086
    order cut $2
    wait_for_wallets || { good=no details=", no verifier"; }
    hand_over small
    if [ "${5:-}" = again ]; then
        [[ "$(code send)" =~ ^($3)$ ]] && kill -0 $receiver && hand_over small || { good=no details=", the verifier left"; }
        ended "" "$4" || good=no
        details="$details the second time"
    else
        ended "$3" "$4" || good=no
    fi
    [ -n "$4" ] || cmp -s small inbox/credential-* || { good=no details="$details, nothing arrived"; }
    [ "$(grep -c "cut at" /run/share/air.log)" -eq $((cuts + 1)) ] || { good=no details="$details, never cut"; }
    # An order that was not obeyed is not to hit the next.
    order cut 0
    kill -0 "$(cat /run/bluetoothd.pid)" 2>/dev/null || mend "a crash" || { good=no details="$details, not mended"; }
    aftermath
    judge "the link is cut at $stage" test $good = yes
}

judge "nothing goes wrong" succeeds
judge "nothing stays advertised" quiet

wait_for_wallets
kill_daemon
sleep 1
start_daemon
patiently are_on
judge "bluetoothd is restarted while a verifier waits" eval \
    'patiently is_advertising station1 && hand_over small && arrived small'

lost='tuvali\.session\.link-lost'
gone='tuvali\.session\.peer-disconnected'
in_transfer "bluetoothd is killed" $lost $lost
in_transfer "the wallet walks away" $lost $lost
in_transfer "the verifier's adapter is pulled out" $lost $lost
# Opcodes of ATT, and the bytes behind them: handle and value.
at_stage "the size" "0x12 6" $lost $lost
if [ $extent = all ]; then
    in_transfer "the verifier's adapter goes off" $gone $lost
    in_transfer "the wallet's adapter goes off" $lost $gone
    in_transfer "the wallet's adapter is pulled out" $lost $lost
    in_transfer "the message bus dies" $lost $lost
    # Not earlier: Linux 6.1 crashes when a link with itself is lost while bluetoothd exchanges the MTU (hci_chan_del).
    at_stage "the discovery of services" "0x10" "" ""
    # The first of these lengths are of the two sides' bluetoothd.
    at_stage "a subscription" "0x12 4 3" "" ""
    at_stage "the wallet's key" "0x12 46" $lost "" again
    at_stage "a chunk" "0x52 0 20" $lost $lost
    at_stage "the request for a report" "0x12 3 3" $lost $lost
    at_stage "the report" "0x1d" $lost ""
    at_stage "the decision" "0x1d 0 2" $lost ""
fi

wait_for_wallets
"$symbolon" receive --out other --accept always --radio bluez:hci0 >second.out 2>second.err
judge "a second verifier on the adapter is refused" grep -qE 'tuvali.verifier.radio-failed|radio.unavailable' second.err
kill -9 $receiver
wait $receiver 2>/dev/null
judge "a verifier that was killed leaves its advertisement" is_advertising station1
judge "the next one takes it back and works" succeeds
judge "nothing stays advertised after it" quiet

without() { setpriv --bounding-set "-$1" --inh-caps "-$1" "${@:2}"; }
as_nobody=(setpriv --reuid nobody --regid nogroup --clear-groups --inh-caps=-all env HOME=/tmp)
chmod 777 "$place"
without net_admin "$symbolon" receive --out other --accept always --radio bluez:hci0 >second.out 2>second.err
judge "without CAP_NET_ADMIN the verifier says so" grep -q CAP_NET_ADMIN second.err
judge "without CAP_NET_RAW the verifier says which wallets it does not serve, and serves the others" eval \
    'wait_for_wallets without net_raw && grep -q CAP_NET_RAW receive.err && hand_over small && arrived small'
judge "without any right the wallet works" eval 'wait_for_wallets && hand_over small "${as_nobody[@]}" && arrived small'

echo "$failures failures"
[ $failures -eq 0 ]
