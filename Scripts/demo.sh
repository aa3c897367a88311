#!/bin/sh
# Sets up, builds and runs the demonstration: a credential crosses from a wallet to a verifier over the virtual radio. The program is
# .build-demo/debug/symbolon: a debug build takes a sixth of the time of a release build, and has a folder of its own, because builds of
# tests have other flags. What follows on the command line goes to `symbolon demo`.

set -eu
"$(dirname "$0")/setup.sh" build
. "$(dirname "$0")/environment.sh"
swift build --scratch-path .build-demo --product symbolon </dev/null
exec .build-demo/debug/symbolon demo "$@"
