#!/bin/sh
# Kills processes that write into a vault, KILLS of them (200), and lets two write for SECONDS (60); not part of the gates.

set -eu
"$(dirname "$0")/setup.sh" build
. "$(dirname "$0")/environment.sh"
SYMBOLON_VAULT_KILLS="${KILLS:-200}" SYMBOLON_VAULT_SECONDS="${SECONDS_OF_WRITING:-60}" \
    swift test --disable-xctest --filter '^VaultTests\.KillTests'
