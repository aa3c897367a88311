#!/bin/sh
# Runs gates, the rows of Scripts/gates.table.
#   gates.sh GATE...      these; the output of one is printed as it comes, with several each has a log in .build/gates
#   gates.sh --all        all; a failed gate does not keep the others from running
#   gates.sh --changed    prints the long gates whose folders changed since the commit SINCE (the last one on origin/main, else the last
#                         commit), committed or not; RUN=1 runs the check and these
# Several end with the time of each and with what failed.

set -eu
cd "$(dirname "$0")/.."
. Scripts/steps.sh
table=Scripts/gates.table
names=$(awk '/^[a-z]/ { print $1 }' $table)

# changed_gates: the rows whose folders changed, with their minutes and the first file.
changed_gates() {
    since=${SINCE:-$(git merge-base HEAD origin/main 2>/dev/null || git rev-parse HEAD~1)}
    minutes=0
    while read -r gate cost row; do
        case "$gate" in '' | '#'* | check) continue ;; esac
        folders=${row#*: }
        # The folders are patterns of git's: one word each.
        # shellcheck disable=SC2086
        if changed=$(set -f && git diff --name-only "$since" -- $folders && git ls-files --others --exclude-standard -- $folders) &&
            [ -n "$changed" ]; then
            found="$found $gate"
            minutes=$((minutes + cost))
            more=""
            [ "$(printf '%s\n' "$changed" | wc -l)" -lt 2 ] || more=" and others"
            echo "make gate G=$gate    # $cost min; $(printf '%s\n' "$changed" | head -n 1)$more"
        fi
    done <$table
    echo "gates: $minutes minutes for what changed since $(git rev-parse --short "$since")" >&2
}

case "${1:-}" in
--all)
    # shellcheck disable=SC2086
    set -- $names
    ;;
--changed)
    found=""
    changed_gates
    [ "${RUN:-}" = 1 ] || exit 0
    # shellcheck disable=SC2086
    set -- check $found
    ;;
esac
for gate in "$@"; do
    case " $(echo "$names" | tr '\n' ' ')" in
    *" $gate "*) ;;
    *)
        near=$(echo "$names" | grep "^$(printf '%.2s' "$gate")" | head -n 3 | tr '\n' ' ' || true)
        echo "gates: there is no gate $gate.${near:+ Near it: ${near% }.}" >&2
        set --
        break
        ;;
    esac
done
if [ $# -eq 0 ]; then
    echo "gates: run one with \`make gate G=NAME\`, where NAME is one of:" >&2
    echo "$names" | fmt -w 100 | sed 's/^/    /' >&2
    exit 2
fi

# run GATE: its script, with its arguments.
run() {
    # shellcheck disable=SC2046
    set -- $(awk -v gate="$1" '$1 == gate { sub(/ *:.*/, ""); for (i = 3; i <= NF; i++) print $i }' $table)
    script=$1
    shift
    exec "Scripts/$script" "$@"
}
[ $# -gt 1 ] || run "$1"

place=.build/gates
mkdir -p $place
: >$place/times
failed=""
for gate in "$@"; do
    echo "==> $gate"
    log=$place/$gate.log
    began=$(date +%s)
    status=0
    timeout 5400 Scripts/gates.sh "$gate" </dev/null >"$log" 2>&1 || status=$?
    seconds=$(($(date +%s) - began))
    outcome=passed
    if grep -q 'SKIPPED: ' "$log"; then outcome=$(grep -o 'SKIPPED: .*' "$log" | head -n 1); fi
    if [ $status -ne 0 ]; then
        outcome="FAILED with status $status, see $log"
        failed="$failed $gate"
        complaints "$log"
    fi
    printf '%6d s  %-20s %s\n' $seconds "$gate" "$outcome" | tee -a $place/times
done
Scripts/secrets-in-logs.sh $place/*.log || failed="$failed secrets"
echo "==> together"
cat $place/times
[ -z "$failed" ] || { echo "gates: failed:$failed" && exit 1; }
echo "gates: all passed"
