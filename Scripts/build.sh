#!/bin/sh
# Builds the release binary, .build/release/symbolon.
# Installs what is missing first.

set -eu
"$(dirname "$0")/setup.sh" build
. "$(dirname "$0")/environment.sh"
swift build -c release --product symbolon </dev/null
