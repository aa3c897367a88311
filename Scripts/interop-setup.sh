#!/bin/bash
# Installs the foreign agents of the interop tests in .build-interop, from PyPI in versions that were tried:
# venv-0.12 (aries-cloudagent 0.12.8) with plug (its plugin for pickup 2.0), and venv-1.4 (acapy-agent 1.4.0) where there is
# a Python of 3.12 or later. Does nothing twice. Exits 77 and says why where PyPI is not reached, and 1 where an installation
# fails although it is.
set -euo pipefail
cd "$(dirname "$0")/.."
place=.build-interop
constraints=Tests/Interop/constraints.txt
mkdir -p "$place"
log=$place/setup.log
: >"$log"

skip() {
    if [ -n "${installing:-}" ]; then wait "$installing" || true; fi
    if [ -x "$place/venv-0.12/bin/pip" ] && fetch "$place/venv-0.12" download --no-deps -d "$place/probe" six==1.17.0; then
        echo "interop: $1, though PyPI is reached (details in $log)" >&2
        exit 1
    fi
    echo "interop: SKIPPED: $1 (details in $log)" | tee "$place/skipped" >&2
    exit 77
}

# fetch VENV PIP-ARGUMENTS...: what pip does with patience for a network that stumbles.
fetch() {
    local folder=$1
    shift
    timeout 600 "$folder/bin/pip" "$@" --quiet --disable-pip-version-check --retries 2 --timeout 20 >>"$log" 2>&1
}
rm -f "$place/skipped"

# make_venv FOLDER PYTHON STAMP PIP-ARGUMENTS...: an environment with a stamp that says what is in it.
make_venv() {
    local folder=$1 python=$2 stamp=$3
    shift 3
    [ "$(cat "$folder/installed" 2>/dev/null || true)" != "$stamp" ] || return 0
    rm -rf "$folder"
    "$python" -m venv "$folder" >>"$log" 2>&1 || return 1
    fetch "$folder" install "$@" || fetch "$folder" install "$@" || return 1
    echo "$stamp" >"$folder/installed"
}

python3 -c 'import venv, ensurepip' 2>>"$log" || Scripts/setup.sh peers >>"$log" 2>&1 \
    || skip "there is no Python with venv"

pins=$(cat Tests/Interop/constraints*.txt | sha256sum | cut -c 1-16)

# 1. Today's agent, meanwhile.
modern='acapy-agent==1.4.0'
install_modern() {
    for python in python3.12 python3.13 python3 "$HOME"/.pyenv/versions/3.1[23].*/bin/python; do
        command -v "$python" >/dev/null || continue
        "$python" -c 'import sys, venv, ensurepip; sys.exit(not (3, 12) <= sys.version_info < (3, 14))' 2>>"$log" \
            || continue
        make_venv "$place/venv-1.4" "$python" "$modern $pins" -c "${constraints%.txt}-1.4.txt" "$modern" && return
    done
}
install_modern &
installing=$!

# 2. The agent that still speaks connections/1.0.
legacy='aries-cloudagent[askar]==0.12.8'
make_venv "$place/venv-0.12" python3 "$legacy $pins" -c "$constraints" "$legacy" \
    || skip "$legacy could not be installed from PyPI"

# 3. Its plugin for pickup 2.0, whose metadata asks for an older agent.
plugin='acapy-plugin-pickup==0.2.0'
if [ "$(cat "$place/plug/installed" 2>/dev/null || true)" != "$plugin" ]; then
    rm -rf "$place/plug"
    fetch "$place/venv-0.12" install --no-deps --target "$place/plug" "$plugin" \
        || skip "$plugin could not be installed from PyPI"
    echo "$plugin" >"$place/plug/installed"
fi

wait "$installing" || true
[ -x "$place/venv-1.4/bin/aca-py" ] \
    || echo "interop: $modern is left out: there is no Python of 3.12 or 3.13, or no PyPI (details in $log)" >&2
echo "interop: ready in $place: $(cat "$place"/venv-*/installed | cut -d ' ' -f 1 | tr '\n' ' ')$plugin"
