#!/bin/bash
# Compiles the Swift code that README, manual, guides and articles show, against the modules that the last debug build left, and runs
# what is marked. `snippets.sh PAGE...` does so for these pages alone. Says how many blocks each page has, and fails where one does not
# compile or run, where one has no language, and where one that is left out has no reason. SNIPPET_BINARIES names the folder of another
# debug build; pages about the package Compatibility are left to Scripts/compatibility.sh, which has one.
#
# A block is the body of a function; the imports of a page stand in any of its blocks. A block that is run is a main.swift instead, as a
# reader copies it, with its own imports only. A comment in the line above a block says more:
#   <!-- snippet: given NAME: TYPE, ... -->     the parameters of that function
#   <!-- snippet: declarations -->              it stands at the level of the file
#   <!-- snippet: imports NAME NAME -->         modules that the block needs beside those that it names, also after run
#   <!-- snippet: run -->                       it is run as main.swift, and has to succeed
#   <!-- snippet: left out: REASON -->          it is not compiled, or, in another language, not checked
#   <!-- snippet: file NAME -->                 Scripts/guides.sh writes it to this file, which a later block of the page reads
# Blocks of `sh` are run by Scripts/guides.sh.

. "$(dirname "$0")/environment.sh"
root=$PWD
place=$root/.build-snippets
binaries=${SNIPPET_BINARIES:-$(swift build --show-bin-path)}
# shellcheck disable=SC2086
[ -d "$binaries/Modules" ] || swift build $debug --build-tests
mkdir -p "$place"

includes=(-I "$binaries/Modules")
for map in Sources/*/*/module.modulemap "$binaries"/*.build/module.modulemap; do
    [ ! -f "$map" ] || includes+=(-I "$(dirname "$map")")
done
# What programs of the snippets are linked with: all modules, without tests and programs, and without objects of files that are gone.
objects=$place/objects
for folder in "$binaries"/*.build; do
    case "$(basename "$folder" .build)" in
    *Tests | symbolon | symbolon-lab | *-worker | *-peer | agent-simulation | allocations) continue ;;
    esac
    if [ -f "$folder/sources" ]; then
        while read -r source; do [ ! -f "$source" ] || echo "$folder/$(basename "$source").o"; done <"$folder/sources"
    else
        find "$folder" -name '*.o'
    fi
done >"$objects"

if [ $# -eq 0 ]; then
    pages=$(grep -L '^import [A-Za-z]*Compatibility$' README.md Documentation/Manual/*.md Documentation/Guides/*.md \
        Documentation/Symbolon.docc/*.md)
    # shellcheck disable=SC2086
    set -- $pages
fi

# extract PAGE FOLDER: writes the page's code to FOLDER/code.swift, the programs to FOLDER/1/main.swift and so on, and prints the counts of
# blocks: compiled, run, of sh, left out; complaints go to FOLDER/faults.
extract() {
    awk -v page="$1" -v folder="$2" '
        function complain(text) { print page ":" FNR ": " text > (folder "/faults") }
        function add(text) { if (isProgram) programs[run] = programs[run] text; else code = code text }
        /^<!-- snippet: .* -->$/ {
            directive = $0
            sub(/^<!-- snippet: /, "", directive)
            sub(/ -->$/, "", directive)
            next
        }
        /^```/ && !open {
            open = 1; language = $0; sub(/^```/, "", language); sub(/ .*/, "", language)
            isLeft = directive ~ /^left out: ..../
            if (language == "") complain("the block has no language")
            else if (isLeft) left++
            else if (language == "swift") {
                compiled++
                isProgram = directive ~ /^run/
                if (isProgram) run++
                given = ""; ofBlock = directive
                if (match(directive, /given .*/)) given = substr(directive, RSTART + 6)
                if (match(directive, /imports [A-Za-z0-9 ]*/)) {
                    count = split(substr(directive, RSTART + 8, RLENGTH - 8), names, " ")
                    for (i = 1; i <= count; i++) {
                        imports["import " names[i]] = 1
                        if (isProgram) add("import " names[i] "\n")
                    }
                }
                isFile = directive ~ /declarations/
                if (!isFile && !isProgram) code = code "func block" compiled "(" given ") async throws {\n"
                add("#sourceLocation(file: \"" page "\", line: " FNR + 1 ")\n")
            } else if (language == "sh") commands++
            else if (directive !~ /^file /) complain("a block of " language " is left out without a reason")
            next
        }
        /^```$/ && open {
            if (!isLeft && language == "swift") add("#sourceLocation()\n" (isFile || isProgram ? "" : "}\n"))
            open = 0; directive = ""
            next
        }
        open && !isLeft && language == "swift" && /^(@testable )?import / { imports[$0] = 1; add(isProgram ? $0 "\n" : "\n"); next }
        open && !isLeft && language == "swift" { add($0 "\n"); next }
        /^    [a-z.]/ && before == "" && !open { complain("a block that is indented is no block with a language") }
        { before = $0; if (!open && $0 != "") directive = "" }
        END {
            for (line in imports) print line > (folder "/code.swift")
            printf "%s", code > (folder "/code.swift")
            for (i = 1; i <= run; i++) {
                system("mkdir -p " folder "/" i)
                printf "%s", programs[i] > (folder "/" i "/main.swift")
            }
            print compiled + 0, run + 0, commands + 0, left + 0
        }' "$1"
}

# run_program FOLDER: runs a page's program in an empty folder. It has the deadlines that an application has, so that a machine busy with
# other work may make it fail once.
run_program() {
    rm -rf "$1/work"
    mkdir -p "$1/work"
    (cd "$1/work" && LLVM_PROFILE_FILE=/dev/null timeout 120 "$1/program") >"$1/output" 2>&1
}

# check PAGE: compiles and runs the code of a page, and prints its line.
check() {
    local folder=$place/pages/${1//\//-} counts program
    mkdir -p "$folder"
    counts=$(extract "$1" "$folder")
    read -r compiled run commands left <<<"$counts"
    if [ -s "$folder/faults" ]; then
        cat "$folder/faults"
        return 1
    fi
    if [ "$run" -gt 0 ]; then
        for program in "$folder"/*/; do
            program=${program%/}
            swiftc -swift-version 6 -Onone -profile-generate "${includes[@]}" "$folder/code.swift" "$program/main.swift" \
                @"$objects" -lstdc++ -o "$program/program" || return 1
            run_program "$program" || run_program "$program" || {
                tail -20 "$program/output"
                echo "snippets: $1: the code that is run failed twice"
                return 1
            }
        done
    elif [ "$compiled" -gt 0 ]; then
        swiftc -swift-version 6 -typecheck -parse-as-library "${includes[@]}" "$folder/code.swift" || return 1
    fi
    [ "$counts" = "0 0 0 0" ] \
        || echo "snippets: $1: $compiled compiled, $run of them run, $commands of sh, $left left out with a reason"
}

rm -rf "$place/pages"
status=0
# Two pages at a time.
while [ $# -gt 0 ]; do
    check "$1" &
    first=$!
    second=""
    if [ $# -gt 1 ]; then
        check "$2" &
        second=$!
        shift
    fi
    shift
    wait "$first" || status=1
    [ -z "$second" ] || wait "$second" || status=1
done
exit $status
