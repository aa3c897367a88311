#!/bin/bash
# Runs a command beside a real BlueZ on software controllers, in an emulated machine on this machine's own files:
#     Scripts/bluez-machine.sh [OPTIONS] -- COMMAND [ARGUMENTS]
#     Scripts/bluez-machine.sh --setup        makes what it needs (root, Debian 12, the network), and no more; 77 where that cannot be had
#   --controllers N     adapters hci0 to hci(N-1); 2
#   --air OPTIONS       the air is air.py, outside the machine, with these options ("" for none); else btvirt, inside it
#   --peer COMMAND      runs beside the machine on the same air, with its controller's transport in $PEER_HCI and the
#                       folder that is /run/share in the machine in $SHARE; repeatable
#   --btvirt OPTIONS    -L (LE only, legacy advertising; the default), "" (dual mode, extended advertising)
#   --daemon OPTIONS    of bluetoothd: -d for its log, -E for experimental interfaces
#   --bluez SUITE       bluetoothd and kernel of that suite of Debian, as trixie, in place of this one's; also by SYMBOLON_BLUEZ_SUITE
#   --exchange-mtu N    the ATT MTU that bluetoothd wishes; 513
#   --seconds S         what the command may take; 120
#   --tries N           2: a command that fails is run once more in a fresh machine, which is said; 1
# Exit status: that of the command, 124 when it took too long, 125 when the machine failed, 77 when there can be none here.
# A machine whose kernel (Debian's, not ours) crashes is started once more, which is said.
# Logs of a failed run stay where the last line says; SYMBOLON_BLE_KEEP=1 keeps those of a good run too.
#
# The machine is qemu with Debian's stock kernel (plain emulation, no KVM), a D-Bus and a real bluetoothd. The command runs as root in the
# current folder: what was built here runs there from the same path. What it writes is lost, but for /run/share, the log folder. There is
# no network in it, and time in it runs two to ten times slower. One bluetoothd serves all adapters: two roles are two clients of one daemon.
# Two airs, because each shows what the other cannot. btvirt, of BlueZ, inside the machine, is fast; it has no signal strength, and reports an
# advertiser once for each start of a scan. air.py, on Bumble's controllers, outside, reports every advertisement with a signal strength,
# limits the speed to that of a real link, loses what it is asked to lose, and lets devices join that know neither BlueZ nor us.
# bluetoothd exchanges an MTU of 513, because before version 5.69 it discards writes of 511 and 512 bytes, and uses one ATT channel, because
# phones know no other; `--exchange-mtu 517` shows the trap.
# Linux 6.1 crashes now and then when a link of the machine with itself ends while bluetoothd sets it up.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
place=$top/.build-interop/ble
parts=$top/Tests/Interop/bluetooth

# make_kernel FOLDER APT-OPTIONS...: Debian's kernel, unpacked into the folder and never installed, and an initramfs with the modules. The
# plain flavour: that for clouds is built without Bluetooth.
make_kernel() {
    local folder=$1 package version path name
    shift
    # The random number generator (sha512, ctr, drbg) comes before ecdh_generic, whose self-test needs it; without it adapters
    # have no key pair. cmac and ecb are asked for by the kernel's security manager, the algif by bluetoothd and btvirt.
    local wanted="virtio_pci virtio_console virtio_rng 9pnet_virtio 9p overlay sha512_generic ctr drbg cmac ecb ecdh_generic
        bluetooth hci_vhci hci_uart algif_hash algif_skcipher uhid"
    if [ ! -s "$folder/vmlinuz" ] || [ ! -s "$folder/initramfs/modules/order" ]; then
        scratch=$(mktemp -d)
        trap 'rm -rf "$scratch"' EXIT
        download() {
            package=$(apt-cache "$@" depends linux-image-amd64 | awk '$1 == "Depends:" && !met++ { print $2 }')
            [ -n "$package" ] && (cd "$scratch" && timeout 600 apt-get -o APT::Sandbox::User=root "$@" download -qq "$package")
        }
        # What the lists name may be gone, or there may be no lists.
        download "$@" >>"$log" 2>&1 || { apt-get -qq "$@" update && download "$@"; } >>"$log" 2>&1 \
            || without_debian "the kernel ${package:-} could not be downloaded"
        version=${package#linux-image-}
        dpkg-deb -x "$scratch"/*.deb "$scratch/tree"
        [ -d "$scratch/tree/lib" ] || ln -s usr/lib "$scratch/tree/lib"
        depmod -b "$scratch/tree" "$version"
        rm -rf "$folder/initramfs"
        mkdir -p "$folder/initramfs/bin" "$folder/initramfs/modules"
        for module in $wanted; do
            modprobe -d "$scratch/tree" -S "$version" --show-depends "$module"
        done | awk '$1 == "insmod" && !met[$2]++ { print $2 }' >"$scratch/paths"
        while read -r path; do
            name=$(basename "$path" .xz)
            case "$path" in
            *.xz) xz -dc "$path" >"$folder/initramfs/modules/$name" ;;
            *) cp "$path" "$folder/initramfs/modules/" ;;
            esac
            echo "$name"
        done <"$scratch/paths" >"$scratch/order"
        cp "$scratch/order" "$folder/initramfs/modules/order"
        cp "$scratch/tree/boot/vmlinuz-$version" "$folder/vmlinuz"
    fi
    cp /bin/busybox "$folder/initramfs/bin/busybox"
    install -m 755 Tests/Interop/bluetooth/guest-boot.sh "$folder/initramfs/init"
    (cd "$folder/initramfs" && find . | cpio --quiet -o -H newc) | gzip -1 >"$folder/initramfs.gz"
}

# What the machine needs, in .build-interop/ble: Debian packages (section [interop] of packages.debian), Debian's kernel unpacked and never
# installed, an initramfs with the modules, Bumble in a Python environment. Does nothing twice. Ends with 77 and says why where a registry
# is not reached or no user may install packages, and with 1 where something fails although.
set_up() (
    cd "$top"
    label=bluez-machine
    place=.build-interop/ble
    log=$place/setup.log
    # shellcheck source=Scripts/registries.sh
    . Scripts/registries.sh
    [ "$(uname -m)" = x86_64 ] || skip "the machine is emulated for x86-64 only"

    # 1. Packages.
    need_packages interop "the packages could not be installed"

    # 2. Bumble: the controllers of air.py, and the host stack of the peers. Debian's own Python, which is in the machine too.
    requirements=Tests/Interop/bluetooth/requirements.txt
    make_venv "$place/venv" /usr/bin/python3 "$(sha256sum $requirements | cut -c 1-16)" -r $requirements \
        || without_pypi "$place/venv" "Bumble could not be installed"

    # 3. The kernel, and the initramfs.
    make_kernel "$place"
    echo "bluez-machine: ready in $place, $(du -sh "$place" | cut -f 1)"
)

# The bluetoothd of another suite of Debian with its libraries, and its kernel, unpacked and never installed: 150 MB.
set_up_suite() (
    cd "$top"
    label=bluez-machine
    place=.build-interop/ble
    log=$place/$1.log
    # shellcheck source=Scripts/registries.sh
    . Scripts/registries.sh
    command -v mmdebstrap >/dev/null || need_packages package "there is no mmdebstrap"
    rm -rf "$place/$1.new" && mkdir "$place/$1.new"
    timeout 600 mmdebstrap --variant=extract --include=bluez "$1" "$place/$1.new" >>"$log" 2>&1 \
        || without_debian "the bluetoothd of $1 could not be unpacked"
    mkdir -p "$place/$1.new/lists/partial"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $1 main" >"$place/$1.new/sources"
    make_kernel "$place/$1.new" -o "Dir::Etc::SourceList=$PWD/$place/$1.new/sources" -o Dir::Etc::SourceParts=- \
        -o "Dir::State::Lists=$PWD/$place/$1.new/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=
    rm -rf "$place/$1.new/lists" "${place:?}/$1"
    mv "$place/$1.new" "$place/$1"
)

if [ "${1:-}" = --setup ]; then
    set_up
    exit
fi
arguments=("$@")
controllers=2 air="" has_air=no peers=() btvirt=-L daemon="" suite=${SYMBOLON_BLUEZ_SUITE:-} mtu=513 seconds=120 tries=1
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    [ $# -ge 2 ] || { echo "bluez-machine: $1 needs a value" >&2; exit 2; }
    case "$1" in
    --controllers) controllers=$2 ;;
    --air) has_air=yes air=$2 ;;
    --peer) has_air=yes peers+=("$2") ;;
    --btvirt) btvirt=$2 ;;
    --daemon) daemon=$2 ;;
    --bluez) suite=$2 ;;
    --exchange-mtu) mtu=$2 ;;
    --seconds) seconds=$2 ;;
    --tries) tries=$2 ;;
    *) sed -n '2,/^# Exit status/p' "$0" >&2 && exit 2 ;;
    esac
    shift 2
done
[ $# -gt 1 ] || { sed -n '2,/^# Exit status/p' "$0" >&2; exit 2; }
shift
if [ ! -s "$place/initramfs.gz" ]; then
    set_up >&2
fi
bluetoothd=/usr/libexec/bluetooth/bluetoothd
boot=$place
if [ -n "$suite" ]; then
    boot=$place/$suite
    if [ ! -s "$boot/initramfs.gz" ]; then set_up_suite "$suite" >&2; fi
    bluetoothd="$place/$suite/lib64/ld-linux-x86-64.so.2 --library-path $place/$suite/usr/lib/x86_64-linux-gnu $place/$suite$bluetoothd"
    echo "bluez-machine: bluetoothd $($bluetoothd -v) of $suite"
fi

share=$(mktemp -d "${TMPDIR:-/tmp}/symbolon-ble.XXXXXX")
started=()
end() {
    for process in "${started[@]}"; do kill "$process" 2>/dev/null || true; done
    for process in "${started[@]}"; do wait "$process" 2>/dev/null || true; done
}
trap end EXIT
# A signal to this script alone, and not to its group, ends the machine too.
trap 'echo "bluez-machine: ended; logs in $share" >&2; exit 130' INT
trap 'echo "bluez-machine: ended; logs in $share" >&2; exit 143' TERM HUP
fail() {
    echo "bluez-machine: $1; logs in $share" >&2
    exit 125
}

cp "$parts/guest-run.sh" "$share/"
printf '%q ' "$@" >"$share/command"
printf '%s=%q\n' CONTROLLERS "$controllers" AIR "$has_air" BTVIRT "$btvirt" DAEMON "$daemon" BLUETOOTHD "$bluetoothd" EXCHANGE_MTU "$mtu" \
    FOLDER "$PWD" SECONDS_ALLOWED "$seconds" >"$share/settings"

# The air: a UNIX socket for each controller, which the machine sees as a console.
wires=()
if [ $has_air = yes ]; then
    sockets=()
    wires=(-device virtio-serial-pci,id=air)
    for ((n = 0; n < controllers; n++)); do
        sockets+=("unix-server:$share/hci$n")
        wires+=(-chardev "socket,id=hci$n,path=$share/hci$n" -device "virtconsole,chardev=hci$n,bus=air.0,nr=$n")
    done
    for n in "${!peers[@]}"; do sockets+=("unix-server:$share/peer$n"); done
    # shellcheck disable=SC2086
    : >"$share/air.log"
    "$place/venv/bin/python" "$parts/air.py" --orders "$share/orders" $air "${sockets[@]}" >"$share/air.log" 2>&1 &
    started+=($!)
    for ((waits = 0; ; waits++)); do
        ! grep -q "on the air" "$share/air.log" || break
        [ $waits -lt 300 ] && kill -0 "${started[0]}" 2>/dev/null || { cat "$share/air.log" >&2; fail "no air"; }
        sleep 0.1
    done
    for n in "${!peers[@]}"; do
        SHARE=$share PEER_HCI=unix-client:$share/peer$n PATH="$place/venv/bin:$parts:$PATH" \
            bash -c "exec ${peers[n]}" >"$share/peer$n.log" 2>&1 </dev/null &
        started+=($!)
    done
fi

# In the background, because a shell that waits for what is in front of it does not hear who ends it.
exec {output}> >(exec cat)
printer=$!
timeout --foreground -k 5 $((seconds + 60)) qemu-system-x86_64 \
    -accel tcg,thread=multi -cpu max -smp 2 -m 1024M -nodefaults -no-user-config -display none -no-reboot \
    -kernel "$boot/vmlinuz" -initrd "$boot/initramfs.gz" -serial "file:$share/console.log" \
    -append "console=ttyS0 quiet panic=-1 oops=panic mitigations=off no_timer_check" \
    -object rng-random,id=entropy,filename=/dev/urandom -device virtio-rng-pci,rng=entropy \
    -device virtio-serial-pci,id=talk -chardev file,id=output,path=/proc/self/fd/3 \
    -device virtserialport,chardev=output,name=output,bus=talk.0 "${wires[@]}" \
    -virtfs local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap \
    -virtfs "local,path=$share,mount_tag=share,security_model=none" \
    </dev/null 3>&"$output" &
started+=($!)
wait $! || fail "qemu failed, or was ended after $((seconds + 60)) s"
exec {output}>&-
wait $printer || true

# again WHY: everything once more, unless this is the second time.
again() {
    [ -z "${SYMBOLON_BLE_AGAIN:-}" ] || return 0
    echo "bluez-machine: $1; logs in $share. Everything once more." >&2
    end
    SYMBOLON_BLE_AGAIN=1 exec "$0" "${arguments[@]}"
}

if [ ! -s "$share/status" ]; then
    tail -n 20 "$share/console.log" >&2
    ! grep -q "Kernel panic" "$share/console.log" || again "the kernel of the machine crashed"
    fail "the machine ended without a word"
fi
status=$(cat "$share/status")
for log in "$share"/peer*.log; do
    [ ! -e "$log" ] || sed "s/^/[$(basename "$log" .log)] /" "$log"
done
[ "$status" = 0 ] || [ "$tries" -lt 2 ] || again "the command failed with $status"
if [ "$status" != 0 ] || [ -n "${SYMBOLON_BLE_KEEP:-}" ]; then
    echo "bluez-machine: logs in $share" >&2
else
    rm -rf "$share"
fi
exit "$status"
