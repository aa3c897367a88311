#!/bin/bash
# Installs the foreign agents of the interop tests in .build-interop, from PyPI in versions that were tried:
# venv-0.12 (aries-cloudagent 0.12.8) with plug (its plugin for pickup 2.0), and venv-1.4 (acapy-agent 1.4.0) where there is
# a Python of 3.12 or later. Does nothing twice. Exits 77 and says why where PyPI is not reached, and 1 where an installation
# fails although it is.
set -euo pipefail
cd "$(dirname "$0")/.."
label=interop
place=.build-interop
constraints=Tests/Interop/constraints.txt
log=$place/setup.log
# shellcheck source=Scripts/registries.sh
. Scripts/registries.sh

# leave_out VENV REASON: the other installation is not to write into what is judged.
leave_out() {
    if [ -n "${installing:-}" ]; then wait "$installing" || true; fi
    without_pypi "$@"
}

need_venv

pins=$(cat Tests/Interop/constraints*.txt | sha256sum | cut -c 1-16)

# 1. Today's agent, meanwhile.
modern='acapy-agent==1.4.0'
modern_python=""
for python in python3.12 python3.13 python3 "$HOME"/.pyenv/versions/3.1[23].*/bin/python; do
    command -v "$python" >/dev/null || continue
    if "$python" -c 'import sys, venv, ensurepip; sys.exit(not (3, 12) <= sys.version_info < (3, 14))' 2>>"$log"; then
        modern_python=$python
        break
    fi
done
if [ -n "$modern_python" ]; then
    make_venv "$place/venv-1.4" "$modern_python" "$modern $pins" -c "${constraints%.txt}-1.4.txt" "$modern" &
    installing=$!
else
    # One that was made when there was such a Python would not run.
    rm -rf "$place/venv-1.4"
fi

# 2. The agent that still speaks connections/1.0.
legacy='aries-cloudagent[askar]==0.12.8'
make_venv "$place/venv-0.12" python3 "$legacy $pins" -c "$constraints" "$legacy" \
    || leave_out "$place/venv-0.12" "$legacy could not be installed"

# 3. Its plugin for pickup 2.0, whose metadata asks for an older agent.
plugin='acapy-plugin-pickup==0.2.0'
if [ "$(cat "$place/plug/installed" 2>/dev/null || true)" != "$plugin" ]; then
    rm -rf "$place/plug"
    fetch "$place/venv-0.12" install --no-deps --target "$place/plug" "$plugin" \
        || leave_out "$place/venv-0.12" "$plugin could not be installed"
    echo "$plugin" >"$place/plug/installed"
fi

if [ -n "${installing:-}" ]; then
    wait "$installing" || without_pypi "$place/venv-1.4" "$modern could not be installed"
else
    echo "interop: $modern is left out: there is no Python of 3.12 or 3.13" >&2
fi
echo "interop: ready in $place: $(cat "$place"/venv-*/installed | cut -d ' ' -f 1 | tr '\n' ' ')$plugin"
