"""Times libraries of others on good files of the kit: for each format the signature and what else the library checks.

Each line is FILE LIBRARY SECONDS: the median of the processor seconds of one verification, everything at hand: keys as
objects, contexts parsed. usage: time-peers.py KIT CONTEXTS ROUNDS FILE…
"""

import base64
import json
import statistics
import sys
import time
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

import cbor2
import pymdoccbor.mso.verifier
from cryptography import x509
from jwcrypto.jwk import JWK
from jwcrypto.jwt import JWT
from pycose.keys import EC2Key
from pycose.messages import Sign1Message
from pymdoccbor.mdoc.verifier import MdocCbor
from sd_jwt.verifier import SDJWTVerifier

import proofs

kit, contexts, rounds = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
cases = {}
for case in json.loads((kit / "manifest.json").read_text())["cases"]:
    if case["result"] == "genuine":
        cases.setdefault(case["file"], case)


def trust(case):
    found = []
    for line in (kit / case["trust"]).read_text().splitlines():
        if line.startswith(" "):
            found[-1][1].append(line.split())
        else:
            found.append((line.split(), []))
    return found


def first_key(case):
    """The first key of the first issuer that has a document."""
    for head, settings in trust(case):
        for words in settings:
            if head[0] == "issuer" and words[0] in ("document", "keys"):
                return json.loads((kit / "trust" / words[1]).read_text())["keys"][0]
    raise ValueError("no key")


def jwt(case):
    text = (kit / case["file"]).read_text().strip()
    header = json.loads(base64.urlsafe_b64decode(text.split(".")[0] + "=="))
    key = JWK.from_pyca(proofs.did_key(header["kid"]))

    def verify():
        token = JWT(jwt=text, key=key, check_claims={}, algs=["ES256"])
        return json.loads(token.claims)

    return "jwcrypto " + version("jwcrypto"), verify


def sd_jwt(case):
    text = (kit / case["file"]).read_text().strip()
    key = JWK.from_json(json.dumps(first_key(case)))
    bound = not text.endswith("~")

    def verify():
        SDJWTVerifier(text, lambda issuer, header: key, case.get("audience") if bound else None,
                      case.get("nonce") if bound else None).get_verified_payload()

    return "sd-jwt " + version("sd-jwt"), verify


def mdoc(case):
    # A clock that stands at the time of the case, in place of the one that the library reads.
    instant = datetime.fromisoformat(case["time"])

    class Clock(datetime):
        @classmethod
        def now(cls, tz=None):
            return instant.astimezone(tz) if tz else instant.replace(tzinfo=None)

        @classmethod
        def utcnow(cls):
            return instant.replace(tzinfo=None)

    library = pymdoccbor.mso.verifier
    if hasattr(library.datetime, "datetime"):
        library.datetime.datetime = Clock
    else:
        library.datetime = Clock
    data = (kit / case["file"]).read_bytes()
    data = b"\xa3" + cbor2.dumps("version") + cbor2.dumps("1.0") + cbor2.dumps("documents") + b"\x81" + data \
        + cbor2.dumps("status") + b"\x00"
    roots = [x509.load_der_x509_certificate((kit / "trust" / head[1]).read_bytes())
             for head, _ in trust(case) if head[0] == "root"]

    def verify():
        reader = MdocCbor()
        reader.loads(data)
        assert reader.verify(trusted_root_certs=roots)

    return "pymdoccbor " + version("pymdoccbor"), verify


def cwt(case):
    data = (kit / case["file"]).read_bytes()
    numbers = first_key(case)
    x, y = (base64.urlsafe_b64decode(numbers[name] + "==") for name in ("x", "y"))
    key = EC2Key(crv="P_256", x=x, y=y)

    def verify():
        # The reader makes immutable values within tags, which pycose does not take.
        protected, unprotected, payload, signature = cbor2.loads(data[2:] if data[0] == 0xD8 else data).value
        message = Sign1Message.from_cose_obj([protected, dict(unprotected), payload, signature], True)
        message.key = key
        assert message.verify_signature()
        return cbor2.loads(message.payload)

    return "pycose " + version("pycose"), verify


def json_ld(case):
    document = json.loads((kit / case["file"]).read_text())
    loader = proofs.Contexts(kit, trust(case), json.loads(contexts.read_text()))

    def verify():
        assert proofs.verify(document, loader)

    return "PyLD " + version("PyLD"), verify


makers = {"jwt": jwt, "sd-jwt": sd_jwt, "mdoc": mdoc, "cwt": cwt, "json-ld": json_ld}
for name in sys.argv[4:]:
    case = cases[name]
    is_json = case["format"] == "json-ld" and "jcs" in (kit / name).read_text()
    if is_json:
        # No library in the list of requirements canonicalises JSON.
        continue
    library, verify = makers[case["format"]](case)
    verify()
    times = []
    for _ in range(rounds):
        start = time.process_time()
        verify()
        times.append(time.process_time() - start)
    print(name, library.replace(" ", "-"), statistics.median(times))
