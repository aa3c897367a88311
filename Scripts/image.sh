#!/bin/bash
# An OCI image of the Debian package, in .build-image/image: a minimal root of Debian 12 with the package's libraries, libpq, the
# libraries that read codes in pictures, and certificates, one layer, with the times of the commit. The same commit and the same Debian
# packages give the same digest. Takes root.
# Skips, and says so, where Debian's packages are not reached.
set -euo pipefail
. "$(dirname "$0")/environment.sh"

label=image
place=.build-image
log=$place/image.log
[ "$(id -u)" -eq 0 ] || { echo "image: making a root takes root" >&2 && exit 9; }
. Scripts/registries.sh
command -v mmdebstrap umoci >/dev/null || need_packages package "there is no mmdebstrap or umoci"

Scripts/deb.sh --no-trial
package=$(ls .build-deb/symbolon_*.deb)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
rm -rf "$place/root.tar" "$place/image" "$place/layer"
# Debian's own documents, lists and caches are of no use in an image, and differ from build to build.
mmdebstrap --variant=minbase --hook-dir=/usr/share/mmdebstrap/hooks/file-mirror-automount --include="ca-certificates,libpq5,libturbojpeg0,libzxing2,$PWD/$package" \
    --customize-hook='rm -rf "$1"/var/cache/* "$1"/var/lib/apt/lists/* "$1"/var/log/* "$1"/etc/machine-id' \
    --customize-hook='find "$1"/usr/share/doc -type f ! -name copyright -delete; rm -rf "$1"/usr/share/man/* "$1"/usr/share/locale/*' \
    bookworm "$place/root.tar" >>"$log" 2>&1 || without_debian "the root of the image could not be made"

created=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
version=$(.build/release/symbolon --version | cut -d ' ' -f 2)
history="--history.created=$created --history.author=symbolon"
umoci init --layout "$place/image" >>"$log" 2>&1
umoci new --image "$place/image:$version" >>"$log" 2>&1
# shellcheck disable=SC2086
umoci raw add-layer --image "$place/image:$version" $history --history.created_by="symbolon $version" "$place/root.tar" >>"$log" 2>&1
# shellcheck disable=SC2086
umoci config --image "$place/image:$version" --created="$created" --author=symbolon $history --history.created_by="settings" \
    --config.entrypoint=/usr/bin/symbolon --config.cmd=--help --config.user=65534:65534 --config.workingdir=/data \
    --config.env=XDG_DATA_HOME=/data --config.exposedports=8040/tcp --config.volume=/data \
    --config.label=org.opencontainers.image.title=symbolon --config.label=org.opencontainers.image.version="$version" \
    --config.label=org.opencontainers.image.revision="$(git rev-parse HEAD)" \
    --config.label=org.opencontainers.image.licenses=Apache-2.0 >>"$log" 2>&1
umoci gc --layout "$place/image" >>"$log" 2>&1
digest=$(sed -n 's/.*"digest":"\(sha256:[0-9a-f]*\)".*/\1/p' "$place/image/index.json")

# The program starts in it.
umoci unpack --image "$place/image:$version" "$place/layer" >>"$log" 2>&1
# The Swift runtime reads a program's arguments in /proc.
mount -t proc proc "$place/layer/rootfs/proc"
started=0
chroot "$place/layer/rootfs" /usr/bin/symbolon demo >"$place/demo.log" 2>&1 || started=$?
umount "$place/layer/rootfs/proc"
[ "$started" -eq 0 ] || { echo "image: the program does not run in the image" >&2 && cat "$place/demo.log" && exit 1; }
echo "image: $place/image:$version, $(du -sb "$place/image" | cut -f 1) bytes, $digest"
rm -rf "$place/layer" "$place/root.tar"
