#!/bin/bash
# Live agents of ACA-Py, on this machine alone, against our command: invitations of every kind in both directions, messages,
# reuse, mediators, transports that are taken away, grants of mediators that are asked for at any moment (GRANTS, 100 times,
# and KILLS, 16 times after a kill), and how long accepting takes beside theirs. Installs the agents first; skips, and says so,
# only where PyPI is not reached. SYMBOLON names a program to test in place of a fresh release build; ONLY runs the cases whose
# name has that text.
set -euo pipefail
# shellcheck source=Scripts/environment.sh
. "$(dirname "$0")/environment.sh"

status=0
Scripts/interop-setup.sh || status=$?
if [ "$status" -eq 77 ]; then exit 0; fi
[ "$status" -eq 0 ] || exit "$status"

symbolon=${SYMBOLON:-$PWD/.build/release/symbolon}
[ -n "${SYMBOLON:-}" ] || Scripts/build.sh >&2

exec .build-interop/venv-0.12/bin/python -B Tests/Interop/aries/drive.py "$symbolon" </dev/null
