#!/bin/sh
# Builds the nested package Compatibility, which has the calls of Tuvali's and Herald's own libraries, runs its tests, and compiles the
# code on the pages about moving over. The build is in .build-compatibility.

set -eu
. "$(dirname "$0")/environment.sh"
build="--package-path Compatibility --scratch-path .build-compatibility"
# shellcheck disable=SC2086
swift test $build </dev/null
# shellcheck disable=SC2086
SNIPPET_BINARIES=$(swift build $build --show-bin-path) exec Scripts/snippets.sh \
    Documentation/Manual/TuvaliLibraries.md Documentation/Manual/HeraldLibraries.md
