#!/bin/bash
# Installs the foreign agents of the interop tests in .build-interop, from PyPI in versions that were tried:
# venv-0.12 (aries-cloudagent 0.12.8) with plug (its plugin for pickup 2.0), venv-1.4 (acapy-agent 1.4.0) where there is
# a Python of 3.12 or 3.13, and venv-1.7 (acapy-agent 1.7.0) where there is one of 3.13. Does nothing twice. Exits 77 and says
# why where PyPI is not reached, and 1 where an installation fails although it is.
set -euo pipefail
cd "$(dirname "$0")/.."
label=interop
place=.build-interop
constraints=Tests/Interop/constraints.txt
log=$place/setup.log
# shellcheck source=Scripts/registries.sh
. Scripts/registries.sh

# leave_out VENV REASON: the other installations are not to write into what is judged.
leave_out() {
    for installing in $(jobs -p); do wait "$installing" || true; done
    without_pypi "$@"
}

# python_of VERSION...: the first Python of one of these versions that can make environments; fails without one.
python_of() {
    local version python
    for version in "$@"; do
        for python in "python$version" python3 "$HOME"/.pyenv/versions/"$version".*/bin/python; do
            command -v "$python" >/dev/null || continue
            if "$python" -c 'import sys, venv, ensurepip; sys.exit("%d.%d" % sys.version_info[:2] != sys.argv[1])' \
                "$version" 2>>"$log"; then
                echo "$python"
                return
            fi
        done
    done
    return 1
}

need_venv

pins=$(cat Tests/Interop/constraints*.txt | sha256sum | cut -c 1-16)

# 1. Today's agents, meanwhile.
modern_python=$(python_of 3.12 3.13) || modern_python=""
newest_python=$(python_of 3.13) || newest_python=""

# begin VERSION PYTHON: installs an agent beside what follows, as job `begun`; one that was made with a Python that is gone
# would not run.
begin() {
    local venv=$place/venv-${1%.*}
    begun=""
    if [ -z "$2" ]; then
        rm -rf "$venv"
        return
    fi
    make_venv "$venv" "$2" "acapy-agent==$1 $pins" -c "${constraints%.txt}-${1%.*}.txt" "acapy-agent==$1" &
    begun=$!
}

begin 1.4.0 "$modern_python"
modern=$begun
begin 1.7.0 "$newest_python"
newest=$begun

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

# end VERSION PYTHON JOB VERSIONS: waits for an installation.
end() {
    if [ -z "$2" ]; then
        echo "interop: acapy-agent $1 is left out: there is no Python of $4" >&2
    elif ! wait "$3"; then
        without_pypi "$place/venv-${1%.*}" "acapy-agent $1 could not be installed"
    fi
}

end 1.4.0 "$modern_python" "$modern" "3.12 or 3.13"
end 1.7.0 "$newest_python" "$newest" "3.13"
echo "interop: ready in $place: $(cat "$place"/venv-*/installed | cut -d ' ' -f 1 | tr '\n' ' ')$plugin"
