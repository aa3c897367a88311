"""Runs the kit of forgeries against programs of others, and writes what they let through as a page.

The issuer's key and the root come from the trust file of each case, as a user of these libraries would give them.
Those of JSON-LD need the contexts of W3C in CONTEXTS; without them they are left out.
usage: judge-kit.py KIT PAGE CONTEXTS
"""

import base64
import json
import logging
import signal
import sys
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

import cbor2
import pymdoccbor.mso.verifier
from cryptography import x509
from jwcrypto.jwk import JWK
from pymdoccbor.mdoc.verifier import MdocCbor
from sd_jwt.verifier import SDJWTVerifier

sys.path.append(str(Path(__file__).resolve().parent.parent))

import evidence
import proofs

logging.disable(logging.CRITICAL)
kit, page, contexts = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])

# The files of the folder by the addresses that documents name.
ADDRESSES = {
    "https://www.w3.org/2018/credentials/v1": "cred-v1.json",
    "https://www.w3.org/ns/credentials/v2": "cred-v2.json",
    "https://w3id.org/security/v1": "security-v1.json",
    "https://w3id.org/security/v2": "security-v2.json",
    "https://w3id.org/security/suites/ed25519-2018/v1": "ed25519-2018-v1.json",
    "https://w3id.org/security/suites/ed25519-2020/v1": "ed25519-2020-v1.json",
    "https://w3id.org/security/suites/jws-2020/v1": "jws-2020-v1.json",
    "https://w3id.org/security/data-integrity/v1": "di-v1.json",
    "https://w3id.org/security/data-integrity/v2": "di-v2.json",
}


def entries(case):
    """The entries of the trust file: words of the head, and words of each setting."""
    found = []
    for line in (kit / case["trust"]).read_text().splitlines():
        if line.startswith(" "):
            found[-1][1].append(line.split())
        else:
            found.append((line.split(), []))
    return found


def document(name):
    return json.loads((kit / "trust" / name).read_text())


def names_did(case):
    """True when the header of the token names a DID as its key."""
    text = (kit / case["file"]).read_text().strip()
    first = json.loads(text).get("protected", "") if text.startswith("{") else text.split(".")[0]
    try:
        kid = json.loads(base64.urlsafe_b64decode(first + "==")).get("kid", "")
    except ValueError:
        return False
    return isinstance(kid, str) and kid.startswith("did:")


def sd_jwt(case):
    text = (kit / case["file"]).read_text().strip()
    issuers = {head[1]: settings for head, settings in entries(case) if head[0] == "issuer"}

    def key(issuer, header):
        file = next(words[1] for words in issuers[issuer] if words[0] in ("document", "keys"))
        content = document(file)
        keys = content.get("keys") or content["jwks"]["keys"]
        matches = [k for k in keys if "kid" not in header or k.get("kid") == header["kid"]]
        return JWK.from_json(json.dumps(matches[0]))

    form = "json" if text.startswith("{") else "compact"
    is_bound = form == "compact" and not text.endswith("~")
    SDJWTVerifier(text, key, case.get("audience") if is_bound or case.get("holder") else None,
                  case.get("nonce") if is_bound or case.get("holder") else None,
                  serialization_format=form).get_verified_payload()
    return True


def clock(text):
    """A clock that stands at the time of the case, in place of the one that the library reads."""
    time = datetime.fromisoformat(text)

    class Clock(datetime):
        @classmethod
        def now(cls, tz=None):
            return time.astimezone(tz) if tz else time.replace(tzinfo=None)

        @classmethod
        def utcnow(cls):
            return time.replace(tzinfo=None)

    return Clock


def mdoc(case):
    library = pymdoccbor.mso.verifier
    if hasattr(library.datetime, "datetime"):
        library.datetime.datetime = clock(case["time"])
    else:
        library.datetime = clock(case["time"])
    data = (kit / case["file"]).read_bytes()
    if case["file"].endswith(".txt"):
        data = base64.urlsafe_b64decode(data + b"==")
    roots = [x509.load_der_x509_certificate((kit / "trust" / head[1]).read_bytes())
             for head, _ in entries(case) if head[0] == "root"]
    value = cbor2.loads(data)
    if "documents" not in value:
        if "issuerSigned" not in value:
            data = b"\xa2" + cbor2.dumps("docType") + cbor2.dumps("org.iso.18013.5.1.mDL") \
                + cbor2.dumps("issuerSigned") + data
        data = b"\xa3" + cbor2.dumps("version") + cbor2.dumps("1.0") + cbor2.dumps("documents") + b"\x81" + data \
            + cbor2.dumps("status") + b"\x00"
    reader = MdocCbor()
    reader.loads(data)
    return reader.verify(trusted_root_certs=roots)


def is_of_other_suite(case):
    """True when a proof is over JSON, or of a suite of ECDSA."""
    text = (kit / case["file"]).read_bytes()
    return b'"eddsa-jcs-2022"' in text or b'"ecdsa-' in text


def json_ld(case):
    document = json.loads((kit / case["file"]).read_text())
    common = {address: json.loads((contexts / file).read_text()) for address, file in ADDRESSES.items()}
    loader = proofs.Contexts(kit, entries(case), common)
    inner = document.get("verifiableCredential") or []
    documents = [document] + [one for one in (inner if isinstance(inner, list) else [inner]) if isinstance(one, dict)]
    return all(proofs.verify(one, loader) for one in documents)


class TooLong(Exception):
    """The library did not end in the time that a case has."""


def judge(format, verify, leave_out):
    good, forged, refused, through, left, codes = 0, 0, [], [], 0, {}
    for case in json.loads((kit / "manifest.json").read_text())["cases"]:
        if case["format"] != format:
            continue
        if leave_out(case):
            left += 1
            continue
        signal.alarm(SECONDS)
        try:
            accepted = bool(verify(case))
        except (Exception, RecursionError):
            accepted = False
        finally:
            signal.alarm(0)
        if case["result"] == "genuine":
            good += 1
            if not accepted:
                refused.append(case["why"])
        else:
            forged += 1
            if accepted:
                through.append(case["why"])
                codes.setdefault(case["code"], []).append(case["why"].split(". ")[0].removeprefix("Forged: "))
    return good, forged, refused, through, left, codes


def stop(*_):
    raise TooLong


# A case that takes longer counts as not accepted.
SECONDS = 10


def main():
    signal.signal(signal.SIGALRM, stop)
    has_contexts = all((contexts / file).exists() for file in ADDRESSES.values())
    judged = [
        ("sd-jwt " + version("sd-jwt"), "sd-jwt", judge(
            "sd-jwt", sd_jwt, lambda c: not any(h[0] == "issuer" and s for h, s in entries(c)) or names_did(c)),
         "left out are those whose issuer's key is in a certificate or a DID: the library takes keys alone"),
        ("pymdoccbor " + version("pymdoccbor"), "mdoc", judge(
            "mdoc", mdoc, lambda c: "transcript" in c or not any(h[0] == "root" for h, _ in entries(c))),
         "left out are those with a list of authorities, no root at all or a session, whose proof the library does not read"),
        ("PyLD " + version("PyLD") + " with cryptography " + version("cryptography"), "json-ld", judge(
            "json-ld", json_ld, lambda c: not has_contexts or is_of_other_suite(c)),
         "left out are those with a proof over JSON or of a suite of ECDSA; what a user writes with both libraries, the proof's members under the "
         "contexts of the document" if has_contexts else "the contexts of W3C are not at hand"),
    ]
    text = ["The kit of forgeries (`Vectors/credentials`) against libraries from PyPI, each given the issuer's key or the root of",
            "the case's trust file. A library that leaves dates, types or status to its caller lets those forgeries through by its",
            "design; its caller has to know. A clock of the case's time stands in place of the system's.",
            "",
            "| Library | Format | Forgeries let through | Good ones refused | Left out |", "|---|---|---|---|---|"]
    for name, format, (good, forged, refused, through, left, _), note in judged:
        text.append(f"| {name} | {format} | {len(through)} of {forged} | {len(refused)} of {good} | {left} ({note}) |")
    for name, _, (_, _, refused, _, _, codes), _ in judged:
        text += ["", f"## {name}: what gets through", "", "| Code | What was changed |", "|---|---|"]
        text += [f"| {code} | " + "; ".join(files) + " |" for code, files in sorted(codes.items())]
        text += ["", "Good ones that it refuses:", ""] + [f"- {why}" for why in refused] if refused else []
    evidence.write_page(page, "What other libraries let through", "interop-credentials", "\n".join(text))
    print("\n".join(text[4:9]))


main()
