#!/bin/bash
# Our cloud agent among live agents of ACA-Py, scripts and our own wallet, on this machine alone: MESSAGES (1000) each way in each
# arrangement, with a receiver that is away, there, and now and then (at moments that SEED decides); none may be lost, none come
# twice, all in the order in which they were accepted. Installs the agents first; skips, and says so, only where PyPI is not
# reached. SYMBOLON names a program to test in place of a fresh release build; ONLY runs the cases whose name has that text, PARTS
# some of `sqlite postgres beside`.
set -euo pipefail
# shellcheck source=Scripts/environment.sh
. "$(dirname "$0")/environment.sh"

status=0
Scripts/interop-setup.sh || status=$?
if [ "$status" -eq 77 ]; then exit 0; fi
[ "$status" -eq 0 ] || exit "$status"

symbolon=${SYMBOLON:-$PWD/.build/release/symbolon}
[ -n "${SYMBOLON:-}" ] || Scripts/build.sh >&2

exec .build-interop/venv-0.12/bin/python -B Tests/Interop/agent/drive.py "$symbolon" "${MESSAGES:-1000}" "${SEED:-1}" </dev/null
