#!/bin/sh
# Builds the release binaries, .build/release/symbolon and symbolon-lab, which measures and simulates it, and says how large they are;
# `build.sh PRODUCT...` builds these products only. Installs what is missing first. They run without a Swift toolchain, where Debian's libraries
# that they name are installed.

set -eu
"$(dirname "$0")/setup.sh" build
. "$(dirname "$0")/environment.sh"
[ $# -gt 0 ] || set -- symbolon symbolon-lab
for program in "$@"; do
    # shellcheck disable=SC2086
    swift build $release --product "$program" </dev/null
    echo "build: .build/release/$program, $(wc -c <.build/release/$program) bytes"
done
