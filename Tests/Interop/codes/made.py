"""Codes made in the run: claim 169 by its package, PixelPass of the kit's credentials; and ours, read by others."""

import base64
import hashlib
import itertools
import json
import os
import random
import shutil
import subprocess
import time
import zlib

import base45
import cbor2
import claim169
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

import packing

COUNT = 200
DRAWN = 100
# Texts that stand before a code.
PREFIXES = ["", "", "INJI:", "inji://pass/", "INJIQUICKSHARE://"]
DAY = 86_400


class Keys:
    """The keys of the issuers, and the files of trust in them."""

    def __init__(self, run, generator):
        self.ed25519 = ed25519.Ed25519PrivateKey.from_private_bytes(generator.randbytes(32))
        self.p256 = ec.derive_private_key(generator.randrange(1, 1 << 250), ec.SECP256R1())
        self.aes = {16: generator.randbytes(16), 32: generator.randbytes(32)}
        lines = []
        for name, key in (("ed25519", self.ed25519), ("p256", self.p256)):
            run.program.file(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo), f"made/{name}.pem")
            lines.append(f"issuer https://{name}.example\n  pem {name}.pem\n")
        keys = json.dumps({"keys": [self.jwk("EdDSA"), self.jwk("ES256")]}).encode()
        run.program.file(keys, "made/keys.json")
        lines.append(f"issuer https://keys.example\n  document keys.json sha256 {hashlib.sha256(keys).hexdigest()}\n")
        self.closed = run.program.file("".join(lines), "made/closed.trust")
        for name in ("ed25519", "p256"):
            lines.append(f"issuer https://{name}.issuer-less.example\n  pem {name}.pem\n  issuer-less accept\n")
        for size, key in self.aes.items():
            run.program.file(key.hex(), f"made/aes{size}.hex")
            lines.append(f"aes-key aes{size}.hex\n")
        self.open = run.program.file("".join(lines), "made/open.trust")

    def jwk(self, algorithm):
        def encoded(data):
            return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

        if algorithm == "EdDSA":
            point = self.ed25519.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
            return {"kty": "OKP", "crv": "Ed25519", "x": encoded(point), "kid": "EdDSA"}
        numbers = self.p256.public_key().public_numbers()
        x, y = (encoded(number.to_bytes(32, "big")) for number in (numbers.x, numbers.y))
        return {"kty": "EC", "crv": "P-256", "x": x, "y": y, "kid": "ES256"}

    def sign(self, algorithm, _, data):
        if algorithm == "EdDSA":
            return self.ed25519.sign(data)
        pair = decode_dss_signature(self.p256.sign(data, ec.ECDSA(hashes.SHA256())))
        return b"".join(number.to_bytes(32, "big") for number in pair)

    def check(self, algorithm, _, data, signature):
        if algorithm == "EdDSA":
            return self.ed25519.public_key().verify(signature, data)
        pair = (int.from_bytes(half, "big") for half in (signature[:32], signature[32:]))
        return self.p256.public_key().verify(encode_dss_signature(*pair), data, ec.ECDSA(hashes.SHA256()))

    def encrypt(self, algorithm, _, nonce, associated, data):
        return AESGCM(self.aes[16 if algorithm == "A128GCM" else 32]).encrypt(nonce, data, associated)


def attributes(generator):
    """A person: few attributes or all, a picture or none, with biometrics now and then."""
    person = claim169.Claim169Input(id=str(generator.randrange(10**11)), full_name=generator.choice(
        ["José Ñandú", "Asha Example", "আশা উদাহরণ", "A", "O" * 200]))
    if generator.random() < 0.5:
        person.version, person.language = "1.0", generator.choice(["en", "eng", "hi"])
        person.first_name, person.middle_name, person.last_name = "José", "M", "Ñandú"
        person.date_of_birth = generator.choice(["19670901", "1967-09-01"])
        person.gender, person.marital_status = generator.randrange(1, 4), generator.randrange(1, 4)
        person.address, person.email, person.phone = "1 Example Road\nTown", "a@a.example", "+15550100"
        person.nationality, person.guardian = "PH", "11111"
        person.secondary_full_name, person.secondary_language = "আশা", "bn"
        person.location_code, person.legal_status, person.country_of_issuance = "PH-00", "citizen", "PH"
    if generator.random() < 0.4:
        person.photo_format = generator.randrange(1, 5)
        person.photo = b"\xff\xd8\xff\xe0" + generator.randbytes(generator.choice([60, 400, 900]))
    if generator.random() < 0.2:
        person.face = [claim169.Biometric(generator.randbytes(80), 0, 1, "maker")]
        person.right_thumb = [claim169.Biometric(generator.randbytes(50), 1, None, None)]
    return person


def claim_codes(run):
    """Codes of claim 169 by the package, each under trust with all keys or without those for decryption and issuer-less codes."""
    generator = random.Random(f"{run.seed} claim 169")
    keys, now = Keys(run, generator), int(time.time())
    made = {keys.open: [], keys.closed: []}
    for _ in range(COUNT):
        algorithm, trust = generator.choice(["EdDSA", "ES256"]), generator.choice([keys.open, keys.open, keys.closed])
        name = {"EdDSA": "ed25519", "ES256": "p256"}[algorithm]
        issuer = generator.choice([f"https://{name}.example"] * 2 + ["https://keys.example", None, "https://other.example"])
        # The kid of a key set must be that of the key, or absent; that of an issuer by its one key says nothing.
        kid = generator.choice([None, algorithm.encode()] + ([b"other"] if issuer != "https://keys.example" else []))
        period = generator.choice(["none", "none", "valid", "ended", "not begun"])
        size = generator.choice([None, None, 16, 32])
        meta = claim169.CwtMetaInput(issuer=issuer)
        meta.subject, meta.issued_at = generator.choice([None, "sub"]), generator.choice([None, now - 2 * DAY])
        if period != "none":
            meta.not_before = now + DAY if period == "not begun" else now - 2 * DAY
            meta.expires_at = now - DAY if period == "ended" else now + 2 * DAY
        person = attributes(generator)
        if size:
            text = claim169.encode_with_signer_and_encryptor(
                person, meta, keys.sign, algorithm, keys.encrypt, f"A{8 * size}GCM", kid)
        else:
            text = claim169.encode_with_signer(person, meta, keys.sign, algorithm, kid)
            # The package finds its own signature good.
            claim169.decode_with_verifier(text, keys.check, validate_timestamps=False)
        made[trust].append((text, expected(keys, trust, issuer, period, size), {
            "algorithm": algorithm, "issuer": issuer, "kid": kid and kid.decode(), "period": period, "encrypted": size,
            "trust": "open" if trust == keys.open else "closed"}))
    right, results = 0, {}
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))
    for trust, codes in made.items():
        found = run.program.verify([run.program.file(text) for text, _, _ in codes], trust, at)
        for verdict, (text, (result, code), recipe) in zip(found, codes):
            is_right = verdict.result == result and (code is None or code in verdict.codes)
            right += is_right
            results[verdict.result] = results.get(verdict.result, 0) + 1
            run.check(is_right, f"a code of claim 169, {recipe}", f"{result} {code or ''}", verdict, text=text)
    run.say("claim-169-made", codes=COUNT, as_expected=right, **results)


def expected(keys, trust, issuer, period, size):
    """The result of a code, and the code of the check that must be among those found."""
    if size and trust == keys.closed:
        return "not-checked", "code.encrypted"
    if period == "ended":
        return "refused", "credential.time-expired"
    if period == "not begun":
        return "refused", "credential.time-future"
    if issuer == "https://other.example" or issuer is None and trust == keys.closed:
        return "not-checked", None
    return "genuine", None


def kit_codes(run):
    """PixelPass codes of the kit's credentials: the verdict of the file itself, by the checks and their codes."""
    generator = random.Random(f"{run.seed} PixelPass")
    documents = [case for case in run.cases if case["format"] == "json-ld"]
    tokens = [case for case in run.cases if case["format"] in ("jwt", "sd-jwt")]
    generator.shuffle(documents)
    generator.shuffle(tokens)
    groups, forms, left = {}, {}, 0
    # As many documents as tokens, as long as there are both.
    for case in filter(None, itertools.chain.from_iterable(itertools.zip_longest(documents, tokens))):
        if sum(map(len, groups.values())) == run.codes:
            break
        data = open(os.path.join(run.kit, case["file"]), "rb").read()
        form, packed = pixel_pass(data, generator)
        if not packing.fits(packed):
            left += 1
            continue
        forms[form] = forms.get(form, 0) + 1
        text = packing.pack(packed, generator.choice(PREFIXES), generator.choice([9, 9, 6, 1]))
        settings = tuple(case.get(name) for name in ("trust", "time", "nonce", "audience", "type", "holder"))
        groups.setdefault(settings, []).append((case, form, text))
    same, results, total = 0, {}, 0
    for (trust, at, nonce, audience, type, holder), members in groups.items():
        options = [word for name, value in (("--nonce", nonce), ("--audience", audience), ("--type", type)) if value
                   for word in (name, value)] + (["--holder"] if holder else [])
        files = [os.path.join(run.kit, case["file"]) for case, _, _ in members]
        codes = [run.program.file(text) for _, _, text in members]
        found = run.program.verify(files + codes, os.path.join(run.kit, trust), at, *options)
        for own, code, (case, form, text) in zip(found[:len(files)], found[len(files):], members):
            total += 1
            is_same = (own == code or is_nothing(own, code)) and code.result == case["result"]
            same += is_same
            results[code.result] = results.get(code.result, 0) + 1
            run.check(is_same, f"{case['file']} as {form}", f"as the file itself: {own.result} {own.codes}", code, text=text)
    run.say("pixelpass-made", codes=total, as_the_file=same, forms=forms, left_out_as_too_large=left, **results)


def is_nothing(own, code):
    """True for a text that is no credential, of which a code says that it holds none."""
    return own.result == code.result == "not-checked" and code.codes == ("code.content",) and own.codes in (
        ("credential.format-unknown",), ("code.foreign",))


def pixel_pass(data, generator):
    """What PixelPass packs of a file: JSON as CBOR, a text as it is."""
    try:
        value = packing.value_of(data.decode())
    except (packing.NotRepresentable, UnicodeDecodeError):
        return "text", data
    form = generator.choice(["cbor2", "any form", "any form", "any form", "text"])
    if form == "cbor2":
        members = list(value.items()) if isinstance(value, dict) else None
        if members:
            generator.shuffle(members)
        return form, cbor2.dumps(dict(members) if members else value)
    return form, packing.any_form(value, generator) if form == "any form" else data


def drawn(run):
    """Our codes of the kit's credentials, decoded by others: the text, and the picture where zbarimg is installed."""
    generator = random.Random(f"{run.seed} drawn")
    zbarimg = shutil.which("zbarimg")
    files = sorted({case["file"] for case in run.cases
                    if case["format"] in ("json-ld", "jwt", "sd-jwt") and case["result"] == "genuine"})
    generator.shuffle(files)
    total = same = pictures = large = 0
    for name in files:
        if total == DRAWN:
            break
        path = os.path.join(run.kit, name)
        picture = os.path.join(run.program.folder, "drawn.png")
        done = run.program.run("code", path, "--qr-file", picture)
        if done.returncode:
            is_large = "more than scanners read" in " ".join(done.stderr.split())
            large += is_large
            run.check(is_large, name, "drawn", done.stderr)
            continue
        total += 1
        text = run.program.run("code", path, "--text").stdout.rstrip("\n")
        data = zlib.decompress(base45.b45decode(text))
        own = open(path, "rb").read()
        try:
            value = cbor2.loads(data) if data[:1] >= b"\x80" else json.loads(data)
            is_same = packing.plain(value) == packing.plain(json.loads(own))
        except ValueError:
            is_same = data.strip() == own.strip()
        same += is_same
        run.check(is_same, name, "the value of the credential", text)
        if zbarimg:
            read = subprocess.run([zbarimg, "--raw", "--quiet", picture], capture_output=True, text=True)
            pictures += read.stdout.rstrip("\n") == text
            run.check(read.stdout.rstrip("\n") == text, name, "read by zbarimg", read.stdout[:100])
    run.check(total == DRAWN, "codes drawn", DRAWN, total)
    run.say("drawn", codes=total, with_the_value=same, read_by_zbarimg=pictures if zbarimg else "zbarimg is not installed",
            left_out_as_too_large=large)
