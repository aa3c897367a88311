#!/bin/sh
# Compiles the command without the trait PostgreSQL, as a system without libpq would, and looks that it links no libpq.

set -eu
. "$(dirname "$0")/environment.sh"
swift build --product symbolon --disable-default-traits --scratch-path .build-without-postgres </dev/null
if ldd .build-without-postgres/debug/symbolon | grep -q libpq; then
    echo "without-postgres: the program needs libpq all the same" >&2
    exit 1
fi
.build-without-postgres/debug/symbolon --version
