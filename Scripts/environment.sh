# Sourced by the other scripts: goes to the package's root and puts the Swift toolchain on PATH.
# Looks on PATH, then in SWIFT_HOME, then in the usual places; complains and exits 9 where there is none. Sets `debug` and
# `release`, the flags of builds.

set -eu
cd "$(dirname "$0")/.."

find_swift() {
    if command -v swift >/dev/null 2>&1; then
        return 0
    fi
    for home in "${SWIFT_HOME:-}" /opt/swift /opt/swift-6* /usr/local/swift /usr/local/swift-6* "$HOME"/swift-6*; do
        if [ -n "$home" ] && [ -x "$home/usr/bin/swift" ]; then
            PATH="$home/usr/bin:$PATH"
            export PATH
            return 0
        fi
    done
    echo "There is no Swift toolchain on PATH. Unpack Swift 6.3 for Debian 12 into /opt/swift," >&2
    echo "or say where it is: SWIFT_HOME=DIR, where DIR/usr/bin/swift exists." >&2
    exit 9
}

find_swift

# What `symbolon --version` names; Package.swift reads it.
SYMBOLON_COMMIT=$(git describe --always --abbrev=12 --exclude '*' --dirty=+ 2>/dev/null || true)
export SYMBOLON_COMMIT

# How tests are built: with coverage, so that one build serves `make test`, `make coverage` and `make check`. Where every build is the
# first, as in continuous integration, each module is compiled as a whole, a tenth faster on two processors; a change of one file would
# then cost its whole module.
debug="--enable-code-coverage"
[ -z "${CI:-}" ] || debug="$debug -Xswiftc -wmo -Xswiftc -num-threads -Xswiftc 2 -Xswiftc -disable-batch-mode -Xswiftc -no-emit-module-separately-wmo"

# How everything that is delivered is built: the Swift runtime linked in, so that no toolchain is needed where it runs, and without
# symbols. The same for every release build, because other flags would compile every module again.
release="-c release --static-swift-stdlib -Xlinker -s"

# release_programs PRODUCT...: sets a variable for each product (SYMBOLON, SYMBOLON_LAB, WEB_PEER and so on) to the path of a fresh release
# build, unless it names a program already.
release_programs() {
    for product in "$@"; do
        variable=$(printf '%s' "$product" | tr 'a-z-' 'A-Z_')
        eval "program=\${$variable:-}"
        if [ -z "$program" ]; then
            Scripts/setup.sh build >&2
            # shellcheck disable=SC2086
            swift build $release --product "$product" </dev/null >&2
            # shellcheck disable=SC2086
            program="$(swift build $release --show-bin-path)/$product"
        fi
        eval "$variable=\$program"
        export "${variable?}"
    done
}
