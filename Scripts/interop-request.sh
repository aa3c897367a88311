#!/bin/bash
# The vectors of Documentation/Profiles/request.md, read by a program that shares no code with ours, over the package
# cryptography from PyPI. The same vectors are read by TuvaliTests and PresentationsTests. Skips, and says so, only where PyPI is
# not reached.

. "$(dirname "$0")/environment.sh"

label=interop-request
place=.build-interop/request
log=$place/setup.log
. Scripts/registries.sh

prepare() (
    need_venv
    requirements=Tests/Interop/request/requirements.txt
    make_venv "$place/venv" python3 "$(sha256sum $requirements | cut -c 1-16)" -r $requirements \
        || without_pypi "$place/venv" "the package cryptography could not be installed"
)
status=0
prepare || status=$?
if [ "$status" -eq 77 ]; then exit 0; fi
[ "$status" -eq 0 ] || exit "$status"

exec "$place/venv/bin/python" -B Tests/Interop/request/profile.py </dev/null
