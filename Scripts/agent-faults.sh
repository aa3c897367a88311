#!/bin/sh
# A cloud agent under load and in trouble; prints JSON Lines, and fails where clients or memory pay for it: `agent-faults.sh CASE [ARGUMENTS]`.
#   floods    one source floods it while clients of others use it: these wait at most 100 ms at the 99th percentile and get no error, a
#             minute later the resident memory is at most 1.3 times that at the start, and the operator's listener answers while the
#             public one is full; --direct floods from addresses of this machine, without a proxy
#   outages   a minute with a full disk, and a minute without its database: at most ten lines of log with the cause, at most 5 % of a
#             core, ready and at work again within five seconds, nothing lost (root)
#   failover  two instances at RATE (200) messages a second on replicated PostgreSQL, which is killed, frozen, split, cut off, put behind
#             poolers and proxies, and led by Patroni: CASES (all; "list" prints them), each COUNT (1) times at moments that SEED (1)
#             decides; also writes to OUT (.build/failover-agent.jsonl) (root)
# Further arguments go to Tests/Interop/CASE/drive.py. SYMBOLON and SYMBOLON_LAB name programs in place of fresh release builds. Root is
# needed for namespaces: a full disk is a file system in memory, and what is cut off is cut off for these processes only.

set -eu
. "$(dirname "$0")/environment.sh"

case=${1:-}
[ $# -eq 0 ] || shift
drive=Tests/Interop/$case/drive.py
case "$case" in
floods | outages | failover) ;;
*) echo "usage: Scripts/agent-faults.sh floods|outages|failover [ARGUMENTS]" >&2 && exit 2 ;;
esac
if [ "$case" != floods ] && [ "$(id -u)" -ne 0 ]; then
    echo "$case: SKIPPED: only root makes small file systems and network namespaces" && exit 0
fi
case "$case" in
floods)
    release_programs symbolon
    exec python3 "$drive" --program "$SYMBOLON" "$@" </dev/null
    ;;
outages)
    release_programs symbolon symbolon-lab
    exec unshare -m --propagation private python3 "$drive" --program "$SYMBOLON" --loader "$SYMBOLON_LAB" "$@" </dev/null
    ;;
failover)
    Scripts/setup.sh failover >&2
    release_programs symbolon symbolon-lab
    [ "${CASES:-}" = list ] && CASES="" && set -- --list "$@"
    mkdir -p .build
    # Debian's own Python has the module by which servers are asked.
    exec unshare --mount --net --propagation private sh -c 'ip link set lo up && exec /usr/bin/python3 "$0" "$@"' "$drive" \
        --program "$SYMBOLON" --loader "$SYMBOLON_LAB" --cases "${CASES:-}" --count "${COUNT:-1}" --rate "${RATE:-200}" \
        --seed "${SEED:-1}" --out "${OUT:-.build/failover-agent.jsonl}" "$@" </dev/null
    ;;
esac
