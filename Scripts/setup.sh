#!/bin/sh
# Installs the Debian packages that are missing: `setup.sh build` what a build needs, `setup.sh all` the tests' too,
# `setup.sh interop` those of the machine with a real BlueZ, `setup.sh peers` those of other people's agents, `setup.sh fresh` that
# of a new machine's root, `setup.sh deb` those of the Debian package, `setup.sh package` those that judge it and make images,
# `setup.sh screens` those of transcripts, `setup.sh failover` the servers of a database that fails over.
# Does nothing when nothing is missing; without the right to install it prints the command to run and exits 9.

set -eu
cd "$(dirname "$0")/.."

case "${1:-all}" in
build) sections='\[build\]' ;;
all) sections='\[build\]|\[test\]' ;;
interop) sections='\[interop\]|\[peers\]' ;;
peers) sections='\[peers\]' ;;
fresh) sections='\[fresh\]' ;;
deb) sections='\[build\]|\[deb\]' ;;
package) sections='\[deb\]|\[package\]' ;;
failover) sections='\[test\]|\[failover\]' ;;
screens) sections='\[screens\]|\[peers\]|\[test\]' ;;
*)
    echo "usage: Scripts/setup.sh [build|all|interop|peers|fresh|deb|package|screens|failover]" >&2
    exit 2
    ;;
esac

wanted=$(awk -v sections="^($sections)\$" '
    /^\[/ { listed = ($1 ~ sections); next }
    listed && $1 ~ /^[a-z0-9]/ { print $1 }' Scripts/packages.debian)

if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "This is not Debian, so nothing was installed. Needed are, under your system's names:" >&2
    echo "$wanted" | tr '\n' ' ' >&2
    echo >&2
    exit 9
fi

installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' 2>/dev/null | awk '$1 == "installed" { print $2 }')
missing=""
for package in $wanted; do
    if ! printf '%s\n' "$installed" | grep -qx -- "$package"; then
        missing="$missing $package"
    fi
done

if [ -n "$missing" ]; then
    if [ "$(id -u)" -eq 0 ]; then
        as_root="env"
    elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
        as_root="sudo -n env"
    else
        echo "Some packages are missing, and installing them takes root. Please run:" >&2
        echo "    sudo apt-get update && sudo apt-get install --no-install-recommends$missing" >&2
        exit 9
    fi
    echo "Installing:$missing"
    $as_root DEBIAN_FRONTEND=noninteractive apt-get -qq update
    # Tests start servers of their own: none is to run on this machine because its package came.
    policy=/usr/sbin/policy-rc.d
    ours=no
    if [ ! -e $policy ]; then
        trap '$as_root rm -f $policy' EXIT
        printf '#!/bin/sh\nexit 101\n' | $as_root tee $policy >/dev/null
        $as_root chmod 755 $policy
        ours=yes
    fi
    # shellcheck disable=SC2086
    $as_root DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends $missing </dev/null >/dev/null
    if [ $ours = yes ]; then
        $as_root rm -f $policy
        trap - EXIT
    fi
fi

. Scripts/environment.sh
