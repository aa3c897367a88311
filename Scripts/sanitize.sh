#!/bin/sh
# Runs the tests of the concurrent targets under the thread sanitizer, and those that wrap C or verify credentials under the address
# sanitizer.
# Each has a build of its own, in .build-tsan and .build-asan.

set -eu
. "$(dirname "$0")/environment.sh"

# Leaks but for those that the file of that name in Scripts lists; it says why.
overlook() { export LSAN_OPTIONS="suppressions=$PWD/Scripts/$1.suppressions:print_suppressions=0"; }

# sanitized KIND FOLDER TARGETS [RUN]: builds the tests of TARGETS and what they need, not those of all targets, and runs RUN.
sanitized() {
    run="${4:-$3}"
    SYMBOLON_TARGETS="$3" swift test --disable-xctest --no-parallel --sanitize="$1" --scratch-path "$2" \
        -Xswiftc -use-ld=lld --filter "^($(echo "$run" | tr ' ' '|'))\."
}

overlook leaks
sanitized thread .build-tsan "DeterminismTests VirtualRadioTests BlueZRadioTests TuvaliRuntimeTests VaultTests WebTransportTests"
wraps_c="CryptoSuiteTests CompressionTests QRCodeTests VaultTests"
verifies="CBORTests LinkedDataTests CredentialsTests"
sanitized address .build-asan "$wraps_c $verifies WebTransportTests" "$wraps_c $verifies"
overlook leaks-web
sanitized address .build-asan "$wraps_c $verifies WebTransportTests" WebTransportTests
