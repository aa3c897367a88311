#!/bin/sh
# Rewrites the sources in the house's format.
# What it cannot mend, `make lint` reports.

set -eu
. "$(dirname "$0")/environment.sh"
swift format --in-place --recursive --parallel Sources Tests Fuzz Package.swift
