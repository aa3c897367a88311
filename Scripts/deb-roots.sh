#!/bin/bash
# The Debian package in minimal roots of Debian 12 and 13 without a toolchain: built, judged by lintian, installed, run up to its first QR
# code, its manual read, a phone read at the desk in four commands, upgraded over an older version that has data, removed, purged. Takes
# root. Skips, and says so, where Debian's packages are not reached.
set -euo pipefail
. "$(dirname "$0")/environment.sh"

label=deb-roots
place=.build-deb-roots
log=$place/apt.log
[ "$(id -u)" -eq 0 ] || { echo "deb-roots: making a root takes root" >&2 && exit 9; }
. Scripts/registries.sh
command -v mmdebstrap lintian >/dev/null || need_packages package "there is no mmdebstrap or lintian"
fail() { echo "deb-roots: $1" >&2 && exit 1; }

Scripts/deb.sh --no-trial
package=$(ls .build-deb/symbolon_*.deb)
lintian --allow-root --fail-on error,warning "$package" || fail "lintian complains"

# The same files as an older version, to upgrade from.
rm -rf "$place/older" "$place/older.deb"
dpkg-deb -R "$package" "$place/older"
sed -i 's/^Version: .*/Version: 0.1.9-1/' "$place/older/DEBIAN/control"
dpkg-deb --root-owner-group -b "$place/older" "$place/older.deb" >/dev/null

inside() { chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@" </dev/null; }
release() {
    for mounted in proc dev; do
        if mountpoint -q "$root/$mounted"; then umount -l "$root/$mounted"; fi
    done
}
files() { (cd "$root" && find etc usr var/lib | grep -v "__pycache__\|/ld.so.cache\|^var/lib/dpkg\|^var/lib/apt\|^var/lib/systemd" | LC_ALL=C sort); }
apt() { inside apt-get -qq -y --no-install-recommends "$@" >>"$log" 2>&1 || without_debian "apt-get $1 failed in the root"; }

# Guides and manual lead to each other only, and each example is what it is called.
judge_documents() {
    local page target documents=/usr/share/doc/symbolon
    while read -r page; do
        while read -r target; do
            [ -e "$(dirname "$page")/$target" ] || fail "$page leads to $target, which the package does not have"
        done < <(grep -oE '\]\([^()#:]+' "$page" | cut -c 3-)
    done < <(find "$root$documents" -name '*.md')
    for target in trust.txt settings agent.conf scenario.txt policy.json events.jsonl log/run.json national-id.json; do
        [ -s "$root$documents/examples/$target" ] || fail "the package has no example $target"
    done
    inside symbolon verify $documents/examples/national-id.json --trust $documents/examples/trust.txt >/dev/null || fail "the example is not genuine"
    inside symbolon agent config show --config $documents/examples/agent.conf >/dev/null || fail "the example of settings is not read"
    inside symbolon prox report $documents/examples/log --out /tmp/page.html >/dev/null 2>&1 || fail "the example of a log is not read"
    inside symbolon prox simulate $documents/examples/scenario.txt --hours 1m --alone >/dev/null || fail "the example of a scenario is not read"
}

judge() {
    local suite=$1 began
    root=$PWD/$place/$suite
    release
    rm -rf "$root"
    mmdebstrap --variant=apt "$suite" "$root" >>"$log" 2>&1 || without_debian "the root of $suite could not be made"
    trap release EXIT
    mount -t proc proc "$root/proc"
    mount --bind /dev "$root/dev"
    cp /etc/resolv.conf /etc/hosts "$root/etc/"
    cp "$package" "$root/srv/symbolon.deb"
    cp "$place/older.deb" "$root/srv/older.deb"
    apt update

    # From apt to the first QR code.
    began=$(date +%s%N)
    apt install /srv/symbolon.deb
    inside sh -c 'mkdir /srv/inbox && timeout 20 symbolon receive --radio virtual --out /srv/inbox' >"$place/receive.log" 2>&1 &
    local receiver=$!
    until grep -q '▀\|█' "$place/receive.log" 2>/dev/null; do
        kill -0 $receiver 2>/dev/null || fail "receive shows no QR code in $suite: $(cat "$place/receive.log")"
        sleep 0.05
    done
    echo "deb-roots: $suite: $((($(date +%s%N) - began) / 1000000)) ms from apt install to the first QR code"
    wait $receiver || true
    inside symbolon demo >"$place/demo.log" 2>&1 || fail "the demo fails in $suite: $(tail -n 3 "$place/demo.log")"
    echo "deb-roots: $suite: $(inside symbolon --version), $(inside ldd /usr/bin/symbolon | grep -c '=>') libraries"
    apt install man-db
    local text
    text=$(inside env MANWIDTH=80 man symbolon-send)
    grep -q 'Sends a file' <<<"$text" || fail "man symbolon-send shows nothing in $suite"
    text=$(inside env MANWIDTH=80 man 5 symbolon-trust)
    grep -q 'issuer ID' <<<"$text" || fail "man 5 symbolon-trust shows nothing in $suite"
    judge_documents
    python3 -B Tests/Interop/desk/walk.py "$root" || fail "a stranger's way with phones fails in $suite"
    # Libraries and man-db stay, the package goes.
    apt purge symbolon
    files >"$place/before"

    apt install /srv/older.deb
    inside symbolon agent run --data /var/lib/symbolon-agent --listen 127.0.0.1:0 --for 1s >"$place/agent.log" 2>&1 ||
        fail "the agent does not run in $suite: $(tail -n 3 "$place/agent.log")"
    echo "label = Changed" >>"$root/etc/symbolon/agent.conf"
    apt -o Dpkg::Options::=--force-confold install /srv/symbolon.deb
    [ "$(inside dpkg-query -W -f '${Version}' symbolon)" != 0.1.9-1 ] || fail "the package is not upgraded in $suite"
    inside symbolon agent verify --data /var/lib/symbolon-agent >>"$log" 2>&1 || fail "the store is not whole after an upgrade in $suite"
    inside symbolon agent config show --config /etc/symbolon/agent.conf | grep -q 'Changed' || fail "an upgrade loses settings in $suite"
    apt remove symbolon
    [ -e "$root/var/lib/symbolon-agent/agent.sqlite" ] || fail "a removal takes the data away in $suite"
    [ ! -e "$root/usr/bin/symbolon" ] || fail "the program stays after a removal in $suite"
    apt purge symbolon
    files >"$place/after"
    diff "$place/before" "$place/after" || fail "files stay after a purge in $suite"
    echo "deb-roots: $suite: upgraded, removed and purged; nothing stays"
    release
    trap - EXIT
    rm -rf "$root"
}
for suite in ${SUITES:-bookworm trixie}; do judge "$suite"; done
