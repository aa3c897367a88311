#!/bin/sh
# Foreign clients and servers of HTTP and WebSocket against ours, plain and over TLS: curl, Node, aiohttp, websockets, wrk.
# Says its figures: requests per second, and what an idle socket costs. Skips, and says so, only where PyPI is not reached.
# WEB_PEER names a program to test in place of a fresh release build.

set -eu
. "$(dirname "$0")/environment.sh"

place=.build-interop/web
pins=$(sha256sum Tests/Interop/web/requirements.txt | cut -c 1-16)
if [ "$(cat "$place/installed" 2>/dev/null || true)" != "$pins" ]; then
    rm -rf "$place"
    mkdir -p "$place"
    python3 -c 'import venv, ensurepip' 2>/dev/null || Scripts/setup.sh peers >"$place/setup.log" 2>&1
    python3 -m venv "$place/venv"
    if ! timeout 600 "$place/venv/bin/pip" install --quiet --disable-pip-version-check --retries 2 --timeout 20 \
        -r Tests/Interop/web/requirements.txt >"$place/setup.log" 2>&1; then
        echo "interop-web: SKIPPED: PyPI is not reached (details in $place/setup.log)" >&2
        exit 0
    fi
    echo "$pins" >"$place/installed"
fi

if [ -z "${WEB_PEER:-}" ]; then
    swift build -c release --product web-peer </dev/null
    WEB_PEER="$(swift build -c release --show-bin-path)/web-peer"
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$place/venv/bin/python" Tests/Interop/web/drive.py "$WEB_PEER" "$folder" </dev/null
