#!/bin/sh
# Runs the tests of the concurrent targets under the thread sanitizer, and those that wrap C or verify credentials under the address
# sanitizer.
# Each has a build of its own, in .build-tsan and .build-asan.

set -eu
. "$(dirname "$0")/environment.sh"

# Overlooks the leaks of a list on standard input, which says why.
overlook() {
    mkdir -p .build-asan
    cat >".build-asan/$1.suppressions"
    export LSAN_OPTIONS="suppressions=$PWD/.build-asan/$1.suppressions:print_suppressions=0"
}

# sanitized KIND FOLDER TARGETS [RUN]: builds the tests of TARGETS and what they need, not those of all targets, and runs RUN.
sanitized() {
    run="${4:-$3}"
    SYMBOLON_TARGETS="$3" swift test --disable-xctest --no-parallel --sanitize="$1" --scratch-path "$2" \
        -Xswiftc -use-ld=lld --filter "^($(echo "$run" | tr ' ' '|'))\."
}

overlook leaks <<'LEAKS'
# Leaks that are not ours: tests start programs with Foundation's Process, which keeps a few bytes of each.
leak:Foundation7ProcessC
# A buffer that Foundation keeps of each file without a byte that it reads; a trust file of the kit is one.
leak:readBytesFromFile
# Values of globals, which live as long as the program: a pointer that holds the case of an enum too is none to the sanitizer.
leak:once_slow
LEAKS
sanitized thread .build-tsan "DeterminismTests VirtualRadioTests BlueZRadioTests TuvaliHandoverTests VaultTests WebTransportTests"
wraps_c="CryptoSuiteTests CompressionTests QRCodeTests VaultTests"
verifies="CBORTests LinkedDataTests CredentialsTests"
sanitized address .build-asan "$wraps_c $verifies WebTransportTests" "$wraps_c $verifies"
overlook leaks-web <<'LEAKS'
# Leaks that are not ours: tests start programs with Foundation's Process, which keeps a few bytes of each.
leak:Foundation7ProcessC
# Two runs of about sixty, on a busy machine, told of 9 KB of OpenSSL's at the end of a process, after all tests and when all
# services had been stopped. Nothing was found that keeps it; it is taken for OpenSSL's own cleanup while a thread still ends. What OpenSSL keeps for our own calls is looked at in the tests of CryptoSuite.
leak:libcrypto.so
LEAKS
sanitized address .build-asan "$wraps_c $verifies WebTransportTests" WebTransportTests
