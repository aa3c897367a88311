#!/bin/sh
# Foreign clients and servers of HTTP and WebSocket against ours, plain and over TLS: curl, Node, aiohttp, websockets, wrk.
# Then cases of RFC 6455 and RFC 9112, each with its section, in both directions: Tests/Interop/websocket.
# Says its figures: requests per second, and what an idle socket costs. Skips, and says so, only where PyPI is not reached.
# WEB_PEER names a program to test in place of a fresh release build.

set -eu
. "$(dirname "$0")/environment.sh"

label=interop-web
place=.build-interop/web
log=$place/setup.log
. Scripts/registries.sh

prepare() (
    need_venv
    requirements=Tests/Interop/web/requirements.txt
    make_venv "$place/venv" python3 "$(sha256sum $requirements | cut -c 1-16)" -r $requirements \
        || without_pypi "$place/venv" "the peers could not be installed"
)
status=0
prepare || status=$?
if [ "$status" -eq 77 ]; then exit 0; fi
[ "$status" -eq 0 ] || exit "$status"

if [ -z "${WEB_PEER:-}" ]; then
    swift build $release --product web-peer </dev/null
    WEB_PEER="$(swift build $release --show-bin-path)/web-peer"
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$place/venv/bin/python" Tests/Interop/web/drive.py "$WEB_PEER" "$folder" </dev/null
"$place/venv/bin/python" Tests/Interop/websocket/run.py "$WEB_PEER" "$folder" </dev/null
