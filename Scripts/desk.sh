#!/bin/bash
# The page of `symbolon desk` in a real Chromium, with wallets on the virtual radio: every sample, every state, axe-core's rules,
# the keyboard, hostile credentials, the kit of forged ones (KIT=all for all of it), other sites, several desks, and MINUTES (30)
# wallets one after the other with dumps of the process's memory. Pictures and figures are in .build-desk. SYMBOLON names a program
# to test in place of a fresh release build; PARTS names the parts to run. Without PyPI the rules of axe-core are left out, and the
# run says so.

. "$(dirname "$0")/environment.sh"

label=desk
place=.build-desk
log=$place/setup.log
. Scripts/registries.sh

command -v chromium >/dev/null || (need_packages screens "there is no Chromium") || exit 0

# axe-core comes inside a package of PyPI; nothing of that package is run.
axe=$place/axe.min.js
fetch_axe() (
    need_venv
    requirements=Tests/Interop/desk/requirements.txt
    make_venv "$place/venv" python3 "$(sha256sum $requirements | cut -c 1-16)" --no-deps -r $requirements \
        || without_pypi "$place/venv" "axe-core could not be fetched"
    cp "$(find "$place/venv" -name axe.min.js | head -n 1)" "$axe"
)
[ -s "$axe" ] || fetch_axe || [ $? -eq 77 ] || exit 1
[ -s "$axe" ] && export AXE=$PWD/$axe

if [ -z "${SYMBOLON:-}" ]; then
    Scripts/build.sh
    SYMBOLON=.build/release/symbolon
fi

# shellcheck disable=SC2086
exec python3 -B Tests/Interop/desk/drive.py "$SYMBOLON" "$place/run" ${PARTS:-} </dev/null
