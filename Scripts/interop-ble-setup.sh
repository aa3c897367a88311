#!/bin/bash
# Makes what Scripts/interop-ble.sh needs, in .build-interop/ble: Debian packages (section [interop] of packages.debian),
# Debian's kernel unpacked and never installed, an initramfs with the modules, Bumble in a Python environment.
# Root, Debian 12, the network; does nothing twice. Exits 77 and says why where a registry is not reached or no user may install
# packages, and 1 where something fails although.
set -euo pipefail
cd "$(dirname "$0")/.."
label=interop-ble
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
        || without_debian "the kernel ${package:-} could not be downloaded"
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
