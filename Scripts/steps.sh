# Sourced by the gates: runs steps one after the other, says how long each took, and last which one failed and why.
# A gate calls `logged NAME "$@"` first, then `step NAME COMMAND...` for each step, then `finish`.

# logged NAME ARGUMENTS...: has the gate started again with all that it says written to NAME.log too, and ends with its status.
logged() {
    log=$1.log
    [ "${2:-}" != --logged ] || return 0
    mkdir -p "$(dirname "$1")"
    rm -f "$1.passed"
    { "$0" --logged && touch "$1.passed"; } 2>&1 | tee "$log"
    [ -f "$1.passed" ] && exit
    complain
    exit 1
}

# The failed step and its first complaints, for a reader who sees only the end of a long log.
complain() {
    echo "==> $(sed -n 's/^==> \([^:]*\)$/\1/p' "$log" | tail -n 1) failed:"
    complaints "$log"
}

# complaints LOG: the first of the last step in a log.
complaints() {
    awk '/^==> / { count = 0; next } /✘ Test .*(recorded an issue|failed after)|(^|: )error: |FAILED|Traceback/ { line[count++] = substr($0, 1, 400) }
        END { for (i = 0; i < count && i < 15; i++) print line[i] }' "$1"
}

# step NAME COMMAND...: a step that takes an hour hangs, and fails.
step() {
    name=$1
    shift
    echo "==> $name"
    began=$(date +%s)
    timeout 3600 "$@" </dev/null
    echo "==> $name: $(($(date +%s) - began)) s"
}

# How long each step took, and the sum.
finish() {
    echo "==> all passed"
    sed -nE 's/^==> ([^:]*): ([0-9]+) s$/\2 \1/p' "$log" |
        awk '{ sum += $1; printf "%6d s  %s\n", $1, $2 } END { printf "%6d s  together\n", sum }'
    tests=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1)
    [ -z "$tests" ] || echo "$tests"
}
