#!/bin/sh
# Searches logs for private keys and session keys that the tests use, for the sample credential, and for messages that tests
# send on connections: `secrets-in-logs.sh LOG...`.
# Fails when it finds one in hexadecimal digits, base 64 or as a list of numbers, or when it misses those it plants itself.

set -eu
cd "$(dirname "$0")/.."
LC_ALL=C
export LC_ALL
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Private keys stand beside their name in tests and recordings; session keys of the published vectors are in one test.
grep -rhoE 'rivateKey[^"]*"?:? ?"?[^"]*"[0-9a-f]{64}"' Tests --include='*.swift' --include='*.jsonl' |
    grep -oE '[0-9a-f]{64}' >"$work/keys"
grep -hoE 'bytes\("[0-9a-f]{64}"\)' Tests/TuvaliTests/Keys/SessionKeysTests.swift | grep -oE '[0-9a-f]{64}' >>"$work/keys"
sort -u -o "$work/keys" "$work/keys"
if [ "$(wc -l <"$work/keys")" -lt 4 ]; then
    echo "secrets-in-logs: the tests' keys were not found, so nothing can be searched for" >&2
    exit 1
fi

# Texts that tests send between agents begin with the same words; their bytes may stand anywhere in what is written of them.
words='For your eyes only'
senders=$(grep -rlF "$words" Tests --include='*.swift' --include='*.py' | wc -l)
if [ "$senders" -lt 4 ]; then
    echo "secrets-in-logs: the tests' messages were not found, so nothing can be searched for" >&2
    exit 1
fi
for start in 1 2 3; do
    printf '%s' "$words" | tail -c "+$start" | od -An -v -tx1 | tr -d ' \n'
    echo
done >"$work/words"

# The first eight bytes of a key, as people and programs write bytes.
writings() {
    awk '
        function value(text, at) {
            return 16 * (index(digits, substr(text, at, 1)) - 1) + index(digits, substr(text, at + 1, 1)) - 1
        }
        BEGIN { digits = "0123456789abcdef"; alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/" }
        {
            print substr($1, 1, 16)
            print toupper(substr($1, 1, 16))
            list = coded = ""
            for (i = 1; i < 17; i += 2) list = list (i > 1 ? ", " : "") value($1, i)
            print list
            for (i = 1; i < 18; i += 6) {
                word = value($1, i) * 65536 + value($1, i + 2) * 256 + value($1, i + 4)
                for (j = 262144; j >= 1; j /= 64) coded = coded substr(alphabet, int(word / j) % 64 + 1, 1)
            }
            print coded
        }' "$1"
}
cat "$work/keys" "$work/words" >"$work/secrets"
writings "$work/secrets" >"$work/patterns"
printf '%s\n' "$words" >>"$work/patterns"

# Four pieces of the sample credential.
for start in 400 4000 20000 50000; do
    tail -c "+$start" Examples/credentials/national-id.json | head -c 40 | tr -d '\n' >>"$work/patterns"
    echo >>"$work/patterns"
done

# Each pattern must be found where it was planted.
while IFS= read -r pattern; do
    printf 'x%sy\n' "$pattern" | grep -qF -f "$work/patterns" || {
        echo "secrets-in-logs: the search misses what it should find" >&2
        exit 1
    }
done <"$work/patterns"
test "$(printf '%064d\n' 0 | tr 0 f >"$work/probe" && writings "$work/probe" | tail -n 1)" = "////////////"

if grep -naF -f "$work/patterns" "$@" >"$work/found"; then
    echo "secrets-in-logs: the logs hold secrets:" >&2
    cut -c1-160 "$work/found" | head -n 10 >&2
    exit 1
fi
echo "secrets-in-logs: none of $(wc -l <"$work/patterns") writings of $(wc -l <"$work/keys") keys, the messages of $senders files and a credential in $(cat "$@" | wc -l) lines"
