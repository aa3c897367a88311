#!/bin/bash
# Makes what Scripts/interop-ble.sh needs, in .build-interop/ble: Debian packages (section [interop] of packages.debian),
# Debian's kernel unpacked and never installed, an initramfs with the modules, Bumble in a Python environment.
# Root, Debian 12, the network; does nothing twice. Exits 77 and says why where it cannot be done.
set -euo pipefail
cd "$(dirname "$0")/.."
place=.build-interop/ble
mkdir -p "$place"
log=$place/setup.log
: >"$log"

skip() {
    echo "interop-ble: SKIPPED: $1 (details in $log)" | tee "$place/skipped" >&2
    exit 77
}
rm -f "$place/skipped"
[ "$(uname -m)" = x86_64 ] || skip "the machine is emulated for x86-64 only"

# 1. Packages.
Scripts/setup.sh interop >>"$log" 2>&1 || skip "the packages could not be installed"
command -v qemu-system-x86_64 >/dev/null || skip "there is no qemu"

# 2. Bumble: the controllers of air.py, and the host stack of the peers.
bumble=0.0.236
if [ "$(cat "$place/bumble.version" 2>/dev/null || true)" != "$bumble" ]; then
    rm -rf "$place/venv"
    /usr/bin/python3 -m venv "$place/venv" >>"$log" 2>&1 || skip "no Python environment could be made"
    timeout 300 "$place/venv/bin/pip" install --quiet --disable-pip-version-check "bumble==$bumble" >>"$log" 2>&1 \
        || skip "Bumble $bumble could not be installed from PyPI"
    echo "$bumble" >"$place/bumble.version"
fi

# 3. The kernel. The plain flavour: that for clouds is built without Bluetooth.
# The random number generator (sha512, ctr, drbg) comes before ecdh_generic, whose self-test needs it; without it adapters
# have no key pair. cmac and ecb are asked for by the kernel's security manager, the algif by bluetoothd and btvirt.
wanted="virtio_pci virtio_console virtio_rng 9pnet_virtio 9p overlay sha512_generic ctr drbg cmac ecb ecdh_generic
    bluetooth hci_vhci hci_uart algif_hash algif_skcipher uhid"
if [ ! -s "$place/vmlinuz" ] || [ ! -s "$place/initramfs/modules/order" ]; then
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    download() {
        package=$(apt-cache depends linux-image-amd64 | awk '$1 == "Depends:" && !met++ { print $2 }')
        [ -n "$package" ] && (cd "$scratch" && timeout 600 apt-get -o APT::Sandbox::User=root download -qq "$package")
    }
    # What the lists name may be gone, or there may be no lists.
    download >>"$log" 2>&1 || { apt-get -qq update && download; } >>"$log" 2>&1 \
        || skip "the kernel ${package:-} could not be downloaded"
    version=${package#linux-image-}
    dpkg-deb -x "$scratch"/*.deb "$scratch/tree"
    depmod -b "$scratch/tree" "$version"
    rm -rf "$place/initramfs"
    mkdir -p "$place/initramfs/bin" "$place/initramfs/modules"
    for module in $wanted; do
        modprobe -d "$scratch/tree" -S "$version" --show-depends "$module"
    done | awk '$1 == "insmod" && !met[$2]++ { print $2 }' >"$scratch/paths"
    while read -r path; do
        cp "$path" "$place/initramfs/modules/"
        basename "$path"
    done <"$scratch/paths" >"$scratch/order"
    cp "$scratch/order" "$place/initramfs/modules/order"
    cp "$scratch/tree/boot/vmlinuz-$version" "$place/vmlinuz"
fi

# 4. The initramfs.
cp /bin/busybox "$place/initramfs/bin/busybox"
install -m 755 Tests/Interop/bluetooth/guest-boot.sh "$place/initramfs/init"
(cd "$place/initramfs" && find . | cpio --quiet -o -H newc) | gzip -1 >"$place/initramfs.gz"
echo "interop-ble: ready in $place, $(du -sh "$place" | cut -f 1)"
