#!/bin/bash
# Makes single changes to the code that verifies credentials, and says whether the kit of forgeries notices each:
# credential-checks.py, in a copy of the sources below .build-checks. With --page, writes Documentation/CredentialChecks.md.
. "$(dirname "$0")/environment.sh"
exec python3 Scripts/credential-checks.py "$@"
