#!/bin/sh
# A cloud agent under load for a minute while its disk is full, and for a minute while its database is away: at most ten lines of
# log with the cause, at most 5 % of a core, ready and at work again within five seconds, nothing lost. Prints JSON Lines.
#
# Arguments go to Tests/Interop/outages/drive.py. SYMBOLON and SYMBOLON_LAB name programs in place of fresh release builds. Runs as
# root, in a mount namespace of its own, because the small disk is a file system in memory.

set -eu
. "$(dirname "$0")/environment.sh"

if [ "$(id -u)" -ne 0 ]; then
    echo "outages: SKIPPED, because a small file system can be mounted by root alone" && exit 0
fi
release_programs
exec unshare -m --propagation private python3 Tests/Interop/outages/drive.py --program "$SYMBOLON" --loader "$SYMBOLON_LAB" "$@" </dev/null
