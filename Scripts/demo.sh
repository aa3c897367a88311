#!/bin/sh
# Sets up, builds and runs the demonstration: a credential crosses from a wallet to a verifier over the virtual radio.
# What follows on the command line goes to `symbolon demo`.

set -eu
"$(dirname "$0")/build.sh"
cd "$(dirname "$0")/.."
exec .build/release/symbolon demo "$@"
