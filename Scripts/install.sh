#!/bin/sh
# Installs the release build below PREFIX (/usr/local): the program, its manual for man, completions for three shells, the unit of the
# cloud agent, a sample of its settings, and an example credential with its trust file. DESTDIR is put before every path, for packages.
# With --remove takes exactly that away again. Builds nothing: `make build` comes first, or `make install` does both.

set -eu
prefix=${PREFIX:-/usr/local}
destination=${DESTDIR:-}
cd "$(dirname "$0")/.."
program=${PROGRAM:-.build/release/symbolon}
manual=share/man/man1
units=lib/systemd/system
examples=share/doc/symbolon/examples

if [ "${1:-}" = --remove ]; then
    rm -f "$destination$prefix/bin/symbolon" "$destination$prefix/$manual"/symbolon.1* "$destination$prefix/$manual"/symbolon-*.1* \
        "$destination$prefix/share/bash-completion/completions/symbolon" \
        "$destination$prefix/share/zsh/vendor-completions/_symbolon" \
        "$destination$prefix/share/fish/vendor_completions.d/symbolon.fish" \
        "$destination$prefix/$units/symbolon-agent.service" \
        "$destination$prefix/$examples/agent.conf" "$destination$prefix/$examples/nginx.conf" \
        "$destination$prefix/$examples/grafana.json" "$destination$prefix/$examples/national-id.json" \
        "$destination$prefix/$examples/trust.txt" \
        "$destination$prefix/$examples/wallet/national-id.sd-jwt" "$destination$prefix/$examples/wallet/holder.jwk"
    rmdir "$destination$prefix/$examples/wallet" "$destination$prefix/$examples" "$destination$prefix/share/doc/symbolon" 2>/dev/null || true
    echo "install: removed from $destination$prefix"
    exit 0
fi

[ -x "$program" ] || { echo "install: there is no $program; run make build first" >&2 && exit 3; }
pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT

# put MODE FILE PATH-BELOW-THE-PREFIX
put() { install -D -m "$1" "$2" "$destination$prefix/$3"; }

put 755 "$program" bin/symbolon
"$program" man "$pages"
for page in "$pages"/*.1; do
    gzip -9n "$page"
    put 644 "$page.gz" "$manual/$(basename "$page").gz"
done
"$program" completion bash >"$pages/script" && put 644 "$pages/script" share/bash-completion/completions/symbolon
"$program" completion zsh >"$pages/script" && put 644 "$pages/script" share/zsh/vendor-completions/_symbolon
"$program" completion fish >"$pages/script" && put 644 "$pages/script" share/fish/vendor_completions.d/symbolon.fish
sed "s|/usr/local/bin/symbolon|$prefix/bin/symbolon|" Packaging/systemd/symbolon-agent.service >"$pages/script"
put 644 "$pages/script" "$units/symbolon-agent.service"
"$program" agent config sample >"$pages/script" && put 644 "$pages/script" "$examples/agent.conf"
put 644 Packaging/nginx/symbolon-agent.conf "$examples/nginx.conf"
put 644 Packaging/grafana/symbolon-agent.json "$examples/grafana.json"
for example in national-id.json trust.txt; do put 644 "Examples/credentials/$example" "$examples/$example"; done
for example in national-id.sd-jwt holder.jwk; do put 644 "Examples/wallet/$example" "$examples/wallet/$example"; done
echo "install: $("$program" --version) below $destination$prefix"
