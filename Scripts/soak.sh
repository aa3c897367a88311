#!/bin/sh
# Programs at work for a long time, and killed often: `soak.sh [KIND]...`, or all of them in short form.
#   transfers    TRANSFERS (1000) between real processes, with restarts and cancels of either side that SEED (1) decides; a quarter of an hour
#   vault        KILLS (200) of processes that write into a vault; then two processes write for SECONDS_OF_WRITING (60)
#   agent-kills  KILLS (100) of a cloud agent under load with SQLite, and as many of one of two that share one PostgreSQL
#   agent        a cloud agent for MINUTES (120): mail at RATE (30) for ACCOUNTS (40), clients that come and go; its memory, files and queue
#                each half minute, with what clients counted, as JSON Lines in OUT (.build/soak-agent.jsonl), the last one the verdict
# SYMBOLON and SYMBOLON_LAB name programs in place of fresh release builds.

set -eu
. "$(dirname "$0")/environment.sh"

if [ $# -eq 0 ]; then
    TRANSFERS=100 Scripts/soak.sh transfers
    KILLS=40 SECONDS_OF_WRITING=10 Scripts/soak.sh vault
    KILLS=20 Scripts/soak.sh agent-kills
    MINUTES=2 exec Scripts/soak.sh agent
fi
for kind in "$@"; do
    case "$kind" in
    transfers)
        release_programs symbolon
        python3 Tests/Interop/soak/transfers.py "$SYMBOLON" "${TRANSFERS:-1000}" "${SEED:-1}"
        ;;
    vault)
        SYMBOLON_VAULT_KILLS="${KILLS:-200}" SYMBOLON_VAULT_SECONDS="${SECONDS_OF_WRITING:-60}" LIMIT=5000 Scripts/test.sh Vault/KillTests
        ;;
    agent-kills) SYMBOLON_AGENT_KILLS="${KILLS:-100}" LIMIT=5000 Scripts/test.sh CloudAgent/AgentKillTests ;;
    agent)
        release_programs symbolon symbolon-lab
        python3 Tests/Interop/soak/agent.py --program "$SYMBOLON" --loader "$SYMBOLON_LAB" --minutes "${MINUTES:-120}" \
            --rate "${RATE:-30}" --accounts "${ACCOUNTS:-40}" --seed "${SEED:-1}" --out "${OUT:-.build/soak-agent.jsonl}"
        ;;
    *) echo "usage: Scripts/soak.sh [transfers|vault|agent-kills|agent]..." >&2 && exit 2 ;;
    esac
done
