"""Codes that want to harm or deceive: each ends with a sentence, a code and an exit status, at little cost, and none is genuine."""

import base64
import hashlib
import json
import math
import random
import zlib

import base45
import cbor2
from cryptography.hazmat.primitives.asymmetric import ed25519
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

import packing
from program import LINE, STATUSES, memory_of_this_process

SECONDS = 2
MEGABYTES = 200
ISSUER, OTHER = "https://id.example", "https://other.example"
# The issuers of the same two keys in key sets, where the identifier chooses.
ISSUER_OF_SET, OTHER_OF_SET = "https://set.example", "https://other-set.example"
AES_KEY = bytes(range(16))
AT = "2026-11-01T00:00:00Z"


def b45(data):
    return base45.b45encode(data).decode()


def raw_map(pairs):
    """A map as it is, with keys that may repeat."""
    return bytes([0xA0 | len(pairs)]) + b"".join(cbor2.dumps(part) for pair in pairs for part in pair)


class Signer:
    """An issuer's key, which makes tokens in any form."""

    def __init__(self, generator):
        self.key = ed25519.Ed25519PrivateKey.from_private_bytes(generator.randbytes(32))

    def token(self, claims=None, protected=None, unprotected=None, signature=None, payload=None):
        payload = cbor2.dumps(claims) if payload is None else payload
        protected = cbor2.dumps({1: -8}) if protected is None else protected
        if signature is None:
            signature = self.key.sign(cbor2.dumps(["Signature1", protected, b"", payload]))
        return cbor2.dumps(cbor2.CBORTag(18, [protected, unprotected or {}, payload, signature]))

    def key_set(self, identifier):
        point = self.key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        key = {"kty": "OKP", "crv": "Ed25519", "x": base64.urlsafe_b64encode(point).rstrip(b"=").decode(), "kid": identifier}
        return json.dumps({"keys": [key]})

    def pem(self):
        return self.key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def encrypted(data, headers=None, nonce=bytes(12), key=AES_KEY):
    protected = cbor2.dumps({1: 1})
    sealed = AESGCM(key).encrypt(nonce.ljust(12, b"\0"), data, cbor2.dumps(["Encrypt0", protected, b""]))
    return cbor2.dumps(cbor2.CBORTag(16, [protected, {5: nonce} if headers is None else headers, sealed]))


def nested(depth):
    value = "x"
    for _ in range(depth):
        value = [value]
    return {"type": value}


def zeros(count, before=b""):
    """A zlib stream of many zeros, made in pieces so that this process stays small."""
    packer = zlib.compressobj(9)
    return packer.compress(before) + b"".join(packer.compress(bytes(1 << 20)) for _ in range(count >> 20)) + packer.flush()


def with_dictionary(data):
    packer = zlib.compressobj(9, zlib.DEFLATED, 15, 9, zlib.Z_DEFAULT_STRATEGY, b"VerifiableCredential")
    return packer.compress(data) + packer.flush()


def gzip(data):
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return packer.compress(data) + packer.flush()


def digits_of(number):
    """The digits of a number of any length."""
    digits = []
    while number:
        number, rest = divmod(number, 10**1000)
        digits.append(f"{rest:01000}")
    return "".join(reversed(digits)).lstrip("0")


def wrong_groups(text):
    """A group of three of a larger value than two bytes have, a last group likewise, and one of a single character."""
    return [text[:30] + ":::" + text[33:], text[:len(text) // 3 * 3] + "::", text[:len(text) // 3 * 3] + "A"]


def cases(generator):
    """Names and texts; all signatures but those under test are good, so that nothing else refuses the code."""
    signer, other = Signer(generator), Signer(generator)
    person = {1: ISSUER, 6: 1_780_000_000, 169: {1: "1", 4: "Asha Example"}}
    good = signer.token(person)
    text = packing.pack(good)
    credential = {"type": ["VerifiableCredential"], "issuer": ISSUER, "credentialSubject": {"id": "did:example:1"}}
    item = cbor2.dumps(credential)
    found = {
        "a zlib bomb of 12 MB": b45(zeros(12 << 20, b"\xa1\x61a\x7a\x00\xc0\x00\x00")),
        "a zlib bomb of 12 MB behind the prefix of a health certificate": "HC1:" + b45(zeros(12 << 20)),
        "a zlib bomb of 64 MB": b45(zeros(64 << 20)),
        "a zlib bomb in a signed token": packing.pack(signer.token({**person, 170: bytes(2 << 20)})),
        "256 KiB of zeros": packing.pack(bytes(256 << 10)),
        "CBOR 40 deep": packing.pack(cbor2.dumps(nested(40))),
        "CBOR 5,000 deep": packing.pack(b"\x81" * 5000 + b"\x00"),
        "a signed token 40 deep": packing.pack(signer.token({**person, 170: nested(40)})),
        "100,000 claims": packing.pack(signer.token({**person, **{1000 + number: number for number in range(100_000)}})),
        "100,000 members": packing.pack(cbor2.dumps({f"{number}": 0 for number in range(100_000)})),
        "100,000 members of one name": packing.pack(b"\xba\x00\x01\x86\xa0" + b"\x60\x00" * 100_000),
        "100,000 claims of one number": packing.pack(signer.token(payload=b"\xba\x00\x01\x86\xa0" + b"\x01\x00" * 100_000)),
        "200,000 elements": packing.pack(b"\x9a\x00\x03\x0d\x40" + bytes(200_000)),
        "200,000 elements in a credential": packing.pack(
            b"\xa1" + cbor2.dumps("type") + b"\x9a\x00\x03\x0d\x40" + bytes(200_000)),
        "60,000 members as text": packing.pack(b'{"type":[' + b"1," * 60_000 + b"1]}"),
        "300 claims": packing.pack(signer.token({**person, **{1000 + number: number for number in range(300)}})),
        "bytes behind the CBOR": packing.pack(good + b"\0"),
        "bytes behind the zlib stream": b45(zlib.compress(good) + b"\0\0"),
        "a second zlib stream": b45(zlib.compress(good) * 2),
        "a preset dictionary": b45(with_dictionary(item)),
        "a preset dictionary in a health certificate": "HC1:" + b45(with_dictionary(good)),
        "a wrong sum of zlib": b45(zlib.compress(good)[:-1] + bytes([zlib.compress(good)[-1] ^ 1])),
        "a zlib stream that is cut off": b45(zlib.compress(good)[:-20]),
        "two members of one name": packing.pack(raw_map([("issuer", "a"), ("issuer", "b"), ("type", ["VerifiableCredential"])])),
        "two claims of one number": packing.pack(signer.token(payload=raw_map([(1, ISSUER), (1, OTHER), (169, {4: "A"})]))),
        "two attributes of one number": packing.pack(signer.token(
            payload=b"\xa2" + cbor2.dumps(1) + cbor2.dumps(ISSUER) + cbor2.dumps(169) + raw_map([(4, "A"), (4, "B")]))),
        "two parameters of one number": packing.pack(signer.token(person, protected=raw_map([(1, -8), (1, -7)]))),
        "NaN": packing.pack(cbor2.dumps({**credential, "value": math.nan})),
        "an infinity": packing.pack(cbor2.dumps({**credential, "value": math.inf})),
        "NaN as the end": packing.pack(signer.token({**person, 4: math.nan})),
        "an infinity as the end": packing.pack(signer.token({**person, 4: math.inf})),
        "a byte string in JSON": packing.pack(cbor2.dumps({**credential, "value": b"x"})),
        "a number as the name of a member": packing.pack(cbor2.dumps({**credential, 1: "x"})),
        "an algorithm that is not protected": packing.pack(signer.token(person, protected=b"", unprotected={1: -8})),
        "no algorithm": packing.pack(signer.token(person, protected=b"")),
        "an empty signature": packing.pack(signer.token(person, signature=b"")),
        "a signature of zeros": packing.pack(signer.token(person, signature=bytes(64))),
        "no payload": packing.pack(cbor2.dumps(cbor2.CBORTag(18, [cbor2.dumps({1: -8}), {}, None, bytes(64)]))),
        "the key identifier of another issuer": packing.pack(other.token(person, protected=cbor2.dumps({1: -8, 4: b"other"}))),
        "the key of another issuer": packing.pack(other.token(person)),
        "the name of another issuer": packing.pack(signer.token({**person, 1: OTHER})),
        "the key identifier of another issuer's set": packing.pack(
            other.token({**person, 1: ISSUER_OF_SET}, protected=cbor2.dumps({1: -8, 4: b"k2"}))),
        "the key identifier of the issuer's set, and another key": packing.pack(
            other.token({**person, 1: ISSUER_OF_SET}, protected=cbor2.dumps({1: -8, 4: b"k1"}))),
        "a critical parameter": packing.pack(signer.token(person, protected=cbor2.dumps({1: -8, 2: [99], 99: 1}))),
        "two tokens in one code": packing.pack(good + good),
        "two credentials in one code": packing.pack(cbor2.dumps([credential, credential])),
        "two texts of credentials in one code": packing.pack(b'{"type":["VerifiableCredential"]}' * 2),
        "two codes one behind the other": text + text,
        "two codes on two lines": text + "\n" + text,
        "a code in a code": packing.pack(text.encode()),
        "a tag that no credential has": packing.pack(cbor2.dumps(cbor2.CBORTag(1, 0))),
        "a tag within a tag, 100 times": packing.pack(b"\xd8\x3d" * 100 + good),
        "a length of 2^63 bytes": packing.pack(b"\xa1\x61a\x5b\x7f" + b"\xff" * 7),
        "a map of 2^32 members": packing.pack(b"\xba\xff\xff\xff\xff"),
        "an encrypted token without bytes": packing.pack(
            cbor2.dumps(cbor2.CBORTag(16, [cbor2.dumps({1: 1}), {5: bytes(12)}, b""]))),
        "an encrypted token that another key made": packing.pack(encrypted(good, key=bytes(16))),
        "an encrypted token with a changed byte": packing.pack(encrypted(good)[:-1] + bytes([encrypted(good)[-1] ^ 1])),
        "an encrypted token without a nonce": packing.pack(encrypted(good, headers={})),
        "an encrypted token with a nonce of 4 bytes": packing.pack(encrypted(good, nonce=bytes(4))),
        "encrypted claims without a signature": packing.pack(encrypted(cbor2.dumps(person))),
        "an encrypted token with an empty signature": packing.pack(encrypted(signer.token(person, signature=b""))),
        "an encrypted token in an encrypted token": packing.pack(encrypted(encrypted(good))),
        "encrypted bytes of nothing": packing.pack(encrypted(b"")),
        "16 kB of base 45": b45(generator.randbytes(10_922)),
        "16 kB of base 45 of zlib": packing.pack(generator.randbytes(10_900)),
        "30 kB of base 45": b45(generator.randbytes(20_000)),
        "30 kB of base 45 of zlib": packing.pack(generator.randbytes(20_000)),
        "30 kB of a plain text": "word " * 6000,
        "16 kB behind HC1:": "HC1:" + b45(generator.randbytes(10_922)),
        "30 kB behind HC1:": "HC1:" + b45(generator.randbytes(20_000)),
        "16 kB of prefixes": ":" * 16_000 + text,
        "15,000 digits": "7" * 15_000,
        "15,001 digits": "7" * 15_001,
        "a bomb of digits": digits_of(int.from_bytes(gzip(bytes(4 << 20)), "big")),
        "500 digits": "7" * 500,
        "15,001 digits behind shc:/": "shc:/" + "56" * 7500 + "5",
        "a card of zeros": "shc:/" + "00" * 200,
        "an empty text": "",
        "the prefix alone": "HC1:",
        "an engagement": "mdoc:owBjMS4wAYIB",
        "the number of a product": "4006381333931",
    }
    for number, changed in enumerate(wrong_groups(text)):
        found[f"a wrong group of base 45 ({number + 1})"] = changed
        found[f"a wrong group of base 45 behind HC1: ({number + 1})"] = "HC1:" + changed
    return signer, other, found


def unharmed(run, signer, trust):
    """What these codes are made of is genuine under the same trust, so nothing but the harm ends them."""
    claims = {1: ISSUER, 169: {4: "Asha Example"}}
    tokens = [signer.token(claims), encrypted(signer.token(claims)),
              signer.token({**claims, 1: ISSUER_OF_SET}, protected=cbor2.dumps({1: -8, 4: b"k1"}))]
    files = [run.program.file(packing.pack(token)) for token in tokens]
    for found in run.program.verify(files, trust, AT):
        run.check(found.result == "genuine", "an unharmed code", "genuine", found)


def hostile(run):
    signer, other, texts = cases(random.Random(f"{run.seed} hostile"))
    lines = [f"aes-key aes.hex\nissuer {ISSUER}\n  pem id.pem\nissuer {OTHER}\n  pem other.pem\n"]
    run.program.file(AES_KEY.hex(), "hostile/aes.hex")
    run.program.file(signer.pem(), "hostile/id.pem")
    run.program.file(other.pem(), "hostile/other.pem")
    for key, identifier, issuer in ((signer, "k1", ISSUER_OF_SET), (other, "k2", OTHER_OF_SET)):
        keys = key.key_set(identifier)
        run.program.file(keys, f"hostile/{identifier}.json")
        lines.append(f"issuer {issuer}\n  document {identifier}.json sha256 {hashlib.sha256(keys.encode()).hexdigest()}\n")
    trust = run.program.file("".join(lines), "hostile/trust.txt")
    unharmed(run, signer, trust)
    right, results, most_seconds, most_memory = 0, {}, 0.0, 0.0
    for name, text in texts.items():
        file = run.program.file(text)
        status, output, errors, seconds, memory = run.program.verify_alone(file, trust, AT)
        line = LINE.match(output.splitlines()[0] if output else "")
        result, code = (line[1], line[2]) if line else (None, None)
        is_right = (result in ("refused", "not-checked") and status == STATUSES[result] and "\ncode:" in errors
                    and seconds < SECONDS and memory < MEGABYTES)
        right += is_right
        most_seconds, most_memory = max(most_seconds, seconds), max(most_memory, memory)
        run.check(is_right, name, "a sentence, a code, a status, and little cost",
                  {"status": status, "line": output[:300], "errors": errors[:300], "seconds": round(seconds, 3), "MB": round(memory)},
                  text=text)
        results.setdefault(str(code), []).append(name)
    run.say("hostile", codes=len(texts), as_expected=right, most_processor_seconds=round(most_seconds, 3),
            most_megabytes=round(most_memory), megabytes_of_this_process=round(memory_of_this_process()), ends=results)
