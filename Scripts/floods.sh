#!/bin/sh
# Floods a cloud agent from one source while clients of others use it, and fails where those wait longer than 100 ms at the 99th
# percentile or get an error, where a minute later the resident memory is more than 1.3 times that at the start, or where the
# operator's listener does not answer while the public one is full. Prints JSON Lines.
#
# Arguments go to Tests/Interop/floods/drive.py: --direct floods from addresses of this machine, without a proxy. SYMBOLON names a program to test in place of a fresh release build.

set -eu
. "$(dirname "$0")/environment.sh"

if [ -z "${SYMBOLON:-}" ]; then
    # shellcheck disable=SC2086
    swift build $release --product symbolon </dev/null >&2
    # shellcheck disable=SC2086
    SYMBOLON="$(swift build $release --show-bin-path)/symbolon"
fi
exec python3 Tests/Interop/floods/drive.py --program "$SYMBOLON" "$@" </dev/null
