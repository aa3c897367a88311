#!/bin/bash
# Runs every command of README, manual and guides, a folder for each page, with the program at .build/release/symbolon or where
# SYMBOLON says, and symbolon-lab beside it. `guides.sh PAGE...` does so for these pages alone.
# A block that begins with ```sh runs and must succeed; with ```sh status 13 it must end with that exit status, with 0 or 15 with one of
# the two. A block with ```sh background FILE runs beside the following ones, which wait
# until FILE holds a line; it ends with its page. Comments before a block leave it out or write it to a file: see Scripts/snippets.sh,
# which counts them.

set -u
cd "$(dirname "$0")/.." || exit 1
program=$(realpath "${SYMBOLON:-.build/release/symbolon}") || exit 1
[ -x "$program" ] || { echo "guides: there is no program at $program; make build makes it" >&2; exit 1; }
root=$PWD status=0

run_guide() {
    local folder=$1 guide=$2 block=0 mode="" waited="" directive=""
    cd "$folder" || return 1
    while IFS= read -r line; do
        if [[ -z $mode && $line == '<!-- snippet: '*' -->' ]]; then
            directive=${line#'<!-- snippet: '} directive=${directive%' -->'}
        elif [[ -z $mode && $line == '```'* && $directive == 'file '* ]]; then
            mode=file waited=${directive#file } directive=""; : > "$waited"
        elif [[ -z $mode && $line == '```'* && ( $directive == 'left out: '* || $line != '```sh'* ) ]]; then
            mode=other directive=""
        elif [[ -z $mode && $line == '```sh'* ]]; then
            read -r _ mode waited <<< "$line"
            mode=${mode:-plain} block=$((block + 1)); : > "block$block"
        elif [[ -n $mode && $line == '```' ]]; then
            if [[ $mode == background ]]; then
                setsid bash "block$block" > "out$block" 2>&1 &
                echo $! >> background
                for _ in $(seq 300); do [[ -s $waited ]] && break; sleep 0.1; done
                [[ -s $waited ]] || { cat "out$block"; echo "guides: $guide, block $block wrote no $waited" >&2; return 1; }
            elif [[ $mode == plain || $mode == status ]]; then
                local ended=0
                bash -e "block$block" > "out$block" 2>&1 || ended=$?
                if [[ " ${waited:-0} " != *" $ended "* ]]; then
                    cat "block$block" "out$block"
                    echo "guides: $guide, block $block ended with $ended in place of ${waited:-0}" >&2
                    return 1
                fi
            fi
            mode=""
        elif [[ $mode == file ]]; then
            printf '%s\n' "$line" >> "$waited"
        elif [[ $mode == plain || $mode == status || $mode == background ]]; then
            printf '%s\n' "$line" >> "block$block"
        fi
    done < "$root/$guide"
    echo "guides: $guide, $block blocks"
}

[ $# -gt 0 ] || set -- README.md Documentation/Guides/*.md Documentation/Manual/*.md
for guide in "$@"; do
    grep -q '^```sh' "$guide" || continue
    folder=$(mktemp -d)
    mkdir -p "$folder/bin" "$folder/work"
    ln -s "$program" "$folder/bin/symbolon"
    ln -s "$(dirname "$program")/symbolon-lab" "$folder/bin/symbolon-lab"
    cp Examples/credentials/national-id.json "$folder/work"
    (
        export PATH="$folder/bin:$PATH" XDG_RUNTIME_DIR="$folder" HOME="$folder" SYMBOLON_AGENT_LISTEN=127.0.0.1:0
        unset XDG_CONFIG_HOME XDG_DATA_HOME
        run_guide "$folder/work" "$guide"
    ) || status=1
    if [ -f "$folder/work/background" ]; then
        while read -r leader; do kill -TERM -- "-$leader" 2>/dev/null; done < "$folder/work/background"
    fi
    rm -rf "$folder"
done
exit $status
