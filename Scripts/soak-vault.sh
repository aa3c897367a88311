#!/bin/sh
# Kills processes that write into a vault, KILLS of them (200), and lets two write for SECONDS (60); make soak-short is the short form.

set -eu
export SYMBOLON_VAULT_KILLS="${KILLS:-200}" SYMBOLON_VAULT_SECONDS="${SECONDS_OF_WRITING:-60}"
LIMIT=5000 exec "$(dirname "$0")/test.sh" Vault/KillTests
