#!/bin/sh
# The soaks in short form: 100 transfers between processes, 40 kills of writers of a vault, 20 kills of cloud agents, and two
# minutes of a cloud agent at work.

set -eu
cd "$(dirname "$0")/.."
TRANSFERS=100 Scripts/soak.sh
KILLS=40 SECONDS_OF_WRITING=10 Scripts/soak-vault.sh
KILLS=20 Scripts/soak-agent-kills.sh
MINUTES=2 Scripts/soak-agent.sh
