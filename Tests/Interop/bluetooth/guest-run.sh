#!/bin/bash
# Runs inside the machine as root, on the host's userland: starts BlueZ on software controllers, runs the command that
# the host left in /run/share/command, and leaves its exit status in /run/share/status. Every wait ends after 20 s.
share=/run/share
. "$share/settings"
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8
exec >>"$share/guest.log" 2>&1
say() { echo "[$(cut -d ' ' -f 1 /proc/uptime)] $*"; }
patiently() {
    local tries
    for ((tries = 0; tries < 400; tries++)); do
        if "$@" >/dev/null 2>&1; then return 0; fi
        sleep 0.05
    done
    say "never came true: $*"
    echo 125 >"$share/status"
    return 1
}

# The machine is slower than any that a radio would be in, and what comes faster than bluetoothd reads is lost.
echo 4194304 >/proc/sys/net/core/rmem_max
echo 4194304 >/proc/sys/net/core/rmem_default
hostname symbolon-ble
/bin/busybox ip link set lo up
for port in /sys/class/virtio-ports/*; do
    if [ "$(cat "$port/name" 2>/dev/null)" = output ]; then output=/dev/${port##*/}; fi
done

# No pairings and no cached attributes of the host or of an earlier run; all of this is lost at the end.
mkdir -p /run/dbus /var/lib/bluetooth
rm -rf /var/lib/bluetooth/*
cat >/etc/bluetooth/main.conf <<CONF
[General]
Name = symbolon-ble
[GATT]
Cache = no
Channels = 1
ExchangeMTU = $EXCHANGE_MTU
CONF
dbus-daemon --system --fork --nopidfile --print-pid >/run/dbus-daemon.pid

last=hci$((CONTROLLERS - 1))
if [ "$CONTROLLERS" -gt 0 ] && [ "$AIR" = yes ]; then
    # One after the other, so that console n becomes hci n.
    for ((n = 0; n < CONTROLLERS; n++)); do
        btattach -B "/dev/hvc$n" -P h4 >>"$share/btattach.log" 2>&1 &
        echo $! >"/run/btattach$n.pid"
        patiently test -e "/sys/class/bluetooth/hci$n" || exit
    done
elif [ "$CONTROLLERS" -gt 0 ]; then
    # shellcheck disable=SC2086
    btvirt $BTVIRT "-l$CONTROLLERS" >"$share/btvirt.log" 2>&1 &
    patiently test -e "/sys/class/bluetooth/$last" || exit
fi

# The command may start it anew.
printf '#!/bin/sh\nexec %s -n "$@"\n' "$BLUETOOTHD" >/run/bluetoothd
chmod 755 /run/bluetoothd
daemon() {
    # shellcheck disable=SC2086
    /run/bluetoothd $DAEMON >>"$share/bluetoothd.log" 2>&1 &
    echo $! >/run/bluetoothd.pid
}
daemon
for ((n = 0; n < CONTROLLERS; n++)); do
    patiently dbus-send --system --print-reply --dest=org.bluez "/org/bluez/hci$n" org.freedesktop.DBus.Peer.Ping || exit
done
say "bluetoothd answers"

cd "$FOLDER" || exit
timeout -k 5 "$SECONDS_ALLOWED" bash "$share/command" >"$output" 2>&1 </dev/null
status=$?
say "the command ended with $status"
dmesg >"$share/dmesg.log"
echo "$status" >"$share/status"
sync
