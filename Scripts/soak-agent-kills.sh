#!/bin/sh
# Kills cloud agents under load: KILLS of them (100) that keep their messages in SQLite, and as many of two that share one
# PostgreSQL, one after the other; not part of the gates.

set -eu
"$(dirname "$0")/setup.sh" build
. "$(dirname "$0")/environment.sh"
SYMBOLON_AGENT_KILLS="${KILLS:-100}" swift test --disable-xctest --filter '^CloudAgentTests\.AgentKillTests'
