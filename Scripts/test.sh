#!/bin/sh
# Sets up, builds and runs every test; arguments go to `swift test`, for example --filter TuvaliTests.
# Coverage is always recorded, so that one build serves `make test`, `make coverage` and `make check`. One test at a time,
# because tests that run in real time would starve on a small machine beside those that compute.

set -eu
"$(dirname "$0")/setup.sh" all
. "$(dirname "$0")/environment.sh"
exec swift test --enable-code-coverage --disable-xctest --no-parallel "$@"
