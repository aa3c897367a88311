#!/bin/bash
# Runs every command of the guides, a folder for each guide, with the program at .build/release/symbolon or where SYMBOLON says.
# A block that begins with ```sh runs and must succeed. A block with ```sh background FILE runs beside the following ones, which wait
# until FILE holds a line; it ends with its guide.

set -u
cd "$(dirname "$0")/.." || exit 1
program=$(realpath "${SYMBOLON:-.build/release/symbolon}") || exit 1
[ -x "$program" ] || { echo "guides: there is no program at $program; make build makes it" >&2; exit 1; }
root=$PWD status=0

run_guide() {
    local folder=$1 guide=$2 block=0 mode="" waited=""
    cd "$folder" || return 1
    while IFS= read -r line; do
        if [[ -z $mode && $line == '```sh'* ]]; then
            read -r _ mode waited <<< "$line"
            mode=${mode:-plain} block=$((block + 1)); : > "block$block"
        elif [[ -n $mode && $line == '```' ]]; then
            if [[ $mode == background ]]; then
                setsid bash "block$block" > "out$block" 2>&1 &
                echo $! >> background
                for _ in $(seq 300); do [[ -s $waited ]] && break; sleep 0.1; done
                [[ -s $waited ]] || { cat "out$block"; echo "guides: $guide, block $block wrote no $waited" >&2; return 1; }
            elif ! bash -e "block$block" > "out$block" 2>&1; then
                cat "block$block" "out$block"; echo "guides: $guide, block $block failed" >&2; return 1
            fi
            mode=""
        elif [[ -n $mode ]]; then
            printf '%s\n' "$line" >> "block$block"
        fi
    done < "$root/$guide"
    echo "guides: $guide, $block blocks"
}

for guide in Documentation/Guides/*.md; do
    folder=$(mktemp -d)
    mkdir "$folder/bin" "$folder/work" && ln -s "$program" "$folder/bin/symbolon"
    cp Examples/credentials/national-id.json "$folder/work"
    (
        export PATH="$folder/bin:$PATH" XDG_RUNTIME_DIR="$folder" HOME="$folder"
        run_guide "$folder/work" "$guide"
    ) || status=1
    if [ -f "$folder/work/background" ]; then
        while read -r leader; do kill -TERM -- "-$leader" 2>/dev/null; done < "$folder/work/background"
    fi
    rm -rf "$folder"
done
exit $status
