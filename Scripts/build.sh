#!/bin/sh
# Builds the release binary, .build/release/symbolon, and says how large it is.
# Installs what is missing first. It runs without a Swift toolchain, where Debian's libraries that it names are installed.

set -eu
"$(dirname "$0")/setup.sh" build
. "$(dirname "$0")/environment.sh"
# shellcheck disable=SC2086
swift build $release --product symbolon </dev/null
echo "build: .build/release/symbolon, $(wc -c <.build/release/symbolon) bytes"
