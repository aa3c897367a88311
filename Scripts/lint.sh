#!/bin/sh
# Complains about sources that are not in the house's format, and about shell scripts that do not parse; changes nothing.
# Names the ten longest of the files over 500 lines and of the types over 700, as a warning.
# `lint.sh --format` rewrites the sources instead.

set -eu
. "$(dirname "$0")/environment.sh"
if [ "${1:-}" = --format ]; then
    exec swift format --in-place --recursive --parallel Sources Lab Compatibility Tests Fuzz Package.swift
fi
swift format lint --strict --recursive --parallel Sources Lab Compatibility Tests Fuzz Package.swift
for script in Scripts/*.sh .ci/run; do
    case "$(head -n 1 "$script")" in
    *bash*) bash -n "$script" ;;
    *) sh -n "$script" ;;
    esac
done
# Length is a sign of a type that holds too much, which TidyTests count; so it warns and fails nothing.
find Sources Lab/Sources Tests -name '*.swift' -type f -exec awk '
    FNR == 1 {
        split(FILENAME, folders, "/")
        type = ""
    }
    { lines[FILENAME] = FNR }
    /^(@[^ ]+ )*((public|package|private|fileprivate|final|indirect) )*(struct|enum|class|actor|extension) [A-Z]/ {
        name = $0
        sub(/^.*(struct|enum|class|actor|extension) /, "", name)
        sub(/[^A-Za-z0-9_].*$/, "", name)
        type = folders[1] == "Tests" ? "" : folders[3] "." name
    }
    type != "" { size[type]++ }
    /^}/ { type = "" }
    END {
        for (file in lines) if (lines[file] > 500) print lines[file], "lines in", file
        for (type in size) if (size[type] > 700) print size[type], "lines in the type", type
    }' {} + | sort -rn | head -n 10 | sed 's/^/warning: /' >&2
