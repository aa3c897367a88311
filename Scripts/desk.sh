#!/bin/bash
# The page of `symbolon desk` in a real Chromium, with wallets on the virtual radio: every sample, every state, axe-core's rules,
# the keyboard, hostile credentials, codes in films and pictures, phones with mobile documents, the kit of forged ones (KIT=all for all of it), other sites, several desks, and MINUTES (30)
# wallets one after the other with dumps of the process's memory (with RATE one in each minute of a clock that is so much faster);
# then the desk on BlueZ in an emulated machine. Pictures and figures
# are in .build-desk. SYMBOLON names a program to test in place of a fresh release build; PARTS names the parts to run. Without PyPI
# the rules of axe-core are left out, and the run says so.

. "$(dirname "$0")/environment.sh"

label=desk
place=.build-desk
log=$place/setup.log
. Scripts/registries.sh

command -v chromium >/dev/null || (need_packages screens "there is no Chromium") || exit 0

# axe-core comes inside a package of PyPI, of which nothing is run; Pillow draws the films of codes.
axe=$place/axe.min.js
fetch_axe() (
    need_venv
    requirements=Tests/Interop/desk/requirements.txt
    make_venv "$place/venv" python3 "$(sha256sum $requirements | cut -c 1-16)" --no-deps -r $requirements \
        || without_pypi "$place/venv" "axe-core could not be fetched"
    cp "$(find "$place/venv" -name axe.min.js | head -n 1)" "$axe"
)
{ [ -s "$axe" ] && [ -n "$(find "$place/venv" -type d -name PIL -print -quit)" ]; } || fetch_axe || [ $? -eq 77 ] || exit 1
[ -s "$axe" ] && export AXE=$PWD/$axe
for packages in "$PWD/$place"/venv/lib/python3*/site-packages; do export PYTHONPATH=$packages; done

# The long part needs symbolon-lab beside it.
[ -n "${SYMBOLON:-}" ] || release_programs symbolon symbolon-lab

status=0
parts=${PARTS:-samples states keyboard hostile codes phones kit sites several bluez long}
in_browser=" $parts "
in_browser=${in_browser/ bluez / }
# shellcheck disable=SC2086
[ -z "${in_browser// /}" ] || python3 -B Tests/Interop/desk/drive.py "$SYMBOLON" "$place/run" $in_browser </dev/null || status=1

# On BlueZ in an emulated machine, where one can be had: the desk on one adapter, a wallet on another.
if [[ " $parts " = *" bluez "* ]]; then
    met=0
    Scripts/bluez-machine.sh --setup || met=$?
    case $met in
    0) Scripts/bluez-machine.sh --seconds 420 --tries 2 -- /usr/bin/python3 -B Tests/Interop/desk/bluez.py "$SYMBOLON" || status=1 ;;
    77) ;;
    *) status=1 ;;
    esac
fi
exit $status
