#!/bin/bash
# The README's commands as on a new machine: a root of Debian 12 with ca-certificates, git and make, made by debootstrap, in which
# the Swift toolchain is mounted and the last commit is cloned. Then the program that they built runs in a second root, which holds
# the libraries that `ldd` names and nothing else. Takes root; three quarters of an hour. Skips, and says so, where Debian's packages are not
# reached. ROOT keeps the first root in a folder of that name, to be looked at.
set -euo pipefail
. "$(dirname "$0")/environment.sh"

label=fresh-root
place=.build-fresh
log=$place/setup.log
. Scripts/registries.sh

[ "$(id -u)" -eq 0 ] || { echo "fresh-root: making a root takes root" >&2 && exit 9; }
root=${ROOT:-$PWD/$place/root}
toolchain=$(dirname "$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")")
vectors=${SYMBOLON_VECTORS:-$PWD/../shared/vectors}

# Nothing of this machine may be left mounted in a folder that is removed.
release_root() {
    local mounted
    for mounted in srv/shared/vectors srv/shared/credentials opt/swift sys proc dev/pts dev; do
        if mountpoint -q "$root/$mounted"; then umount -l "$root/$mounted"; fi
    done
    if [ -n "${bare:-}" ] && mountpoint -q "$bare/proc"; then umount -l "$bare/proc"; fi
}
remove_root() {
    release_root
    if findmnt -rn -o TARGET | grep -q "^$root/"; then
        echo "fresh-root: something is still mounted below $root" >&2
        exit 1
    fi
    rm -rf "$root"
}
trap release_root EXIT

prepare() (
    command -v debootstrap >/dev/null || need_packages fresh "there is no debootstrap"
    timeout 900 debootstrap --variant=minbase --include=ca-certificates,git,make bookworm "$root" >>"$log" 2>&1 ||
        without_debian "the root could not be made"
)
remove_root
status=0
prepare || status=$?
if [ "$status" -eq 77 ]; then exit 0; fi
[ "$status" -eq 0 ] || exit "$status"

mkdir -p "$root/opt/swift" "$root/srv/shared"
mount --bind /dev "$root/dev"
mount --bind /dev/pts "$root/dev/pts"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount --bind -o ro "$toolchain" "$root/opt/swift"
# The outside data, as tests find them beside the project.
for outside in vectors credentials; do
    from=$vectors
    [ "$outside" = vectors ] || from=$(dirname "$vectors")/$outside
    if [ -d "$from" ]; then
        mkdir "$root/srv/shared/$outside"
        mount --bind -o ro "$from" "$root/srv/shared/$outside"
    fi
done
cp /etc/resolv.conf "$root/etc/resolv.conf"
cp /etc/hosts "$root/etc/hosts"
git clone -q . "$root/srv/symbolon"

inside() { chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 "$@" </dev/null; }
for target in demo deb test; do
    began=$SECONDS
    inside make --no-print-directory -C /srv/symbolon $target
    echo "fresh-root: make $target: $((SECONDS - began)) s"
done

# A root with the program, its libraries and the loader.
bare=$PWD/$place/bare
if mountpoint -q "$bare/proc"; then umount -l "$bare/proc"; fi
rm -rf "$bare"
mkdir -p "$bare/tmp" "$bare/proc"
# The Swift runtime reads a program's arguments there.
mount -t proc proc "$bare/proc"
program=/srv/symbolon/.build/release/symbolon
libraries=$(inside ldd $program | grep -oE '/[^ ]+')
for library in $libraries; do
    mkdir -p "$bare$(dirname "$library")"
    cp -L "$root$library" "$bare$library"
done
cp "$root$program" "$bare/symbolon"
if printf '%s\n' "$libraries" | grep -q swift; then
    echo "fresh-root: the program needs the Swift toolchain's libraries" >&2
    exit 1
fi
chroot "$bare" /symbolon --help >/dev/null
chroot "$bare" /symbolon demo >"$place/bare-demo.log" 2>&1 || { cat "$place/bare-demo.log" && exit 1; }
tail -n 3 "$place/bare-demo.log"
# libpq is not among these libraries: it is opened only for a store in PostgreSQL.
if chroot "$bare" /symbolon agent verify --store postgres://none.example/none >"$place/bare-postgres.log" 2>&1 ||
    ! grep -q cloud.store.library "$place/bare-postgres.log"; then
    echo "fresh-root: a store in PostgreSQL is not refused by cloud.store.library where there is no libpq" >&2
    cat "$place/bare-postgres.log"
    exit 1
fi
echo "fresh-root: $(wc -c <"$bare/symbolon") bytes, $(printf '%s\n' "$libraries" | wc -l) libraries, none of a toolchain"
[ -n "${ROOT:-}" ] || remove_root
