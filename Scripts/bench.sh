#!/bin/bash
# Measures, and judges nothing: figures as JSON Lines on standard output. `bench.sh [PART]`, without one cores and agent.
#   cores       hand-overs in virtual time; the cores, envelopes, credentials and proximity, beside the bare libraries
#   agent       a cloud agent with SQLite and, where Debian's package is there, with a PostgreSQL 15 of its own, beside a mediator of ACA-Py
#               where Scripts/interop-setup.sh has installed one; further arguments go to `symbolon-lab bench agent`
#   handshakes  full TLS handshakes in a second with a cloud agent and with nginx, in turns with one certificate, for SECONDS (5) each:
#               openssl s_time in two processes is the client. Also by a second of the server's processor time, which the client on the
#               same machine does not change
# SYMBOLON and SYMBOLON_LAB name programs in place of fresh release builds.
set -euo pipefail
# shellcheck source=Scripts/environment.sh
. "$(dirname "$0")/environment.sh"
release_programs symbolon symbolon-lab

cores() {
    for suite in pipeline didcomm credentials; do "$SYMBOLON_LAB" bench $suite --json; done
    python3 Tests/Interop/credentials/time-large.py "$SYMBOLON"
    for suite in herald transfer phone; do "$SYMBOLON_LAB" bench $suite --json; done
}

agent() (
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

    "$SYMBOLON_LAB" bench agent --program "$SYMBOLON" --json --folder "$folder" "${options[@]}" "$@"
)

handshakes() (
    seconds=${1:-5}
    folder=$(mktemp -d)
    servers=()
    # Ends what was started, and nothing else.
    finish() {
        for server in "${servers[@]}"; do kill "$server" 2>/dev/null && wait "$server" || true; done
        rm -rf "$folder"
    }
    trap finish EXIT

    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
        -addext subjectAltName=DNS:localhost -keyout "$folder/key.pem" -out "$folder/cert.pem" 2>/dev/null

    "$SYMBOLON" agent run --json --listen 127.0.0.1:0 --data "$folder/agent" --tls-cert "$folder/cert.pem" \
        --tls-key "$folder/key.pem" >"$folder/events" 2>/dev/null &
    agent=$!
    servers+=("$agent")
    for _ in $(seq 100); do
        if grep -q cloud-agent "$folder/events"; then break; fi
        sleep 0.1
    done
    ours=$(python3 -c 'import json, sys; print(json.loads(sys.stdin.readline())["address"].rsplit(":", 1)[1])' <"$folder/events")

    # A free port, because nginx does not say which one the system chose.
    theirs=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    cat >"$folder/nginx.conf" <<END
daemon off; worker_processes auto; pid $folder/nginx.pid; error_log stderr crit;
events { worker_connections 10000; }
http {
    access_log off; client_body_temp_path $folder/a; proxy_temp_path $folder/b; fastcgi_temp_path $folder/c;
    uwsgi_temp_path $folder/d; scgi_temp_path $folder/e;
    server {
        listen 127.0.0.1:$theirs ssl; ssl_certificate $folder/cert.pem; ssl_certificate_key $folder/key.pem;
        ssl_session_cache off; ssl_protocols TLSv1.2 TLSv1.3; return 200 "nothing\n";
    }
}
END
    nginx -c "$folder/nginx.conf" 2>/dev/null &
    nginx=$!
    servers+=("$nginx")
    sleep 1

    # The processor time of a process and its children, in clock ticks.
    ticks() {
        for process in "$1" $(pgrep -P "$1"); do sed 's/.*) //' "/proc/$process/stat"; done | awk '{ sum += $12 + $13 } END { print sum }'
    }

    measure() {
        local before after count
        before=$(ticks "$2")
        for client in 1 2; do openssl s_time -connect "127.0.0.1:$3" -new -time "$seconds" -tls1_3 2>/dev/null >"$folder/out.$client" & jobs+=($!); done
        wait "${jobs[@]}"
        after=$(ticks "$2")
        count=$(cat "$folder"/out.* | awk '/connections in .* real seconds/ { sum += $1 } END { print sum }')
        awk -v name="$1" -v count="$count" -v seconds="$seconds" -v ticks=$((after - before)) -v hertz="$(getconf CLK_TCK)" 'BEGIN {
            printf "{\"bench\":\"handshakes\",\"server\":\"%s\",\"count\":%d,\"perSecond\":%.0f,\"perProcessorSecond\":%.0f}\n",
                name, count, count / seconds, (ticks > 0 ? count * hertz / ticks : 0) }'
    }

    for _ in 1 2 3; do
        jobs=()
        measure agent "$agent" "$ours"
        jobs=()
        measure nginx "$nginx" "$theirs"
    done
)

part=${1:-}
[ $# -eq 0 ] || shift
case "$part" in
"")
    cores
    agent
    ;;
cores | agent | handshakes) "$part" "$@" ;;
*) echo "usage: Scripts/bench.sh [cores|agent|handshakes] [ARGUMENTS]" >&2 && exit 2 ;;
esac
