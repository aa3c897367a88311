# Sourced by the scripts that fetch what is other people's, after `label`, `place` and `log` are set: whose words, which folder,
# which file takes what tools say. Only a registry that is not reached lets a script skip; whatever else goes wrong is an error.

# skip REASON: says that the run is left out, and ends with 77.
skip() {
    echo "$label: SKIPPED: $1 (details in $log)" | tee "$place/skipped" >&2
    exit 77
}

# fetch VENV PIP-ARGUMENTS...: what pip does with patience for a network that stumbles.
fetch() {
    local folder=$1
    shift
    timeout 600 "$folder/bin/pip" "$@" --quiet --disable-pip-version-check --retries 2 --timeout 20 >>"$log" 2>&1
}

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

# without_pypi VENV REASON: skips where PyPI is not reached, and fails where it is, or where there is not even a pip.
without_pypi() {
    local folder=$1 probe="$place/probe"
    if [ -x "$folder/bin/pip" ]; then
        rm -rf "$probe"
        if ! fetch "$folder" download --no-deps --no-cache-dir -d "$probe" six==1.17.0; then
            skip "$2: PyPI is not reached"
        fi
        rm -rf "$probe"
    fi
    echo "$label: $2, and not because PyPI is not reached (details in $log)" >&2
    exit 1
}

# without_debian REASON: the same for packages of Debian's.
without_debian() {
    if ! timeout 300 apt-get -qq -o Acquire::Retries=2 update --error-on=any >>"$log" 2>&1; then
        skip "$1: Debian's packages are not reached"
    fi
    echo "$label: $1, and not because Debian's packages are not reached (details in $log)" >&2
    exit 1
}

# need_packages SECTION REASON: Debian packages, by Scripts/setup.sh; who may not install any is told how, and skips.
need_packages() {
    local status=0
    Scripts/setup.sh "$1" >>"$log" 2>&1 || status=$?
    case "$status" in
    0) ;;
    9) skip "$2: no user may install packages here" ;;
    *) without_debian "$2" ;;
    esac
}

# need_venv [PYTHON]: a Python that can make environments.
need_venv() {
    "${1:-python3}" -c 'import venv, ensurepip' 2>>"$log" || need_packages peers "there is no Python with venv"
}

mkdir -p "$place"
rm -f "$place/skipped"
: >"$log"
