#!/bin/sh
# Builds and runs the example packages, which use the library as an app would, and checks the example credential.
# Their builds are in .build-examples.

set -eu
. "$(dirname "$0")/environment.sh"
for package in Examples/*/Package.swift; do
    folder=$(dirname "$package")
    swift run --package-path "$folder" --scratch-path ".build-examples/$(basename "$folder")" "$(basename "$folder")"
done
if command -v python3 >/dev/null 2>&1; then
    python3 Examples/make-credential.py --check
fi
