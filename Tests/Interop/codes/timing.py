"""Microseconds from text to verdict, ours beside readers of PyPI: whole lists in one process each. Printed, and never judged.

    timing.py KIND FILE     reads the texts of a JSON file as the others do, and prints the seconds of all but the first

Both sides have their keys and contexts before, and count the seconds of a processor from a text in memory. Ours gives the whole
verdict: the signature, the trust in its key, times, status and the claims by their names. Of the readers those of the kinds in
UNCHECKED check no signature, and the others nothing but the signature. Beside them stands the bare check of as many such
signatures by the library that ours uses.
"""

import base64
import json
import os
import random
import subprocess
import sys
import time
import zlib

import base45
import cbor2

COUNT = 200
ROUNDS = 7
# Rounds of ours, in turn with the bare checks.
OWN_ROUNDS = 21
# Kinds whose reader checks no signature.
UNCHECKED = {"pixelpass"}
CONTEXTS = {"https://www.w3.org/2018/credentials/v1": "cred-v1.json", "https://www.w3.org/ns/credentials/v2": "cred-v2.json"}
AT = "2026-11-01T00:00:00Z"


# Readers: what a program in Python does with one text. Each returns a function, so that keys are at hand.

def read_claim_169(encoded):
    import claim169
    key = base64.b64decode(encoded)
    return lambda text: claim169.decode(text, verify_with_ed25519=key, validate_timestamps=False)


def read_pixelpass(_):
    return lambda text: cbor2.loads(zlib.decompress(base45.b45decode(text)))


def read_pixelpass_with_proof(contexts):
    sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../credentials"))
    import proofs
    loader = proofs.Contexts(None, [], contexts)

    def read(text):
        value = cbor2.loads(zlib.decompress(base45.b45decode(text)))
        if not proofs.verify(value, loader):
            raise ValueError("a proof that does not fit")
        return value

    return read


def read_health_certificate(certificates):
    import hashlib
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec, padding, utils
    known = {}
    for certificate in certificates:
        der = base64.b64decode(certificate)
        known[hashlib.sha256(der).digest()[:8]] = x509.load_der_x509_certificate(der).public_key()

    def read(text):
        data = base45.b45decode(text[4:])
        message = cbor2.loads(zlib.decompress(data) if data[:1] == b"\x78" else data)
        while isinstance(message, cbor2.CBORTag):
            message = message.value
        protected, unprotected, payload, signature = message
        headers = {**unprotected, **cbor2.loads(protected)}
        signed = cbor2.dumps(["Signature1", protected, b"", payload])
        key = known[headers[4]]
        if isinstance(key, ec.EllipticCurvePublicKey):
            pair = (int.from_bytes(half, "big") for half in (signature[:32], signature[32:]))
            key.verify(utils.encode_dss_signature(*pair), signed, ec.ECDSA(hashes.SHA256()))
        else:
            key.verify(signature, signed, padding.PSS(padding.MGF1(hashes.SHA256()), 32), hashes.SHA256())
        return cbor2.loads(payload)

    return read


def read_aadhaar(pem):
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import padding
    from cryptography.x509 import load_pem_x509_certificate
    from pyaadhaar.decode import AadhaarSecureQr
    sys.set_int_max_str_digits(0)
    key = load_pem_x509_certificate(pem.encode()).public_key()

    def read(text):
        code = AadhaarSecureQr(int(text))
        key.verify(code.signature(), code.signedData(), padding.PKCS1v15(), hashes.SHA256())
        return code.decodeddata()

    return read


READERS = {"claim-169": read_claim_169, "pixelpass": read_pixelpass, "pixelpass-with-proof": read_pixelpass_with_proof,
           "health-certificate": read_health_certificate, "aadhaar": read_aadhaar}


# Codes of each kind, with the trust and the clock for ours and the keys for theirs; None where one is not at hand.

def claim_169(run, generator):
    import claim169
    from cryptography.hazmat.primitives.asymmetric import ed25519
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
    secret = generator.randbytes(32)
    public = ed25519.Ed25519PrivateKey.from_private_bytes(secret).public_key()
    run.program.file(public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo), "timing/id.pem")
    trust = run.program.file("issuer https://id.example\n  pem id.pem\n", "timing/claim-169.trust")
    meta = claim169.CwtMetaInput(issuer="https://id.example")
    texts = [claim169.encode(claim169.Claim169Input(
        id=str(number), full_name="Asha Example", date_of_birth="19700324", gender=2, address="1 Example Road\nTown",
        photo=generator.randbytes(300), photo_format=4), meta, sign_with_ed25519=secret) for number in range(COUNT)]
    return texts, trust, AT, base64.b64encode(public.public_bytes(Encoding.Raw, PublicFormat.Raw)).decode()


def pixelpass(run, _):
    """The one of the kit's genuine documents with one proof of Ed25519 over statements whose size is nearest to 1 kB."""
    import packing
    found = []
    for case in run.cases:
        if case["format"] != "json-ld" or case["result"] != "genuine" or "nonce" in case:
            continue
        data = open(os.path.join(run.kit, case["file"]), "rb").read()
        value = json.loads(data)
        proof = value.get("proof")
        if not isinstance(proof, dict) or not all(context in list(CONTEXTS) for context in value["@context"]):
            continue
        if (proof.get("cryptosuite") or proof["type"]) in ("eddsa-rdfc-2022", "Ed25519Signature2018"):
            found.append((abs(len(data) - 1000), case["file"], case, value))
    _, _, case, value = min(found, key=lambda one: one[:2])
    return [packing.pack(cbor2.dumps(value))] * COUNT, os.path.join(run.kit, case["trust"]), case["time"], None


def pixelpass_with_proof(run, generator):
    folder = os.path.join(run.vectors, "credentials/contexts")
    try:
        import pyld  # noqa: F401
        contexts = {address: json.load(open(os.path.join(folder, file))) for address, file in CONTEXTS.items()}
    except (ImportError, OSError):
        return None
    return *pixelpass(run, generator)[:3], contexts


def health_certificate(run, _):
    path = os.path.join(run.vectors, "codes/hcert.jsonl")
    if not os.path.exists(path):
        return None
    rows = [json.loads(line) for line in open(path)][-COUNT:]
    certificates = sorted({row["certificate"] for row in rows})
    for number, certificate in enumerate(certificates):
        run.program.file(base64.b64decode(certificate), f"timing/signers/{number}.der")
    trust = run.program.file("signers signers\n  for health-certificates\n", "timing/health.trust")
    return [row["text"] for row in rows], trust, "2021-07-01T00:00:00Z", certificates


def aadhaar(run, generator):
    try:
        import pyaadhaar.decode  # noqa: F401
    except (ImportError, OSError):
        return None
    import datetime
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import padding, rsa
    from cryptography.hazmat.primitives.serialization import Encoding
    from cryptography.x509.oid import NameOID
    from hostile import digits_of, gzip
    key = rsa.generate_private_key(65537, 2048)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Signer of these tests")])
    begin = datetime.datetime(2020, 1, 1)
    certificate = x509.CertificateBuilder(name, name, key.public_key(), 1, begin, begin.replace(year=2040)).sign(
        key, hashes.SHA256())
    pem = certificate.public_bytes(Encoding.PEM).decode()
    run.program.file(pem, "timing/aadhaar.pem")
    trust = run.program.file("signers aadhaar.pem\n  for aadhaar\n", "timing/aadhaar.trust")
    texts = []
    for _ in range(COUNT):
        fields = ["V2", "0", "123420240115103000123", "Asha Example", "24-03-1970", "F", "", "District", "", "12", "Place",
                  "560001", "Office", "State", "Street", "Taluk", "Town", "4321"]
        data = b"".join(field.encode("latin-1") + b"\xff" for field in fields)
        data += b"\xff\x4f\xff\x51" + generator.randbytes(700)
        data += key.sign(data, padding.PKCS1v15(), hashes.SHA256())
        texts.append(digits_of(int.from_bytes(gzip(data), "big")))
    return texts, trust, AT, pem


MAKERS = {"claim-169": claim_169, "pixelpass": pixelpass, "pixelpass-with-proof": pixelpass_with_proof,
          "health-certificate": health_certificate, "aadhaar": aadhaar}


def theirs(kind, file):
    """Seconds of the whole process, and of its loop over all texts but the first."""
    begun = time.perf_counter()
    done = subprocess.run([sys.executable, "-B", os.path.abspath(__file__), kind, file], check=True, stdout=subprocess.PIPE)
    return time.perf_counter() - begun, float(done.stdout)


def ours(run, kind, texts, trust, at):
    """Microseconds of the library for a code, and of the bare check of its signatures; None without symbolon-lab."""
    program = os.path.join(os.path.dirname(run.program.path), "symbolon-lab")
    program = os.environ.get("SYMBOLON_LAB") or (program if os.path.exists(program) else None)
    if not program:
        return None
    # The texts may be one text again and again.
    codes = [{"name": kind, "trust": trust, "time": at, "texts": list(dict.fromkeys(texts))}]
    done = subprocess.run(
        [program, "bench", "credentials", "--codes", run.program.file(json.dumps(codes)), "--rounds", str(OWN_ROUNDS), "--json"],
        check=True, stdout=subprocess.PIPE, env=run.program.environment)
    line = json.loads(done.stdout)
    return line["microseconds"], line["bareMicroseconds"], line["signatures"]


def timing(run):
    for kind, make in MAKERS.items():
        made = make(run, random.Random(f"{run.seed} {kind}"))
        if made is None:
            run.say("timing", kind=kind, skipped="the vectors or the reader are not at hand")
            continue
        texts, trust, at, keys = made
        files = [run.program.file(text) for text in texts]
        found = run.program.verify(files, trust, at)
        given = run.program.file(json.dumps({"keys": keys, "texts": texts}))
        # The least of several rounds.
        others, loop = (min(seconds) for seconds in zip(*(theirs(kind, given) for _ in range(ROUNDS))))
        own = ours(run, kind, texts, trust, at)
        whole = min(run.program.seconds(files, trust, at) for _ in range(ROUNDS))
        reader = 1e6 * loop / (len(texts) - 1)
        figures = {}
        if own:
            figures = {"ours": own[0], "bare_signature": own[1], "signatures": own[2]}
        run.say("timing", kind=kind, codes=len(texts), characters=len(texts[0]),
                signature_good=sum(("signature", "passed", None) in verdict.checks for verdict in found),
                microseconds_a_code={**figures, "theirs": round(reader, 1), "theirs_checks_signature": kind not in UNCHECKED},
                times_as_fast=round(reader / own[0], 2) if own else None,
                most_times_as_fast=round(reader / own[1], 2) if own else None,
                milliseconds_with_the_start={"ours": round(1000 * whole, 1), "theirs": round(1000 * others, 1)})


if __name__ == "__main__":
    given = json.load(open(sys.argv[2]))
    reader = READERS[sys.argv[1]](given["keys"])
    reader(given["texts"][0])
    # Seconds of a processor, as ours are: what others do on the machine counts little.
    begin = time.process_time()
    for code in given["texts"][1:]:
        reader(code)
    print(time.process_time() - begin)
