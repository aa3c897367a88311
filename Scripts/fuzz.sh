#!/bin/sh
# Fuzzes the parsers and cores under the address sanitizer: `fuzz.sh SECONDS [TARGET...]`, each target so long, two at once.
# Seeds come from our own encoders; what was found before is in Fuzz/Corpora, what is found now in .build-fuzz/findings.
# Without targets named it fuzzes all, and the bug of the target `planted` must be found within 2,500,000 runs, of three
# attempts; an idle machine needs about 200,000.
set -eu
. "$(dirname "$0")/environment.sh"

seconds="${1:-60}"
[ $# -eq 0 ] || shift
# A crash report of Swift's own would swallow libFuzzer's, and take long.
export SWIFT_BACKTRACE=enable=no
export ASAN_OPTIONS=quarantine_size_mb=16

export SYMBOLON_FUZZ=1
build="swift build --package-path Fuzz --scratch-path .build-fuzz"
# Optimised, with the checks of a debug build: several times the runs.
flags="-Xswiftc -sanitize=fuzzer,address -Xswiftc -parse-as-library -Xswiftc -use-ld=lld -Xswiftc -O -Xswiftc -assert-config -Xswiftc Debug"
# shellcheck disable=SC2086
$build $flags </dev/null
binary="$($build --show-bin-path)/FuzzDriver"

rm -rf .build-fuzz/seeds .build-fuzz/findings .build-fuzz/logs
mkdir -p .build-fuzz/findings .build-fuzz/logs
"$binary" --seeds=.build-fuzz/seeds </dev/null

if [ $# -eq 0 ]; then
    found=no
    for seed in 1 2 3; do
        mkdir -p ".build-fuzz/logs/planted-$seed"
        "$binary" --target=planted -seed=$seed -max_len=16 -use_value_profile=1 -runs=2500000 \
            -max_total_time=600 \
            -artifact_prefix=.build-fuzz/logs/ ".build-fuzz/logs/planted-$seed" .build-fuzz/seeds/planted \
            </dev/null >.build-fuzz/logs/planted.log 2>&1 || { found=yes && break; }
    done
    if [ $found = no ]; then
        echo "fuzz: the planted bug was not found in three attempts: the fuzzer is blind" >&2
        exit 1
    fi
    echo "fuzz: planted bug found"
    # shellcheck disable=SC2046
    set -- $("$binary" --list </dev/null | awk '$1 != "planted" { print $1 }')
fi

# What one target does; run by xargs, two at once.
cat >.build-fuzz/one.sh <<'ONE'
set -eu
binary="$1"
seconds="$2"
target="$3"
mkdir -p ".build-fuzz/corpus/$target"
kept=""
[ ! -d "Fuzz/Corpora/$target" ] || kept="Fuzz/Corpora/$target"
longest=$("$binary" --list </dev/null | awk -v name="$target" '$1 == name { print $2 }')
if "$binary" "--target=$target" -max_total_time="$seconds" -max_len="$longest" -timeout=20 -rss_limit_mb=1024 \
    -malloc_limit_mb=256 -reload=0 -artifact_prefix=".build-fuzz/findings/$target-" \
    ".build-fuzz/corpus/$target" ".build-fuzz/seeds/$target" $kept \
    </dev/null >".build-fuzz/logs/$target.log" 2>&1; then
    awk -v name="$target" '/DONE/ { for (i = 1; i < NF; i++) if ($i == "cov:") cov = $(i + 1); runs = substr($1, 2) }
        END { printf "fuzz: %-14s %9d runs, %5d edges\n", name, runs, cov }' ".build-fuzz/logs/$target.log"
else
    grep -E 'promise|rror|SUMMARY' ".build-fuzz/logs/$target.log" | head -n 5
    echo "fuzz: $target FAILED; the input is in .build-fuzz/findings, try: $binary --target=$target FILE"
    exit 1
fi
ONE
printf '%s\n' "$@" | xargs -P 2 -n 1 sh .build-fuzz/one.sh "$binary" "$seconds"
