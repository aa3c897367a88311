#!/bin/bash
# Installs the release build below PREFIX (/usr/local): the program, man pages of commands (section 1), of files (5) and of error codes (7),
# guides and manual, completions for three shells, the unit of the cloud agent, and an example of each file that the program reads or
# writes. DESTDIR is put before every path, for packages. With --remove takes exactly that away again. Builds nothing.

set -euo pipefail
prefix=${PREFIX:-/usr/local}
destination=${DESTDIR:-}
cd "$(dirname "$0")/.."
program=${PROGRAM:-.build/release/symbolon}
units=lib/systemd/system
documents=share/doc/symbolon
examples=$documents/examples

if [ "${1:-}" = --remove ]; then
    rm -f "$destination$prefix/bin/symbolon" "$destination$prefix"/share/man/man[157]/symbolon.[157]* \
        "$destination$prefix"/share/man/man[157]/symbolon[-.]*.[157]* \
        "$destination$prefix/share/bash-completion/completions/symbolon" \
        "$destination$prefix/share/zsh/vendor-completions/_symbolon" \
        "$destination$prefix/share/fish/vendor_completions.d/symbolon.fish" \
        "$destination$prefix/$units/symbolon-agent.service"
    rm -rf "${destination:?}$prefix/$documents/Guides" "$destination$prefix/$documents/Manual" "$destination$prefix/$documents/Profiles" \
        "$destination$prefix/$documents/Evidence" \
        "$destination$prefix/$examples"
    rm -f "$destination$prefix/$documents"/*.md
    rmdir "$destination$prefix/$documents" 2>/dev/null || true
    echo "install: removed from $destination$prefix"
    exit 0
fi

[ -x "$program" ] || { echo "install: there is no $program; run make build first" >&2 && exit 3; }
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
version=$("$program" --version | cut -d ' ' -f 2)

# put MODE FILE PATH-BELOW-THE-PREFIX
put() { install -D -m "$1" "$2" "$destination$prefix/$3"; }

# page NAME SECTION SUMMARY FILE [HEADING]: a page of the manual, or the section under a heading, as a page for man.
page() {
    awk -v name="$1" -v section="$2" -v summary="$3" -v version="$version" -v heading="${5:-}" \
        -f Packaging/manual-page.awk "Documentation/$4" >"$made/$1.$2"
    [ "$(wc -l <"$made/$1.$2")" -gt 10 ] || { echo "install: Documentation/$4 has nothing under “${5:-}”" >&2 && exit 1; }
}

# block FILE NAME PATH: the block of FILE that the comment above it calls NAME, as an example.
block() {
    awk -v wanted="<!-- snippet: file $2 -->" '$0 == wanted { open = 1; next } open && /^```/ { if (inside++) exit; next } inside' \
        "Documentation/$1" >"$made/block"
    [ -s "$made/block" ] || { echo "install: Documentation/$1 has no block $2" >&2 && exit 1; }
    put 644 "$made/block" "$examples/$3"
}

put 755 "$program" bin/symbolon

"$program" man "$made"
page symbolon-trust 5 "trust file: who may issue what" Manual/TrustFile.md
page symbolon-settings 5 "settings of a user for all commands" Manual/Commands.md "Vault, key file and names"
page symbolon-agent.conf 5 "settings of a cloud agent" Manual/CloudAgent.md Settings
page symbolon-policy 5 "policy of a verifier desk" Manual/VerifierDesk.md Policy
page symbolon-events 5 "events that commands write with --json" Manual/Events.md
page symbolon-log 5 "log of nearby devices" Manual/Proximity.md "The log"
page symbolon-scenario 5 "scenario of a simulated crowd" Manual/Simulation.md Crowds
page symbolon-errors 7 "error codes, what they mean and what to do" ErrorCodes.md
for file in "$made"/*.[157]; do
    gzip -9n "$file"
    put 644 "$file.gz" "share/man/man${file##*.}/$(basename "$file").gz"
done

# Guides and manual for users, with links to each other only.
pages="Guides/*.md Manual/Bluetooth.md Manual/CloudAgent.md Manual/Commands.md Manual/Events.md Manual/Proximity.md
    Manual/ReplicatedDatabase.md Manual/Simulation.md Manual/TrustFile.md Manual/Vault.md Manual/Verdict.md Manual/VerifierDesk.md Profiles/request.md
    Delivery.md ErrorCodes.md KnownLimits.md Limits.md Evidence/Performance.md Scale.md ThreatModel.md"
cd Documentation
# shellcheck disable=SC2086
pages=$(echo $pages)
cd ..
for file in $pages; do put 644 "Documentation/$file" "$documents/$file"; done
for file in $pages; do
    copy=$destination$prefix/$documents/$file
    { grep -oE '\]\([^()]+\)' "$copy" || true; } | sed -E 's/^\]\(//; s/\)$//' | LC_ALL=C sort -u | while read -r target; do
        case "$target" in http*:* | '#'*) continue ;; esac
        [ -e "$(dirname "$copy")/${target%%#*}" ] && continue
        escaped=$(printf '%s' "$target" | sed 's/[.[\*^$|]/\\&/g')
        sed -i -E "s|\[([^][]*)\]\($escaped\)|\1|g; s|\]\($escaped\)||g" "$copy"
    done
done

"$program" completion bash >"$made/script" && put 644 "$made/script" share/bash-completion/completions/symbolon
"$program" completion zsh >"$made/script" && put 644 "$made/script" share/zsh/vendor-completions/_symbolon
"$program" completion fish >"$made/script" && put 644 "$made/script" share/fish/vendor_completions.d/symbolon.fish
sed "s|/usr/local/bin/symbolon|$prefix/bin/symbolon|" Packaging/systemd/symbolon-agent.service >"$made/script"
put 644 "$made/script" "$units/symbolon-agent.service"

"$program" agent config sample >"$made/script" && put 644 "$made/script" "$examples/agent.conf"
put 644 Packaging/nginx/symbolon-agent.conf "$examples/nginx.conf"
put 644 Packaging/grafana/symbolon-agent.json "$examples/grafana.json"
put 644 Packaging/patroni.yml "$examples/patroni.yml"
put 644 Packaging/haproxy.cfg "$examples/haproxy.cfg"
for example in national-id.json trust.txt; do put 644 "Examples/credentials/$example" "$examples/$example"; done
for example in national-id.sd-jwt holder.jwk; do put 644 "Examples/wallet/$example" "$examples/wallet/$example"; done
block Manual/Commands.md settings settings
block Manual/VerifierDesk.md policy.json policy.json
block Manual/Events.md events.jsonl events.jsonl
block Manual/Simulation.md mine.txt scenario.txt
# The same seed gives the same log.
"$program" prox simulate office --devices 3 --hours 2m --seed 1 --alone --log "$made/log" >/dev/null
for file in "$made"/log/*; do put 644 "$file" "$examples/log/$(basename "$file")"; done
echo "install: $("$program" --version) below $destination$prefix"
