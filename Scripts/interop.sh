#!/bin/bash
# Programs of other people against ours, on this machine only: `interop.sh PART [ARGUMENTS]`.
#   aries        live agents of ACA-Py against our command: invitations of every kind in both directions, messages, reuse, mediators,
#                transports that are taken away, grants asked for at any moment (GRANTS, 100 times, and KILLS, 16 times after a kill), and
#                how long accepting takes beside theirs; ONLY runs the cases whose name has that text
#   agent        our cloud agent among agents of ACA-Py, scripts and our wallet: MESSAGES (1000) each way in each arrangement, with a
#                receiver that is away, there, and now and then (at moments that SEED decides); none lost, none twice, all in order.
#                ONLY as above; PARTS runs some of `sqlite postgres beside`
#   agent-short  the same with 25 messages each way, with SQLite and with PostgreSQL
#   credentials  the kit of forgeries (Vectors/credentials) against libraries from PyPI: what they let through, as the page
#                Documentation/Evidence/CredentialPeers.md; then a thousand SD-JWTs and a thousand JSON-LD documents, read by them and by ours
#   codes        printed codes: those that 16 countries and other libraries published, codes made in the run by packages from PyPI, ours read
#                by them and by zbarimg, and hostile ones; then how long a verdict takes beside readers in Python. Prints JSON Lines.
#                SEED (1) decides what is drawn by lot
#   phones       phones and readers of mobile documents (ISO/IEC 18013-5) that share no code with ours, against `receive --phone` and
#                `send --show`: modes, MTUs, sizes, curves, proofs, signed requests, and what phones in use do otherwise. `--times 20`
#                runs each combination so often, `--only TEXT` those whose line has the text. Prints JSON Lines
#   request      the vectors of Documentation/Profiles/request.md, read by a program that shares no code with ours
#   web          curl, Node, aiohttp, websockets and wrk against our HTTP and WebSocket, plain and over TLS; then cases of RFC 6455 and
#                RFC 9112 in both directions; says requests per second and what an idle socket costs
#   smuggling    a generated corpus of requests, most of them malformed, to our HTTP server: alone and behind nginx and HAProxy. Fails where
#                a front counts other requests than our server, or where our server accepts an invalid request or refuses a valid one; shows
#                first on servers with planted faults that it finds them. Prints JSON Lines. With `--every 20` less than a minute
# What comes from PyPI is installed first; a part that needs it is skipped, with a line that says so, only where PyPI is not reached.
# SYMBOLON and WEB_PEER name programs in place of fresh release builds.
set -euo pipefail
# shellcheck source=Scripts/environment.sh
. "$(dirname "$0")/environment.sh"

part=${1:-}
[ $# -eq 0 ] || shift

# or_skip COMMAND...: ends the run with 0 where the command skips (77), and with its status where it fails.
or_skip() {
    local status=0
    "$@" || status=$?
    if [ "$status" -eq 77 ]; then exit 0; fi
    [ "$status" -eq 0 ] || exit "$status"
}

# need_peers: the packages of Tests/Interop/PART/requirements.txt in an environment of their own, whose Python is `python` then.
need_peers() {
    label=interop-$part
    place=.build-interop/$part
    log=$place/setup.log
    python=$place/venv/bin/python
    . Scripts/registries.sh
    or_skip install_peers
}
install_peers() (
    need_venv
    requirements=Tests/Interop/$part/requirements.txt
    make_venv "$place/venv" python3 "$(sha256sum "$requirements" | cut -c 1-16)" -r "$requirements" \
        || without_pypi "$place/venv" "the packages of $requirements could not be installed"
)

# aca_py DRIVER ARGUMENTS...: a driver that starts agents of ACA-Py.
aca_py() {
    or_skip Scripts/interop-setup.sh
    release_programs symbolon
    local driver=$1
    shift
    exec .build-interop/venv-0.12/bin/python -B "Tests/Interop/$driver/drive.py" "$SYMBOLON" "$@" </dev/null
}

scratch() {
    TMPDIR=$(mktemp -d)
    export TMPDIR
    trap 'rm -rf "$TMPDIR"' EXIT
}

case "$part" in
aries) aca_py aries ;;
agent) aca_py agent "${MESSAGES:-1000}" "${SEED:-1}" ;;
agent-short)
    export PARTS="sqlite postgres"
    aca_py agent 25 "${SEED:-1}"
    ;;
credentials)
    need_peers
    "$python" Tests/Interop/credentials/judge-kit.py Vectors/credentials Documentation/Evidence/CredentialPeers.md \
        "${SYMBOLON_VECTORS:-../shared/vectors}/credentials/contexts" </dev/null
    # A thousand SD-JWTs of random claims: what the package reads in each, our verifier reads too.
    "$python" Tests/Interop/credentials/make-sd-jwt-documents.py 1000 7 >"$place/documents.json" </dev/null
    # A thousand JSON-LD documents of random contexts: PyLD and our reader make the same statements of each, or both refuse it.
    "$python" Tests/Interop/credentials/make-json-ld-documents.py 1000 7 >"$place/json-ld.json" </dev/null
    SYMBOLON_SD_JWT_DOCUMENTS="$PWD/$place/documents.json" SYMBOLON_JSON_LD_DOCUMENTS="$PWD/$place/json-ld.json" \
        Scripts/test.sh Credentials/SDSecondOpinionTests Credentials/StatementSecondOpinionTests
    ;;
codes)
    need_peers
    release_programs symbolon symbolon-lab
    exec "$python" -B Tests/Interop/codes/drive.py "$SYMBOLON" Vectors/credentials "${SYMBOLON_VECTORS:-../shared/vectors}" \
        --seed "${SEED:-1}" "$@" </dev/null
    ;;
phones)
    need_peers
    release_programs symbolon
    exec "$python" -B Tests/Interop/phones/drive.py "$SYMBOLON" "$@" </dev/null
    ;;
request)
    need_peers
    exec "$python" -B Tests/Interop/request/profile.py </dev/null
    ;;
web)
    need_peers
    release_programs web-peer
    scratch
    "$python" Tests/Interop/web/drive.py "$WEB_PEER" "$TMPDIR" </dev/null
    "$python" Tests/Interop/websocket/run.py "$WEB_PEER" "$TMPDIR" </dev/null
    ;;
smuggling)
    Scripts/setup.sh all >&2
    release_programs web-peer
    # The sockets, configurations and logs of the proxies.
    scratch
    suite=Tests/Interop/smuggling
    python3 $suite/drive.py --self-test </dev/null
    python3 $suite/drive.py --server "$WEB_PEER" "$@" </dev/null
    for seed in 1 2 3; do python3 $suite/pipelines.py --server "$WEB_PEER" --seed $seed </dev/null; done
    ;;
*) sed -n '2,/^# What comes/p' Scripts/interop.sh >&2 && exit 2 ;;
esac
