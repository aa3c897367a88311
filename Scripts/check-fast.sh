#!/bin/sh
# The short gate: format, debug build with warnings as errors, tests.
# For before each commit; `make check` is the long one.

set -eu
"$(dirname "$0")/lint.sh"
"$(dirname "$0")/test.sh"
