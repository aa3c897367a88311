#!/bin/sh
# Two instances of a cloud agent at RATE (200) messages a second on replicated PostgreSQL, which is killed, frozen, split, cut off, put
# behind poolers and proxies, and led by Patroni: CASES (all; "list" prints them), each COUNT (1) times at moments that SEED (1) decides.
# Writes JSON Lines to OUT (.build/failover-agent.jsonl), and prints them and a table.
#
# SYMBOLON and SYMBOLON_LAB name programs in place of fresh release builds. Runs as root, in namespaces of its own for mounts and for the
# network: a disk that is full is a file system in memory, and what is cut off is cut off for these processes alone.

set -eu
. "$(dirname "$0")/environment.sh"

if [ "$(id -u)" -ne 0 ]; then
    echo "failover-agent: SKIPPED: network namespaces and small file systems are made by root alone" && exit 0
fi
Scripts/setup.sh failover >&2
release_programs
[ "${CASES:-}" = list ] && CASES="" && set -- --list "$@"
mkdir -p .build
export SYMBOLON SYMBOLON_LAB
# Debian's own Python has the module by which servers are asked.
exec unshare --mount --net --propagation private sh -c 'ip link set lo up && exec /usr/bin/python3 Tests/Interop/failover/drive.py "$@"' - \
    --program "$SYMBOLON" --loader "$SYMBOLON_LAB" --cases "${CASES:-}" --count "${COUNT:-1}" --rate "${RATE:-200}" \
    --seed "${SEED:-1}" --out "${OUT:-.build/failover-agent.jsonl}" "$@" </dev/null
