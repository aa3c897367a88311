#!/bin/bash
# receive and send in terminals of 80 by 24: transcripts of each stage in .build/transcripts, and the code on the verifier's screen
# read back by zbarimg from a picture. SYMBOLON names a program in place of a fresh release build.
set -euo pipefail
. "$(dirname "$0")/environment.sh"

label=transcripts
place=.build/transcripts
log=$place/setup.log
. Scripts/registries.sh

prepare() (
    for tool in tmux chromium zbarimg; do
        command -v $tool >/dev/null || need_packages screens "there is no $tool"
    done
)
status=0
prepare || status=$?
if [ "$status" -eq 77 ]; then exit 0; fi
[ "$status" -eq 0 ] || exit "$status"
if [ -z "${SYMBOLON:-}" ]; then
    # shellcheck disable=SC2086
    swift build $release --product symbolon </dev/null >&2
    # shellcheck disable=SC2086
    SYMBOLON="$(swift build $release --show-bin-path)/symbolon"
fi
exec python3 Tests/Interop/screens/transcripts.py "$SYMBOLON" "$place"
