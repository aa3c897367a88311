#!/bin/sh
# The gate before every landing, which continuous integration runs, in at most 20 minutes on two idle processors: format, every
# test, coverage, the release build with its demonstration, commands and code of the pages, documentation, the blocks of memory that a
# chunk costs, and a search of all that was said for keys and payloads. What takes longer is in Scripts/gates.table.

set -eu
cd "$(dirname "$0")/.."
. Scripts/steps.sh

floors="Foundations 98 Protocols 98 Simulation 95 Runtime 94 CommandLine 90"

logged .build/check "$@"
step setup make --no-print-directory setup
step lint make --no-print-directory lint
step test make --no-print-directory test
# shellcheck disable=SC2086
step coverage Scripts/coverage.sh --minimum $floors
step build make --no-print-directory build
step demo .build/release/symbolon demo
step guides Scripts/guides.sh
step snippets Scripts/snippets.sh
step docs make --no-print-directory docs
step allocations-build Scripts/build.sh allocations
step allocations .build/release/allocations
step secrets Scripts/secrets-in-logs.sh "$log" .build/tests/*.log
finish
