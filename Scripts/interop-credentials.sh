#!/bin/bash
# The kit of forgeries (Vectors/credentials) against libraries of others from PyPI: what they let through, as a table and as the page
# Documentation/CredentialPeers.md. Then a thousand SD-JWTs that one of them makes and reads, against our verifier. Skips, and says
# so, only where PyPI is not reached.

. "$(dirname "$0")/environment.sh"

label=interop-credentials
place=.build-interop/credentials
log=$place/setup.log
. Scripts/registries.sh

prepare() (
    need_venv
    requirements=Tests/Interop/credentials/requirements.txt
    make_venv "$place/venv" python3 "$(sha256sum $requirements | cut -c 1-16)" -r $requirements \
        || without_pypi "$place/venv" "the peers could not be installed"
)
status=0
prepare || status=$?
if [ "$status" -eq 77 ]; then exit 0; fi
[ "$status" -eq 0 ] || exit "$status"

"$place/venv/bin/python" Tests/Interop/credentials/judge-kit.py Vectors/credentials Documentation/CredentialPeers.md \
    "${SYMBOLON_VECTORS:-../shared/vectors}/credentials/contexts" </dev/null

# A thousand SD-JWTs of random claims: what the package reads in each, our verifier reads too.
"$place/venv/bin/python" Tests/Interop/credentials/make-sd-jwt-documents.py 1000 7 >"$place/documents.json" </dev/null
# A thousand JSON-LD documents of random contexts: PyLD and our reader make the same statements of each, or both refuse it.
"$place/venv/bin/python" Tests/Interop/credentials/make-json-ld-documents.py 1000 7 >"$place/json-ld.json" </dev/null
SYMBOLON_SD_JWT_DOCUMENTS="$PWD/$place/documents.json" SYMBOLON_JSON_LD_DOCUMENTS="$PWD/$place/json-ld.json" \
    Scripts/test.sh Credentials/SDSecondOpinionTests Credentials/StatementSecondOpinionTests
