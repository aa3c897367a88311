#!/bin/sh
# The suites that have a full size, at their full size (TestSize in Tests/TestSupport).

set -eu
cd "$(dirname "$0")/.."
# shellcheck disable=SC2046
SYMBOLON_LONG_TESTS=1 exec Scripts/test.sh $(grep -rl 'TestSize\.' Tests/*Tests | sed -E 's,^Tests/([^/]*)Tests/.*/([^/]*)\.swift$,\1/\2,' | sort)
