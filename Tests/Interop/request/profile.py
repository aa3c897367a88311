"""An independent reader of the profile Documentation/Profiles/request.md, over PyPI's `cryptography` alone.

    profile.py          checks vectors.json beside it and prints how many cases it read
    profile.py make     writes vectors.json anew
"""

import gzip
import hashlib
import json
import pathlib
import sys
import zlib

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

import presentation
from presentation import answer_nonce, ble_key

PLACE = pathlib.Path(__file__).parent / "vectors.json"
MARK = b"ASK1"
INFO = b"symbolon-request-1"
MAXIMUM_SEALED = 66_560
MAXIMUM_CONTENT = 65_536


class Refused(Exception):
    """A request that a wallet refuses, with its code."""


def derive(secret, salt, info, count):
    return HKDF(algorithm=hashes.SHA256(), length=count, salt=salt, info=info).derive(secret)


def crc(data):
    value = 0
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0x8408 if value & 1 else 0)
    return value


class Session:
    """The keys of one session, as either side derives them."""

    def __init__(self, private, peer, nonce, wallet, verifier):
        key = X25519PrivateKey.from_private_bytes(private)
        self.shared = key.exchange(X25519PublicKey.from_public_bytes(peer))
        self.wallet_key = derive(self.shared, b"SHA-256", b"SKWallet", 32)
        self.verifier_key = derive(self.shared, b"SHA-256", b"SKVerifier", 32)
        self.context = nonce + wallet + verifier

    def material(self, salt):
        return derive(self.wallet_key, salt, INFO + self.context, 44)

    def seal(self, zipped, salt):
        okm = self.material(salt)
        size = announcement(16 + len(zipped) + 16)
        return salt + AESGCM(okm[:32]).encrypt(okm[32:], zipped, size)

    def open(self, sealed):
        if len(sealed) < 33:
            raise Refused("request-not-authentic")
        okm = self.material(sealed[:16])
        try:
            zipped = AESGCM(okm[:32]).decrypt(okm[32:], sealed[16:], announcement(len(sealed)))
        except InvalidTag:
            raise Refused("request-not-authentic") from None
        return parse(unzip(zipped))


def public(private):
    return X25519PrivateKey.from_private_bytes(private).public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def announcement(size):
    return MARK + size.to_bytes(4, "big")


def message(media_type, content):
    return bytes([len(media_type)]) + media_type.encode() + content


def unzip(data):
    limit = 1 + 127 + MAXIMUM_CONTENT
    reader = zlib.decompressobj(wbits=31)
    try:
        output = reader.decompress(data, limit + 1)
    except zlib.error:
        raise Refused("request-malformed") from None
    if len(output) > limit or len(output) > 65_536 and len(output) > 100 * len(data):
        raise Refused("request-too-large")
    if not reader.eof or reader.unused_data:
        raise Refused("request-malformed")
    return output


def parse(data):
    if not data or not 1 <= data[0] <= 127 or not data[0] + 1 < len(data) <= data[0] + 1 + MAXIMUM_CONTENT:
        raise Refused("request-malformed")
    media_type = data[1 : 1 + data[0]]
    if not all(0x21 <= byte <= 0x7E for byte in media_type):
        raise Refused("request-malformed")
    return media_type.decode(), data[1 + data[0] :]


def windows(sealed, size):
    step = size - 4
    parts = [sealed[start : start + step] for start in range(0, len(sealed), step)]
    return [
        number.to_bytes(2, "big") + crc(part).to_bytes(2, "big") + part for number, part in enumerate(parts, 1)
    ]


def read(size, values):
    """The sealed request of a value of REQUEST_SIZE and of reads of REQUEST; nil when there is no request."""
    if len(size) != 8 or size[:4] != MARK or size[4:] == bytes(4):
        return None
    total = int.from_bytes(size[4:], "big")
    if total > MAXIMUM_SEALED:
        raise Refused("request-too-large")
    if total < 33:
        raise Refused("request-malformed")
    sealed = b""
    for expected, value in enumerate(values, 1):
        data = value[4:]
        if value[:2] != expected.to_bytes(2, "big") or value[2:4] != crc(data).to_bytes(2, "big"):
            raise Refused("request-malformed")
        sealed += data
        if len(sealed) > total or len(sealed) < total and len(data) < 60:
            raise Refused("request-malformed")
        if len(sealed) == total:
            return sealed
    raise Refused("request-malformed")


# Vectors


VERIFIER = bytes.fromhex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a")
WALLET = bytes.fromhex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")
NONCE = bytes(range(12))
TIME = 1_790_000_000
PLAIN = "application/json"


def noise(count):
    return b"".join(hashlib.sha256(number.to_bytes(4, "big")).digest() for number in range(count // 32 + 1))[:count]


def make():
    wallet, verifier = public(WALLET), public(VERIFIER)
    session = Session(VERIFIER, wallet, NONCE, wallet, verifier)
    contents = [
        b"{}",
        json.dumps({"nonce": "n-0S6_WzA2Mj-n-0S6_WzA2Mj", "ble_key": ble_key(verifier)}).encode(),
        noise(1000),
    ]
    requests, refused = [], []
    for number, content in enumerate(contents):
        salt = bytes([number] * 16)
        zipped = gzip.compress(message(PLAIN, content), mtime=0)
        sealed = session.seal(zipped, salt)
        requests.append(
            {
                "salt": salt.hex(),
                "okm": session.material(salt).hex(),
                "mediaType": PLAIN,
                "content": content.hex(),
                "gzip": zipped.hex(),
                "sealed": sealed.hex(),
                "size": announcement(len(sealed)).hex(),
                "windows": {str(size): [part.hex() for part in windows(sealed, size)] for size in (64, 182, 509)},
            }
        )
    sealed = bytes.fromhex(requests[2]["sealed"])
    size, parts = announcement(len(sealed)), windows(sealed, 509)

    def refuse(name, code, size=size, parts=parts):
        refused.append({"name": name, "code": code, "size": size.hex(), "windows": [part.hex() for part in parts]})

    changed = sealed[:40] + bytes([sealed[40] ^ 1]) + sealed[41:]
    refuse("one bit of the sealed request changed", "request-not-authentic", parts=windows(changed, 509))
    refuse("a window left out", "request-malformed", parts=parts[:1] + parts[2:])
    refuse("a check value changed", "request-malformed", parts=[parts[0][:3] + bytes([parts[0][3] ^ 1]) + parts[0][4:]])
    refuse("the first window twice", "request-malformed", parts=parts[:1] + parts)
    refuse("a size one too small", "request-malformed", size=announcement(len(sealed) - 1))
    refuse("a size one too large", "request-malformed", size=announcement(len(sealed) + 1))
    refuse("a size past the limit", "request-too-large", size=announcement(MAXIMUM_SEALED + 1), parts=[])
    refuse("a size below that of salt, tag and one byte", "request-malformed", size=announcement(32), parts=[])
    refuse("a window of 59 bytes that is not the last", "request-malformed", parts=windows(sealed, 63))

    def wrong(name, code, zipped, session=session):
        sealed = session.seal(zipped, bytes([9] * 16))
        refuse(name, code, size=announcement(len(sealed)), parts=windows(sealed, 509))

    wrong("a member that decompresses to 1 MiB", "request-too-large", gzip.compress(bytes(1 << 20), mtime=0))
    wrong("no gzip member", "request-malformed", noise(100))
    wrong("bytes after the member", "request-malformed", gzip.compress(message(PLAIN, b"{}"), mtime=0) + b"x")
    wrong("no content", "request-malformed", gzip.compress(message(PLAIN, b""), mtime=0))
    wrong("no media type", "request-malformed", gzip.compress(message("", b"{}"), mtime=0))
    swapped = Session(VERIFIER, wallet, NONCE, wallet, verifier)
    swapped.wallet_key, swapped.verifier_key = swapped.verifier_key, swapped.wallet_key
    wrong("sealed with the key of the other direction", "request-not-authentic", bytes.fromhex(requests[0]["gzip"]), swapped)
    other = Session(VERIFIER, wallet, bytes(12), wallet, verifier)
    wrong("sealed for another Identify", "request-not-authentic", bytes.fromhex(requests[0]["gzip"]), other)

    nonces = ["n-0S6_WzA2Mj-n-0S6_WzA2Mj", "0123456789abcdef", "é" * 20]
    return {
        "verifierPrivateKey": VERIFIER.hex(),
        "verifierKey": verifier.hex(),
        "walletPrivateKey": WALLET.hex(),
        "walletKey": wallet.hex(),
        "nonce": NONCE.hex(),
        "shared": session.shared.hex(),
        "skWallet": session.wallet_key.hex(),
        "bleKey": ble_key(verifier),
        "answerNonces": [{"nonce": nonce, "answer": answer_nonce(nonce, wallet)} for nonce in nonces],
        "requests": requests,
        "refused": refused,
        "notAnnounced": ["", "00", "00000000", "41534b3100000000", "41534b32000000ff", "41534b31000000ff00", "000000ff"],
    } | presentation.make(verifier, wallet, TIME)


def check(vectors):
    cases = 0

    def same(name, found, expected):
        nonlocal cases
        cases += 1
        if found != expected:
            raise SystemExit(f"request: {name} differs: {found!r} is not {expected!r}")

    wallet, verifier = bytes.fromhex(vectors["walletKey"]), bytes.fromhex(vectors["verifierKey"])
    session = Session(
        bytes.fromhex(vectors["walletPrivateKey"]), verifier, bytes.fromhex(vectors["nonce"]), wallet, verifier
    )
    same("the wallet's key", public(bytes.fromhex(vectors["walletPrivateKey"])), wallet)
    same("the verifier's key", public(bytes.fromhex(vectors["verifierPrivateKey"])), verifier)
    same("the shared secret", session.shared.hex(), vectors["shared"])
    same("SKWallet", session.wallet_key.hex(), vectors["skWallet"])
    same("ble_key", ble_key(verifier), vectors["bleKey"])
    for entry in vectors["answerNonces"]:
        same("an answer nonce", answer_nonce(entry["nonce"], wallet), entry["answer"])
    for request in vectors["requests"]:
        sealed = bytes.fromhex(request["sealed"])
        same("okm", session.material(bytes.fromhex(request["salt"])).hex(), request["okm"])
        same("a sealed request", session.seal(bytes.fromhex(request["gzip"]), bytes.fromhex(request["salt"])), sealed)
        same("an opened request", session.open(sealed), (request["mediaType"], bytes.fromhex(request["content"])))
        for size, parts in request["windows"].items():
            values = [bytes.fromhex(part) for part in parts]
            same("windows", windows(sealed, int(size)), values)
            same("a read request", read(bytes.fromhex(request["size"]), values), sealed)
    for entry in vectors["refused"]:
        try:
            session.open(read(bytes.fromhex(entry["size"]), [bytes.fromhex(part) for part in entry["windows"]]))
            code = "taken"
        except Refused as refusal:
            code = str(refusal)
        same(entry["name"], code, entry["code"])
    for value in vectors["notAnnounced"]:
        same("a value that announces nothing", read(bytes.fromhex(value), []), None)
    presentation.check(vectors, same)
    return cases


if __name__ == "__main__":
    if sys.argv[1:] == ["make"]:
        PLACE.write_text(json.dumps(make(), indent=1, ensure_ascii=False) + "\n")
    print(f"request: {check(json.loads(PLACE.read_text()))} cases of the vectors read as the profile says")
