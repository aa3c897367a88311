#!/bin/sh
# A cloud agent at work for MINUTES (120): steady mail, clients that come and go, keys and accounts that change. Its memory,
# files and queue are looked at each half minute and written with what clients counted, as JSON Lines, to OUT
# (.build/soak-agent.jsonl); the last line holds the verdict. make soak-short is the short form. SYMBOLON names a program in place of a
# fresh release build, and SYMBOLON_LAB the one that runs the clients.

set -eu
. "$(dirname "$0")/environment.sh"
if [ -z "${SYMBOLON:-}" ]; then
    Scripts/setup.sh build
    swift build $release --product symbolon >&2
    SYMBOLON=$PWD/.build/release/symbolon
fi
if [ -z "${SYMBOLON_LAB:-}" ]; then
    swift build $release --product symbolon-lab >&2
    SYMBOLON_LAB=$PWD/.build/release/symbolon-lab
fi
exec python3 Tests/Interop/soak/agent.py --program "$SYMBOLON" --loader "$SYMBOLON_LAB" --minutes "${MINUTES:-120}" --rate "${RATE:-30}" \
    --accounts "${ACCOUNTS:-40}" --seed "${SEED:-1}" --out "${OUT:-.build/soak-agent.jsonl}"
