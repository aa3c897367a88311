#!/bin/sh
# Builds the API documentation of every module into .build-docs/site; a warning is an error, such as a link to no symbol.
# Reads the modules that the last debug build left, and builds them first when there are none.

set -eu
. "$(dirname "$0")/environment.sh"

binaries=$(swift build --show-bin-path)
if [ ! -d "$binaries/Modules" ]; then
    # shellcheck disable=SC2086
    swift build $debug --build-tests
fi

rm -rf .build-docs
mkdir -p .build-docs/graphs .build-docs/modules
target=$(swift -print-target-info | awk -F'"' '/"unversionedTriple"/ { print $4 }')

includes=""
for map in Sources/*/*/module.modulemap; do
    includes="$includes -I $(dirname "$map")"
done
# Modules of C that the package itself compiles.
for map in "$binaries"/*.build/module.modulemap; do
    [ ! -f "$map" ] || includes="$includes -I $(dirname "$map")"
done

for folder in Sources/*/*/; do
    module=$(basename "$folder")
    if [ -f "$folder/module.modulemap" ] || [ ! -f "$binaries/Modules/$module.swiftmodule" ]; then
        continue
    fi
    # shellcheck disable=SC2086
    swift-symbolgraph-extract -module-name "$module" -target "$target" -minimum-access-level public \
        -I "$binaries/Modules" $includes -output-dir .build-docs/graphs
done

docc convert Documentation/Symbolon.docc --additional-symbol-graph-dir .build-docs/graphs \
    --fallback-display-name Symbolon --fallback-bundle-identifier symbolon \
    --warnings-as-errors --disable-parameters-and-returns-validation --transform-for-static-hosting --output-path .build-docs/site
echo "documentation: .build-docs/site"
