#!/bin/bash
# Sets up, builds and runs tests: `test.sh` all, `test.sh Vault Aries/PickupClientTests` those of these modules and suites, with
# what they need and no more; `test.sh --long` the suites that have a full size (TestSize in Tests/TestSupport), at their full size.
# The suites are divided into shards, one process each, one more at once than there are processors (JOBS names another number);
# inside a shard one test runs at a time. Logs of the shards are in .build/tests. Ends with the slowest suites and the number of
# tests.

set -euo pipefail
"$(dirname "$0")/setup.sh" all
. "$(dirname "$0")/environment.sh"

# A shard that takes longer hangs.
limit_seconds=${LIMIT:-600}
tests_per_shard=60
# Modules whose tests start servers and programs take longest: their shards are smaller, and come first.
slow='^(CloudAgent|[A-Za-z]*Commands|AriesConnections|ProximitySimulation|VirtualRadio|WebTransport|Vault)Tests$'
tests_per_slow_shard=30

if [ "${1:-}" = --long ]; then
    export SYMBOLON_LONG_TESTS=1
    # shellcheck disable=SC2046
    set -- $(grep -rl 'TestSize\.' Tests/*Tests Lab/Tests | sed -E 's,^(Lab/)?Tests/([^/]*)Tests/.*/([^/]*)\.swift$,\2/\3,' | sort)
fi
modules="" wanted=""
for name in "$@"; do
    module=${name%%/*} suite=""
    module=${module%Tests}Tests
    case "$name" in */*) suite=${name#*/} ;; esac
    if [ ! -d "Tests/$module" ] && [ ! -d "Lab/Tests/$module" ]; then
        echo "test: there is no Tests/$module; modules: $(ls Tests Lab/Tests | sed -n 's/Tests$//p' | tr '\n' ' ')" >&2
        exit 2
    fi
    modules="$modules${modules:+ }$module"
    # These start programs.
    case "$module" in
    *CommandsTests) modules="$modules symbolon symbolon-lab" ;;
    CloudAgentTests) modules="$modules cloud-worker agent-simulation" ;;
    VaultTests) modules="$modules vault-worker" ;;
    esac
    wanted="$wanted${wanted:+|}${module}[.]$suite${suite:+/}"
done
[ -z "$modules" ] || export SYMBOLON_TARGETS="$modules"
# shellcheck disable=SC2086
swift build $debug --build-tests </dev/null
built=$SECONDS

binaries=$(swift build --show-bin-path)
bundle=$(find "$binaries" -maxdepth 1 -name '*PackageTests.xctest' -type f | head -n 1)
place=$PWD/.build/tests
rm -rf "$place"
mkdir -p "$place" "$binaries/codecov"

# The suites of one module side by side in a shard, a new shard after so many tests.
"$bundle" --testing-library swift-testing --list-tests </dev/null >"$place/all"
[ -n "$wanted" ] || wanted='[A-Z]'
awk -F'[./]' -v wanted="^(${wanted})" -v most="$tests_per_shard" -v slow="$slow" -v slow_most="$tests_per_slow_shard" \
    -v place="$place" '
    $0 !~ wanted { next }
    { suite = $0 ~ /^[A-Za-z0-9_]+\.[A-Za-z0-9_]+\// ? $2 : ""; count[$1 SUBSEP suite]++; total++ }
    !(($1 SUBSEP suite) in seen) { seen[$1 SUBSEP suite] = 1; list[++n] = $1 SUBSEP suite }
    END {
        for (i = 1; i <= n; i++) {
            split(list[i], part, SUBSEP)
            limit = part[1] ~ slow ? slow_most : most
            if (part[1] != module || held + count[list[i]] > limit) { shard++; held = 0; module = part[1] }
            held += count[list[i]]
            name = part[2] == "" ? "[^/]*\\(" : part[2] "/"
            names[shard] = names[shard] (names[shard] == "" ? "" : "|") name
            of[shard] = module
        }
        for (i = 1; i <= shard; i++) {
            file = sprintf("%s/%s-%02d", place, of[i], i)
            print "^" of[i] "\\.(" names[i] ")" >(file ".filter")
            print (of[i] ~ slow ? 0 : 1), file
        }
        print total + 0 >(place "/total")
    }' "$place/all" | sort -n | cut -d' ' -f2 >"$place/shards"

# What one shard does; run by xargs.
cat >"$place/run" <<'RUN'
set -u
bundle=$1 limit=$2 shard=$3
status=0
began=$(date +%s)
LLVM_PROFILE_FILE="$shard-%m.%p.profraw" timeout --kill-after=10 "$limit" "$bundle" --testing-library swift-testing \
    --no-parallel --filter "$(cat "$shard.filter")" </dev/null >"$shard.log" 2>&1 || status=$?
summary=$(grep -E 'Test run with [0-9]+ tests?' "$shard.log" | tail -n 1 | sed -E 's/^[^T]*//')
if [ $status -ne 0 ] || [ -z "$summary" ]; then
    echo "$status" >"$shard.failed"
    [ -n "$summary" ] || summary="ended with status $status while $(grep -E ' started\.$' "$shard.log" | tail -n 1 | cut -c1-200)"
    echo "test: $(basename "$shard") FAILED: $summary (all it said: $shard.log)"
    grep -E '✘|rror: |Fatal|↳' "$shard.log" | cut -c1-600 | head -n 40
else
    echo "test: $(basename "$shard"): $summary" | sed "s/ after .*/ in $(($(date +%s) - began)) s/"
fi
RUN
xargs -P "${JOBS:-$(($(nproc) + 1))}" -n 1 bash "$place/run" "$bundle" "$limit_seconds" <"$place/shards"

tools=$(dirname "$(readlink -f "$(command -v swift)")")
"$tools/llvm-profdata" merge -sparse --failure-mode=all "$place"/*.profraw -o "$binaries/codecov/default.profdata"
rm -f "$place"/*.profraw

echo "The slowest suites, in seconds:"
cat "$place"/*.log | sed -nE 's/^.*Suite "?([^"]*)"? (passed|failed) after ([0-9.]+) seconds.*/\3 \1/p' | sort -rn | awk "NR <= 20"
sed -nE 's/^.*Test .* skipped: "(.*)"$/\1/p' "$place"/*.log | sort | uniq -c | sed 's/^ */skipped: /'
awk -v total="$(cat "$place/total")" -v broken="$(find "$place" -name '*.failed' | wc -l)" '
    /Test run with [0-9]+ tests?/ { sub(/.*Test run with /, ""); run += $1 }
    /✘ Test .* failed after / && !/Test case passing|Test run with/ { failed++ }
    /Test .* skipped: / && !/Test case passing/ { skipped++ }
    END {
        if (run != total) printf "test: %d tests were to run, %d did\n", total, run
        printf "%d passed, %d failed, %d skipped\n", run - failed - skipped, failed, skipped
        exit run != total || failed || broken
    }' "$place"/*.log >"$place/verdict" || verdict=1
echo "test: built in $built s, ran in $((SECONDS - built)) s"
cat "$place/verdict"
exit ${verdict:-0}
