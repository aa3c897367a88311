#!/bin/sh
# The long gate, which continuous integration runs: format, `make test`, coverage, sanitizers, fuzz, `make demo`, examples, docs,
# a real BlueZ with the seam's rules, faults, all wallets and verifiers and the proximity sensor, foreign agents around our cloud
# agent with 25 messages each way in each case, and a search of all that was said for keys and payloads.
# Says how long each step took; a step that takes half an hour hangs, and fails.

set -eu
cd "$(dirname "$0")/.."

# Says last which step failed, and what it complained of: whoever sees only the end of a long log sees why.
complain() {
    echo "==> $(sed -n 's/^==> //p' "$log" | tail -n 1) failed:"
    awk '/^==> / { count = 0; next } /✘ Test .*(recorded an issue|failed after)|(^|: )error: |FAILED|Traceback/ { line[count++] = substr($0, 1, 400) }
        END { for (i = 0; i < count && i < 15; i++) print line[i] }' "$log"
}

# All that is said is also written to a file, and searched for secrets in the end.
log=.build/check.log
if [ "${1:-}" != --logged ]; then
    mkdir -p .build
    rm -f .build/check.passed
    { Scripts/check.sh --logged && touch .build/check.passed; } 2>&1 | tee "$log"
    [ -f .build/check.passed ] && exit
    complain
    exit 1
fi

step() {
    name="$1"
    shift
    echo "==> $name"
    began=$(date +%s)
    timeout 1800 "$@" </dev/null
    echo "==> $name: $(($(date +%s) - began)) s"
}

step "make setup" make --no-print-directory setup
step "make lint" make --no-print-directory lint
step "make test" make --no-print-directory test
step "make coverage" Scripts/coverage.sh --minimum 90 Protocols
step "make sanitize" make --no-print-directory sanitize
step "make fuzz-smoke" make --no-print-directory fuzz-smoke
step "make interop-web" make --no-print-directory interop-web
step "make interop-ble" make --no-print-directory interop-ble
step "make interop-herald" make --no-print-directory interop-herald
step "make sim" make --no-print-directory sim
step "make demo" make --no-print-directory demo
step "make interop" make --no-print-directory interop
step "make interop-agent" make --no-print-directory interop-agent MESSAGES=25 PARTS="sqlite postgres"
step "make allocations" make --no-print-directory allocations
step "make examples" make --no-print-directory examples
step "make docs" make --no-print-directory docs
step "secrets" Scripts/secrets-in-logs.sh "$log"
echo "==> all gates passed"
