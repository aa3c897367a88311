#!/bin/bash
# A Debian package of the last commit's release build, in .build-deb: symbolon_VERSION_ARCHITECTURE.deb. The same commit gives the
# same bytes: times are those of the commit, and files have one order and one owner. It runs on Debian 12 and 13.
# Then the package is installed in a new root of Debian 12 and started there; that is skipped, with a line that says so, where Debian's
# packages are not reached or this user may make no root. `deb.sh --no-trial` leaves it out.

set -euo pipefail
cd "$(dirname "$0")/.."
Scripts/setup.sh deb
Scripts/build.sh symbolon
. Scripts/environment.sh

fail() { echo "deb: $1" >&2 && exit 1; }
place=.build-deb
stage=$place/stage
rm -rf "$place"
mkdir -p "$stage/DEBIAN" "$place/debian"
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
program=$(.build/release/symbolon --version | cut -d ' ' -f 2)
# A commit without the tag of its version comes before that version.
version=$program-1
if [ "$(git describe --tags --exact-match 2>/dev/null || true)" != "v$program" ]; then
    version="$program~$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y%m%d%H%M%S).$(git rev-parse --short=8 HEAD)-1"
fi
architecture=$(dpkg --print-architecture)

PREFIX=/usr DESTDIR=$PWD/$stage Scripts/install.sh
# Two builds of one commit differ in the compiler's hashes of its modules alone, which only its own incremental builds read, and
# in the identifier that the linker makes of the bytes, behind the 16 bytes of its note's head. Both become zeros.
clear_section() {
    set -- "$2" $(readelf -SW "$stage/usr/bin/symbolon" | sed 's/^ *\[ *[0-9]*\] //' | awk -v name="$1" '$1 == name { print $4, $5 }')
    # Another compiler or linker may write no such section.
    [ $# -eq 3 ] || return 0
    dd if=/dev/zero of="$stage/usr/bin/symbolon" bs=1 seek=$((0x$2 + $1)) count=$((0x$3 - $1)) conv=notrunc status=none
}
clear_section .swift_modhash 0
clear_section .note.gnu.build-id 16
install -D -m 644 "$stage/usr/share/doc/symbolon/examples/agent.conf" "$stage/etc/symbolon/agent.conf"
documents=$stage/usr/share/doc/symbolon
install -m 644 Packaging/debian/copyright "$documents/copyright"
install -D -m 644 Packaging/debian/lintian-overrides "$stage/usr/share/lintian/overrides/symbolon"
gzip -9nc CHANGELOG.md >"$documents/changelog.gz"
{
    echo "symbolon ($version) stable; urgency=medium"
    echo
    echo "  * The changes are those of changelog.gz beside this file."
    echo
    echo " -- $(sed -n 's/^Maintainer: //p' Packaging/debian/control)  $(date -u -R -d "@$SOURCE_DATE_EPOCH")"
} | gzip -9nc >"$documents/changelog.Debian.gz"
chmod 644 "$documents"/*.gz
echo /etc/symbolon/agent.conf >"$stage/DEBIAN/conffiles"
for script in postinst prerm postrm; do install -m 755 "Packaging/debian/$script" "$stage/DEBIAN/$script"; done

# The packages of the libraries that the program names.
printf 'Source: symbolon\n\nPackage: symbolon\nArchitecture: any\n' >"$place/debian/control"
(cd "$place" && dpkg-shlibdeps -O stage/usr/bin/symbolon) >"$place/depends" 2>"$place/depends.log" ||
    fail "dpkg-shlibdeps failed: $(tail -n 3 "$place/depends.log")"
depends=$(sed -n 's/^shlibs:Depends=//p' "$place/depends")
[ -n "$depends" ] || fail "dpkg-shlibdeps found no packages for the libraries of the program: $(cat "$place/depends.log")"
sed -e "s|@VERSION@|$version|" -e "s|@ARCHITECTURE@|$architecture|" -e "s|@DEPENDS@|$depends|" \
    -e "s|@SIZE@|$(du -sk --apparent-size --exclude DEBIAN "$stage" | cut -f 1)|" Packaging/debian/control >"$stage/DEBIAN/control"
(cd "$stage" && find usr -type f | LC_ALL=C sort | xargs md5sum) >"$stage/DEBIAN/md5sums"
find "$stage" -type d -exec chmod 755 {} +
find "$stage" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +

package=$place/symbolon_${version}_$architecture.deb
dpkg-deb --root-owner-group -Zxz --build "$stage" "$package" >/dev/null
echo "deb: $package, $(wc -c <"$package") bytes, $(sha256sum "$package" | cut -d ' ' -f 1)"
[ "${1:-}" != --no-trial ] || exit 0

# The program as a user gets it: libraries from the package's Depends only.
label=deb
log=$place/trial.log
try_package() (
    . Scripts/registries.sh
    [ "$(id -u)" -eq 0 ] || unshare --user --map-auto true 2>>"$log" || skip "this user may make no root to try the package in"
    began=$SECONDS
    # The Swift runtime reads a program's arguments in /proc, which the hook's chroot has.
    mmdebstrap --variant=apt --include="$PWD/$package" --hook-dir=/usr/share/mmdebstrap/hooks/file-mirror-automount \
        --customize-hook='chroot "$1" symbolon --version >&2 && chroot "$1" symbolon demo >&2' \
        bookworm "$place/root.tar" >>"$log" 2>&1 || without_debian "the package does not install and start in a new root"
    grep '^symbolon ' "$log" | sed "s/^/deb: starts in a new root: /"
    echo "deb: tried in $((SECONDS - began)) s"
)
status=0
try_package || status=$?
rm -f "$place/root.tar"
[ "$status" -eq 0 ] || [ "$status" -eq 77 ] || { tail -n 5 "$log" >&2 && exit "$status"; }
