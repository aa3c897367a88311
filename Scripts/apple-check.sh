#!/bin/sh
# Compiles hand-over and proximity as they are on Apple's systems, over stand-ins for CoreBluetooth and CryptoKit, and runs them on a
# virtual air: vectors, the rules of radios, hand-overs, Herald. Parses the example apps for arm64-apple-ios16.
# `apple-check.sh SUITE...` runs these suites alone. The build is in .build-apple.

set -eu
. "$(dirname "$0")/environment.sh"
vectors=${SYMBOLON_VECTORS:-$(pwd)/../shared/vectors}
export SYMBOLON_VECTORS="$vectors"

build="swift build --package-path Tests/AppleStandIns --scratch-path .build-apple"
$build --build-tests </dev/null
bundle=$(find "$($build --show-bin-path)" -maxdepth 1 -name '*PackageTests.xctest' -type f | head -n 1)
mkdir -p .build-apple/logs

# One process for each suite: the phone that new managers belong to is one per process.
suites=${*:-$("$bundle" --testing-library swift-testing --list-tests </dev/null |
    sed -nE 's/^([A-Za-z]+)\.([A-Za-z0-9]+)\/.*/\1.\2/p' | sort -u)}
failed=""
for suite in $suites; do
    log=.build-apple/logs/$suite.log
    if timeout --kill-after=10 900 "$bundle" --testing-library swift-testing --no-parallel \
        --filter "^$(echo "$suite" | sed 's/\./\\./')/" </dev/null >"$log" 2>&1; then
        grep -E '^(conformance|hand-over|herald): ' "$log" || true
        echo "apple-check: $suite: $(grep -oE 'Test run with [0-9]+ tests?.*' "$log" | tail -n 1)"
    else
        failed="$failed $suite"
        grep -E '✘|rror: |Fatal|↳' "$log" | cut -c1-400 | head -n 40
        echo "apple-check: $suite FAILED (all it said: $log)"
    fi
    grep -oE 'Test .* skipped: .*' "$log" || true
done

for folder in Examples/Apple/*/; do
    swiftc -parse -swift-version 6 -target arm64-apple-ios16 "$folder"*.swift
    echo "apple-check: $folder parses for arm64-apple-ios16"
done
[ -z "$failed" ] || { echo "apple-check: failed:$failed" >&2; exit 1; }
