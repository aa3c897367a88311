#!/bin/bash
# Makes single changes to the code that verifies credentials, and says whether the kit of forgeries notices each:
# credentials.py, in a copy of the sources below .build-checks. With --page, writes Documentation/CredentialChecks.md.
. "$(dirname "$0")/environment.sh"
exec python3 Tests/RemovedChecks/credentials.py "$@"
