#!/bin/sh
# Kills cloud agents under load: KILLS of them (100) that keep their messages in SQLite, and as many of two that share one
# PostgreSQL, one after the other; not part of the gates.

set -eu
export SYMBOLON_AGENT_KILLS="${KILLS:-100}"
exec "$(dirname "$0")/test.sh" --filter '^CloudAgentTests\.AgentKillTests'
