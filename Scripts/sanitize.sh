#!/bin/sh
# Runs the tests of the concurrent targets under the thread sanitizer, and those that wrap C under the address sanitizer.
# Each has a build of its own, in .build-tsan and .build-asan.

set -eu
. "$(dirname "$0")/environment.sh"

export LSAN_OPTIONS="suppressions=$PWD/Scripts/leaks.suppressions:print_suppressions=0"

sanitized() {
    kind="$1"
    folder="$2"
    targets="$3"
    # Builds these tests and what they need, not those of all targets.
    SYMBOLON_TARGETS="$targets" swift test --disable-xctest --no-parallel --sanitize="$kind" --scratch-path "$folder" \
        -Xswiftc -use-ld=lld --filter "^($(echo "$targets" | tr ' ' '|'))\."
}

sanitized thread .build-tsan "DeterminismTests VirtualRadioTests BlueZRadioTests TuvaliRuntimeTests VaultTests WebTransportTests"
sanitized address .build-asan "CryptoSuiteTests CompressionTests QRCodeTests VaultTests WebTransportTests"
