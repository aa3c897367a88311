#!/bin/sh
# Prints the long gates whose folders changed since the commit SINCE (the last one on origin/main, else the last commit), with the
# minutes that each takes; changes that are not committed count. RUN=1 runs them, after `make check`.

set -eu
cd "$(dirname "$0")/.."
since=${SINCE:-$(git merge-base HEAD origin/main 2>/dev/null || git rev-parse HEAD~1)}
gates=""
minutes=0
while read -r gate cost folders; do
    case "$gate" in '' | '#'*) continue ;; esac
    # The folders are patterns of git's: one word each.
    # shellcheck disable=SC2086
    if changed=$(set -f && git diff --name-only "$since" -- $folders && git ls-files --others --exclude-standard -- $folders) &&
        [ -n "$changed" ]; then
        gates="$gates $gate"
        minutes=$((minutes + cost))
        echo "make $gate    # $cost min; $(printf '%s\n' "$changed" | head -n 1)$([ "$(printf '%s\n' "$changed" | wc -l)" -lt 2 ] || echo " and others")"
    fi
done <Scripts/gates.table
echo "gates-for-change: $minutes minutes for what changed since $(git rev-parse --short "$since")" >&2
[ "${RUN:-}" = 1 ] || exit 0
# shellcheck disable=SC2086
exec Scripts/check-full.sh check $gates
