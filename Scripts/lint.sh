#!/bin/sh
# Complains about sources that are not in the house's format, and about shell scripts that do not parse; changes nothing.
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
