#!/bin/bash
# Runs in the machine of Scripts/bluez-machine.sh with two adapters: `throughput.sh SYMBOLON BYTES TIMES`. Hands over as many
# bytes from hci1 to hci0 as often as said, and prints a line of JSON for each: sealed bytes and bytes a second.
symbolon=$1
place=$(mktemp -d)
cd "$place" || exit 1
head -c "$2" /dev/urandom >payload
for ((run = 0; run < $3; run++)); do
    rm -f receive.out
    "$symbolon" receive --out inbox --accept always --radio bluez:hci0 --timeout 60s --qr-file code.svg >receive.out 2>receive.err &
    receiver=$!
    for ((tries = 0; tries < 200; tries++)); do
        uri=$(grep -m 1 -o 'OPENID4VP://.*' receive.out) && break
        sleep 0.1
    done
    timeout 120 "$symbolon" send payload --to "$uri" --radio bluez:hci1 --yes --json >send.out 2>send.err
    wait $receiver || { tail -n 5 send.out receive.err && exit 1; }
    sealed=$(grep -o '"sealedBytes":[0-9]*' send.out | head -n 1 | cut -d : -f 2)
    speed=$(grep -o '"bytesPerSecond":[0-9]*' send.out | head -n 1 | cut -d : -f 2)
    echo "{\"ours\": \"handover\", \"bytes\": $sealed, \"bytesPerSecond\": $speed}"
done
