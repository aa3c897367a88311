#!/bin/bash
# The package on Debian 13: a new root of it, made by mmdebstrap, in which the Swift toolchain of this machine is mounted and the last
# commit is cloned. The program and the suites of HTTP1 and WebTransport are built there, the suites run, and the program serves one
# request and one WebSocket over TLS. Takes root. Skips, and says so, where Debian's packages are not reached. ROOT keeps the root in
# a folder of that name, and goes on in one that is there.
set -euo pipefail
. "$(dirname "$0")/environment.sh"

label=debian-13
place=.build-debian-13
log=$place/setup.log
. Scripts/registries.sh

[ "$(id -u)" -eq 0 ] || { echo "debian-13: making a root takes root" >&2 && exit 9; }
root=${ROOT:-$PWD/$place/root}
toolchain=$(dirname "$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")")
commit=$(git rev-parse HEAD)

# Nothing of this machine may be left mounted in a folder that is removed.
release_root() {
    local mounted
    for mounted in opt/swift sys proc dev; do
        if mountpoint -q "$root/$mounted"; then umount -l "$root/$mounted"; fi
    done
}
trap release_root EXIT

# What a build needs has the same names as on Debian 12; the package that replaces libcurl4 provides that name.
prepare() (
    command -v mmdebstrap >/dev/null || need_packages package "there is no mmdebstrap"
    packages=$(awk '/^\[/ { listed = ($1 == "[build]"); next } listed && $1 ~ /^[a-z0-9]/ { printf "%s,", $1 }' Scripts/packages.debian)
    packages=${packages/libcurl4,/libcurl4t64,}
    timeout 900 mmdebstrap --variant=minbase --include="${packages}openssl,curl,git,ca-certificates" trixie "$root" >>"$log" 2>&1 ||
        without_debian "the root could not be made"
)
release_root
if [ ! -d "$root/srv/symbolon" ]; then
    rm -rf "$root"
    status=0
    prepare || status=$?
    if [ "$status" -eq 77 ]; then exit 0; fi
    [ "$status" -eq 0 ] || exit "$status"
    git clone -q . "$root/srv/symbolon"
fi
# Debian's installer writes this file, and mmdebstrap does not.
[ -s "$root/etc/hosts" ] || printf '127.0.0.1 localhost\n::1 localhost\n' >"$root/etc/hosts"

mkdir -p "$root/opt/swift"
mount --bind /dev "$root/dev"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount --bind -o ro "$toolchain" "$root/opt/swift"
git -C "$root/srv/symbolon" fetch -q "$PWD" HEAD
git -C "$root/srv/symbolon" checkout -q --detach "$commit"

inside() {
    chroot "$root" env -i HOME=/root PATH=/opt/swift/usr/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
        SYMBOLON_TARGETS="HTTP1Tests WebTransportTests symbolon" SYMBOLON_COMMIT="${commit:0:12}" "$@" </dev/null
}
echo "debian-13: Debian $(cat "$root/etc/debian_version"), $(inside openssl version | cut -d' ' -f1,2), $(inside swift --version 2>/dev/null | grep -o 'Swift version [0-9.]*')"

began=$SECONDS
inside swift build --package-path /srv/symbolon --build-tests >>"$log" 2>&1 || { tail -n 40 "$log" && exit 1; }
echo "debian-13: built in $((SECONDS - began)) s"

binaries=$(inside swift build --package-path /srv/symbolon --show-bin-path 2>/dev/null)
bundle=$(find "$root$binaries" -maxdepth 1 -name '*PackageTests.xctest' -type f | head -n 1)
for module in HTTP1 WebTransport; do
    inside timeout 600 "${bundle#"$root"}" --testing-library swift-testing --no-parallel --filter "^${module}Tests\\." \
        >"$place/$module.log" 2>&1 || { grep -E '✘|rror: |Fatal|↳' "$place/$module.log" | head -n 40 && exit 1; }
    echo "debian-13: $module: $(grep -oE 'Test run with [0-9]+ tests?.* passed' "$place/$module.log" | tail -n 1)"
done

# The program: its agent answers curl over TLS, a request and the opening of a WebSocket.
inside openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost -keyout /srv/key.pem -out /srv/cert.pem 2>/dev/null
inside timeout 30 "$binaries/symbolon" agent run --json --listen 127.0.0.1:0 --data /srv/agent --tls-cert /srv/cert.pem \
    --tls-key /srv/key.pem --for 10s >"$place/agent.log" 2>&1 &
agent=$!
for _ in $(seq 100); do
    if grep -q cloud-agent "$place/agent.log"; then break; fi
    sleep 0.1
done
port=$(grep -o '"address":"[^"]*"' "$place/agent.log" | head -n 1 | grep -oE '[0-9]+"$' | tr -d '"')
ask() { inside curl -s --max-time 5 --http1.1 --cacert /srv/cert.pem -o /dev/null -w '%{http_code}' "$@"; }
answer=$(ask "https://localhost:$port/" || true)
opened=$(ask -H 'Connection: Upgrade' -H 'Upgrade: websocket' -H 'Sec-WebSocket-Version: 13' \
    -H 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==' "https://localhost:$port/" || true)
wait "$agent" || true
[ "$answer" = 200 ] && [ "$opened" = 101 ] || {
    echo "debian-13: the agent answers $answer to a request and $opened to a WebSocket, not 200 and 101" >&2
    tail -n 5 "$place/agent.log" >&2
    exit 1
}
echo "debian-13: the agent serves requests and WebSockets over TLS"
release_root
[ -n "${ROOT:-}" ] || rm -rf "$root"
