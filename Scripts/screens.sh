#!/bin/bash
# What users see in terminals of 80 by 24. `screens.sh`: receive and send, a transcript of each stage in .build/transcripts, and the code on
# the verifier's screen read back by zbarimg from a picture. `screens.sh pictures`: the pictures of the README, in Documentation/Pictures.
# SYMBOLON names a program in place of a fresh release build.
set -euo pipefail
. "$(dirname "$0")/environment.sh"

if [ "${1:-}" = pictures ]; then
    release_programs symbolon
    exec python3 -B Tests/Interop/screens/pictures.py "$SYMBOLON"
fi
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
release_programs symbolon
exec python3 -B Tests/Interop/screens/transcripts.py "$SYMBOLON" "$place"
