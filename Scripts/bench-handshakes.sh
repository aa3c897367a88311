#!/bin/bash
# Full TLS handshakes in a second with a cloud agent and with nginx, in turns on one machine with one certificate: openssl s_time in
# two processes is the client. Prints a JSON line for each run, with the handshakes that a second of the server's processor time
# makes, which the client on the same machine does not change. SYMBOLON names a program in place of the release build.
set -euo pipefail
# shellcheck source=Scripts/environment.sh
. "$(dirname "$0")/environment.sh"

symbolon=${SYMBOLON:-$PWD/.build/release/symbolon}
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

"$symbolon" agent run --json --listen 127.0.0.1:0 --data "$folder/agent" --tls-cert "$folder/cert.pem" \
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
