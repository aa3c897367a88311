#!/bin/bash
# Measures a cloud agent with SQLite and, where Debian's package is there, with a PostgreSQL 15 of its own, beside a mediator
# of ACA-Py where Scripts/interop-setup.sh has installed one; JSON Lines on standard output. Nothing is judged here.
# SYMBOLON names a program in place of the release build, SYMBOLON_LAB the one that measures it; arguments go to the command as they are.
set -euo pipefail
# shellcheck source=Scripts/environment.sh
. "$(dirname "$0")/environment.sh"

symbolon=${SYMBOLON:-$PWD/.build/release/symbolon}
lab=${SYMBOLON_LAB:-$PWD/.build/release/symbolon-lab}
folder=$(mktemp -d)
options=()
database=
mediator=
# Ends what was started, and nothing else.
finish() {
    if [ -n "$mediator" ]; then
        exec 3>&-
        wait "$mediator" || true
    fi
    if [ -n "$database" ]; then
        kill -INT "$database"
        wait "$database" || true
    fi
    rm -rf "$folder"
}
trap finish EXIT

# 1. A certificate for what is measured over TLS.
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost -keyout "$folder/key.pem" -out "$folder/cert.pem" 2>/dev/null
options+=(--tls-cert "$folder/cert.pem" --tls-key "$folder/key.pem")

# 2. PostgreSQL as it comes, with fsync; it does not run as root.
programs=/usr/lib/postgresql/15/bin
if [ -x "$programs/postgres" ]; then
    as=()
    mkdir "$folder/pg"
    if [ "$(id -u)" -eq 0 ]; then
        as=(setpriv --reuid=postgres --regid=postgres --clear-groups --)
        chown postgres "$folder/pg"
        chmod 711 "$folder"
    fi
    (cd "$folder/pg" && "${as[@]}" "$programs/initdb" --auth=trust --username=postgres --encoding=UTF8 -D data) >/dev/null
    (cd "$folder/pg" && exec "${as[@]}" "$programs/postgres" -D data -k "$folder/pg" -c listen_addresses= ) \
        >/dev/null 2>"$folder/pg.log" &
    database=$!
    for _ in $(seq 300); do
        if "$programs/pg_isready" -q -h "$folder/pg"; then break; fi
        sleep 0.1
    done
    "${as[@]}" "$programs/createdb" -h "$folder/pg" -U postgres bench
    # A server that was just made fills each file of its log (WAL) with zeros before it uses it, and answers stand still meanwhile;
    # one that has been in use takes old files again. So 650 MB are written first, and a checkpoint makes their files free.
    "${as[@]}" "$programs/psql" -q -h "$folder/pg" -U postgres -d bench \
        -c "CREATE TABLE filled AS SELECT repeat(md5(n::text), 60) AS text FROM generate_series(1, 320000) AS n" \
        -c "DROP TABLE filled" -c CHECKPOINT >/dev/null
    options+=(--postgres "postgresql:///bench?host=$folder/pg&user=postgres")
else
    echo "bench: PostgreSQL 15 is not installed, and is left out" >&2
fi

# 3. ACA-Py's mediator, which ends when its standard input does.
if [ -x .build-interop/venv-0.12/bin/aca-py ]; then
    mkfifo "$folder/in"
    .build-interop/venv-0.12/bin/python -B Tests/Interop/aries/mediator.py .build-interop \
        <"$folder/in" >"$folder/link" 2>"$folder/mediator.log" &
    mediator=$!
    exec 3>"$folder/in"
    for _ in $(seq 1200); do
        if [ -s "$folder/link" ] || ! kill -0 "$mediator" 2>/dev/null; then break; fi
        sleep 0.1
    done
    if [ -s "$folder/link" ]; then
        options+=(--acapy "$(cat "$folder/link")")
    else
        echo "bench: ACA-Py did not begin, and is left out: $(tail -n 3 "$folder/mediator.log")" >&2
    fi
else
    echo "bench: ACA-Py is not installed (Scripts/interop-setup.sh), and is left out" >&2
fi

"$lab" bench agent --program "$symbolon" --json --folder "$folder" "${options[@]}" "$@"
