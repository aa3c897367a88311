#!/bin/sh
# Counts the blocks of memory that a chunk costs, sending and receiving, in a release build; fails above the thresholds.
# The program is a separate one, never linked into symbolon.

set -eu
"$(dirname "$0")/setup.sh" build
. "$(dirname "$0")/environment.sh"
swift build $release --product allocations
.build/release/allocations
