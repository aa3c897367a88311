#!/bin/sh
# Sends a generated corpus of requests, most of them malformed, to our HTTP server, directly and through nginx and HAProxy, and
# fails where a front counts another number of requests than our server, or where our server takes an invalid request or refuses
# a valid one. First shows on small servers with planted faults that the suite finds them. Then sends random pipelines of requests
# in random pieces to our server alone. Prints JSON Lines: a summary for each front, and every run with a fault.
#
# Arguments go to Tests/Interop/smuggling/drive.py: with `--every 20` all takes less than a minute. WEB_PEER names a program to
# test in place of a fresh release build.

set -eu
"$(dirname "$0")/setup.sh" all >&2
. "$(dirname "$0")/environment.sh"

if [ -z "${WEB_PEER:-}" ]; then
    swift build $release --product web-peer </dev/null >&2
    WEB_PEER="$(swift build $release --show-bin-path)/web-peer"
fi

# The sockets, configurations and logs of the proxies.
TMPDIR=$(mktemp -d)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
suite=Tests/Interop/smuggling
python3 $suite/drive.py --self-test </dev/null
python3 $suite/drive.py --server "$WEB_PEER" "$@" </dev/null
for seed in 1 2 3; do python3 $suite/pipelines.py --server "$WEB_PEER" --seed $seed </dev/null; done
