#!/bin/bash
# Takes out the checks of requests and answers one by one and plays every attack of RequestAttack without each: requests.py,
# in a copy of the sources below .build-checks. Each attack must then succeed where its check is out, and nowhere else.
. "$(dirname "$0")/environment.sh"
exec python3 -B Tests/RemovedChecks/requests.py "$@"
