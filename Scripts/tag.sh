#!/bin/sh
# Tags the last commit as a release: an annotated tag vVERSION, with the section of CHANGELOG.md for that version as its message. The
# version is that of the program. Refuses where files are changed, the section is missing or empty, or the tag is there.

set -eu
cd "$(dirname "$0")/.."

refuse() { echo "tag: $1" >&2 && exit 1; }
version=$(sed -n 's/.*package static let version = "\(.*\)"$/\1/p' Sources/CommandLine/CommandProgram/Program/Program.swift)
[ -n "$version" ] || refuse "the version of the program is not found"
[ -z "$(git status --porcelain)" ] || refuse "there are changes that are not committed"
if git rev-parse -q --verify "refs/tags/v$version" >/dev/null; then refuse "there is a tag v$version; raise Program.version"; fi
message=$(awk -v heading="## $version" '$0 == heading { found = 1; next } /^## / { found = 0 } found' CHANGELOG.md)
[ -n "$(printf '%s' "$message" | tr -d '[:space:]')" ] || refuse "CHANGELOG.md has no section “## $version” with something in it"
printf 'Symbolon %s\n\n%s\n' "$version" "$message" | git tag -a --cleanup=whitespace -F - "v$version"
echo "tag: v$version at $(git rev-parse --short=12 HEAD); push it with: git push origin v$version"
