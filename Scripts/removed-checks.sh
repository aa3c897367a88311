#!/bin/bash
# Takes checks out of a copy of the sources below .build-checks, one at a time, and says whether it is noticed: `removed-checks.sh
# credentials [--page] [--only TEXT]`, single conditions of the code that verifies credentials, by the kit of forgeries; --page writes
# Documentation/Evidence/CredentialChecks.md. `removed-checks.sh requests`, each check of requests and answers: the attack of RequestAttack
# that it prevents must then succeed, and no other. `removed-checks.sh sessions` does so with the forgeries of SessionForgery, for the
# checks of sessions of mobile documents.
. "$(dirname "$0")/environment.sh"
case "${1:-}" in
credentials | requests | sessions) exec python3 -B "Tests/RemovedChecks/$1.py" "${@:2}" ;;
*) echo "usage: Scripts/removed-checks.sh credentials [--page] [--only TEXT] | requests | sessions" >&2 && exit 2 ;;
esac
