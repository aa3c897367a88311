#!/bin/sh
# Floods a cloud agent from one source while clients of others use it, and fails where those wait longer than 100 ms at the 99th
# percentile or get an error, where a minute later the resident memory is more than 1.3 times that at the start, or where the
# operator's listener does not answer while the public one is full. Once with sources that a trusted proxy names, and once with
# addresses of this machine. Prints JSON Lines.
#
# Arguments go to Tests/Interop/floods/drive.py. SYMBOLON names a program to test in place of a fresh release build.

set -eu
. "$(dirname "$0")/environment.sh"

if [ -z "${SYMBOLON:-}" ]; then
    # shellcheck disable=SC2086
    swift build $release --product symbolon </dev/null >&2
    # shellcheck disable=SC2086
    SYMBOLON="$(swift build $release --show-bin-path)/symbolon"
fi
python3 Tests/Interop/floods/drive.py --program "$SYMBOLON" "$@" </dev/null
exec python3 Tests/Interop/floods/drive.py --program "$SYMBOLON" --direct "$@" </dev/null
