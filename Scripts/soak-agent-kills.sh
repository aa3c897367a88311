#!/bin/sh
# Kills cloud agents under load: KILLS of them (100) that keep their messages in SQLite, and as many of two that share one
# PostgreSQL, one after the other; make soak-short is the short form.

set -eu
export SYMBOLON_AGENT_KILLS="${KILLS:-100}"
LIMIT=5000 exec "$(dirname "$0")/test.sh" CloudAgent/AgentKillTests
