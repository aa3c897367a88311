"""Times the program on credentials of 1 MB of each format, and the memory that it takes beyond a small one; a JSON line each.

The files are not genuine: what is measured is the work up to and with the signature. usage: time-large.py PROGRAM
"""

import base64
import json
import os
import sys
import tempfile
import time
from pathlib import Path

program = sys.argv[1]
TARGET = 1_000_000


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def cbor(value):
    def head(major, number):
        for size, code in ((1, 24), (2, 25), (4, 26), (8, 27)):
            if number < 24:
                return bytes([major << 5 | number])
            if number < 1 << 8 * size:
                return bytes([major << 5 | code]) + number.to_bytes(size, "big")
        raise ValueError(number)

    if isinstance(value, tuple):
        return head(6, value[0]) + cbor(value[1])
    if isinstance(value, bool):
        return b"\xf5" if value else b"\xf4"
    if isinstance(value, int):
        return head(0, value) if value >= 0 else head(1, -1 - value)
    if isinstance(value, bytes):
        return head(2, len(value)) + value
    if isinstance(value, str):
        return head(3, len(value.encode())) + value.encode()
    if isinstance(value, list):
        return head(4, len(value)) + b"".join(map(cbor, value))
    return head(5, len(value)) + b"".join(cbor(k) + cbor(v) for k, v in value.items())


DID = "did:key:zDnaeoRpSvEFboxtUcn1XBdLAAAe7HD6hUZPpztsKKK8ApYN4"
EDWARDS = "did:key:z6MkehRgf7yJbgaGfYsdoAsKdBPE3dj2CYhowQdcjqSJgvVd"


def subject(count):
    return {"id": "did:example:subject",
            "name": [f"name {number} of the subject, with some text behind it" for number in range(count)]}


def jwt(count):
    payload = {"@context": ["https://www.w3.org/ns/credentials/v2"], "type": ["VerifiableCredential"], "issuer": DID,
               "validFrom": "2025-01-01T00:00:00Z", "credentialSubject": subject(count)}
    header = {"alg": "ES256", "typ": "vc+jwt", "kid": DID + "#" + DID.removeprefix("did:key:")}
    return (b64(json.dumps(header).encode()) + "." + b64(json.dumps(payload).encode()) + "." + b64(b"\1" * 64)).encode()


def sd_jwt(count):
    import hashlib

    disclosures = [b64(json.dumps([f"salt {number}", f"claim {number}", "x" * 150]).encode()) for number in range(count)]
    payload = {"iss": DID, "vct": "https://issuer.example/vct/1",
               "_sd": [b64(hashlib.sha256(text.encode()).digest()) for text in disclosures]}
    header = {"alg": "ES256", "typ": "dc+sd-jwt", "kid": DID + "#" + DID.removeprefix("did:key:")}
    token = b64(json.dumps(header).encode()) + "." + b64(json.dumps(payload).encode()) + "." + b64(b"\1" * 64)
    return (token + "~" + "~".join(disclosures) + "~").encode()


def mdoc(count):
    items = [(24, cbor({"digestID": number, "random": b"\2" * 16, "elementIdentifier": f"element {number}",
                        "elementValue": "x" * 100})) for number in range(count)]
    digests = {"org.iso.18013.5.1": {number: b"\3" * 32 for number in range(count)}}
    key = {1: 2, -1: 1, -2: b"\4" * 32, -3: b"\5" * 32}
    times = {name: (0, "2025-01-01T00:00:00Z") for name in ("signed", "validFrom", "validUntil")}
    signed = {"version": "1.0", "digestAlgorithm": "SHA-256", "valueDigests": digests, "deviceKeyInfo": {"deviceKey": key},
              "docType": "org.iso.18013.5.1.mDL", "validityInfo": times}
    auth = [cbor({1: -7}), {33: b"\x30\0"}, cbor((24, cbor(signed))), b"\1" * 64]
    return cbor({"nameSpaces": {"org.iso.18013.5.1": items}, "issuerAuth": auth})


def cwt(count):
    claims = {1: DID, 2: "did:example:subject", 100: [f"claim {number} with some text behind it" for number in range(count)]}
    key = DID + "#" + DID.removeprefix("did:key:")
    return cbor((18, [cbor({1: -7, 4: key.encode()}), {}, cbor(claims), b"\1" * 64]))


def json_ld(proof, claims):
    def make(count):
        method = EDWARDS + "#" + EDWARDS.removeprefix("did:key:")
        document = {"@context": ["https://www.w3.org/ns/credentials/v2"], "type": ["VerifiableCredential"],
                    "issuer": EDWARDS, "validFrom": "2025-01-01T00:00:00Z", "credentialSubject": claims(count),
                    "proof": {"type": "DataIntegrityProof", "cryptosuite": proof, "created": "2025-01-01T00:00:00Z",
                              "verificationMethod": method, "proofPurpose": "assertionMethod",
                              "proofValue": "z3w2ma8w8UgNGt2ffFKHbNQRg9xMY6qxJjoNmji1ogAr3tPGUHPmJJRAeifyJir4TpBPrW2ppsyQ5"
                                            "NCnBswbyBrwM"}}
        return json.dumps(document).encode()

    return make


def people(count):
    return [{"id": f"did:example:{number}", "name": f"the name of subject {number}"} for number in range(count)]


def nameless(count):
    """Subjects without identifiers: blank nodes."""
    return [{"name": f"the name of subject {number}"} for number in range(count)]


def run(path, trust):
    """Seconds and the greatest resident memory in bytes of one run."""
    start = time.monotonic()
    child = os.posix_spawn(program, [program, "verify", path, "--trust", trust, "--at", "2025-06-01T00:00:00Z", "--json"],
                           os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0),
                                                     (os.POSIX_SPAWN_OPEN, 2, "/dev/null", os.O_WRONLY, 0)])
    _, status, usage = os.wait4(child, 0)
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, \
        os.waitstatus_to_exitcode(status)


makers = {"jwt": jwt, "sd-jwt": sd_jwt, "mdoc": mdoc, "cwt": cwt,
          "json-ld over JSON": json_ld("eddsa-jcs-2022", people),
          "json-ld over statements, texts": json_ld("eddsa-rdfc-2022", subject),
          "json-ld over statements, nodes": json_ld("eddsa-rdfc-2022", people),
          "json-ld over statements, blank nodes": json_ld("eddsa-rdfc-2022", nameless)}
with tempfile.TemporaryDirectory() as folder:
    trust = Path(folder, "trust.txt")
    trust.write_text("method did:key\n")
    for name, make in makers.items():
        each = len(make(200)) - len(make(100))
        count = 100 + max(0, TARGET - len(make(100))) * 100 // each
        if name == "sd-jwt":
            count = min(count, 4096)
        results = []
        for number in (1, count):
            path = Path(folder, "file")
            path.write_bytes(make(number))
            size = path.stat().st_size
            results.append((min((run(str(path), str(trust)) for _ in range(3)), key=lambda r: r[1]), size))
        (small, _), (large, size) = results
        print(json.dumps({
            "schema": "symbolon.bench", "version": 1, "bench": "credentials-large", "operation": name, "bytes": size,
            "seconds": round(large[1], 4), "secondsOfSmall": round(small[1], 4),
            "memoryBytes": large[2] - small[2], "memoryRatio": round((large[2] - small[2]) / size, 2),
            "exitStatus": large[3]}))
