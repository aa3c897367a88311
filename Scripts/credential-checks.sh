#!/bin/bash
# Takes out each check of the module Credentials in turn and names the files of the kit of forgeries that then get through:
# credential-checks.py, in a copy of the sources below .build-checks. With --page, writes Documentation/CredentialChecks.md.
. "$(dirname "$0")/environment.sh"
exec python3 Scripts/credential-checks.py "$@"
