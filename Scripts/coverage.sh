#!/bin/sh
# Prints line coverage per module and layer from the last `make test`.
# `coverage.sh --minimum Protocols 98 Runtime 94` fails when the lines of one of these layers are covered less, in percent.

set -eu
. "$(dirname "$0")/environment.sh"

floors=""
if [ "${1:-}" = "--minimum" ]; then
    shift
    floors="$*"
fi

cov="$(dirname "$(readlink -f "$(command -v swift)")")/llvm-cov"
binaries=$(swift build --show-bin-path)
bundle=$(find "$binaries" -maxdepth 1 -name '*PackageTests.xctest' -type f | head -n 1)
profile="$binaries/codecov/default.profdata"
if [ -z "$bundle" ] || [ ! -f "$profile" ]; then
    echo "No tests have been run with coverage yet: run \`make test\` first." >&2
    exit 3
fi

"$cov" export -format=lcov -instr-profile "$profile" "$bundle" -ignore-filename-regex='/(Tests|\.build[^/]*)/' |
    awk -v root="$PWD/Sources/" -v floors="$floors" '
        /^SF:/ {
            path = substr($0, 4)
            known = index(path, root) == 1
            split(substr(path, length(root) + 1), part, "/")
            module = part[1] "/" part[2]
            group = part[1]
        }
        /^DA:/ && known {
            split(substr($0, 4), field, ",")
            lines[module]++; lines[group]++
            if (field[2] > 0) { covered[module]++; covered[group]++ }
        }
        END {
            for (name in lines) {
                printf "%-36s %6d of %6d lines  %5.1f %%\n", name, covered[name], lines[name],
                    100 * covered[name] / lines[name] | "sort"
            }
            close("sort")
            count = split(floors, floor, " ")
            for (i = 1; i < count; i += 2) {
                layer = floor[i]
                share = lines[layer] ? 100 * covered[layer] / lines[layer] : 0
                verdict = share < floor[i + 1] ? "below" : "at least"
                if (share < floor[i + 1]) status = 1
                printf "line coverage of %s is %.1f %%, %s %d %%\n", layer, share, verdict, floor[i + 1]
            }
            exit status
        }'
