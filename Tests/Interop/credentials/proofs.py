"""Proofs over statements as a user of PyLD and cryptography checks them: contexts from files, the closed table of proof
options left to the document's contexts, the key from the did:key that the proof names.
"""

import base64
import hashlib
import json

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils
from pyld import jsonld

ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def base58(text):
    number = 0
    for character in text:
        number = number * 58 + ALPHABET.index(character)
    zeros = len(text) - len(text.lstrip("1"))
    return b"\0" * zeros + number.to_bytes((number.bit_length() + 7) // 8, "big")


def did_key(method):
    """The key that a did:key names."""
    data = base58(method.split("#")[0].removeprefix("did:key:z"))
    if data[:2] == b"\xed\x01":
        return ed25519.Ed25519PublicKey.from_public_bytes(data[2:])
    curve = {b"\x80\x24": ec.SECP256R1, b"\x81\x24": ec.SECP384R1, b"\xe7\x01": ec.SECP256K1}.get(data[:2])
    if curve:
        return ec.EllipticCurvePublicKey.from_encoded_point(curve(), data[2:])
    if data[:2] == b"\x85\x24":
        numbers, position = [], data[2:]
        # Two INTEGERs in a SEQUENCE with long lengths.
        position = position[4:]
        for _ in range(2):
            length = position[1]
            start = 2
            if length & 0x80:
                start = 2 + (length & 0x7F)
                length = int.from_bytes(position[2:start], "big")
            numbers.append(int.from_bytes(position[start:start + length], "big"))
            position = position[start + length:]
        return rsa.RSAPublicNumbers(numbers[1], numbers[0]).public_key()
    raise ValueError("no key of a kind that is known")


class Contexts:
    """The contexts of the kit and of the data model, by address; others are not loaded."""

    def __init__(self, kit, entries, common=None):
        self.documents = dict(common or {})
        for head, settings in entries:
            if head[0] == "context" and head[1] != "inline":
                file = next(words[1] for words in settings if words[0] == "file")
                self.documents[head[1]] = json.loads((kit / "trust" / file).read_text())

    def __call__(self, url, options=None):
        if url not in self.documents:
            raise ValueError("no context " + url)
        return {"contextUrl": None, "documentUrl": url, "document": self.documents[url]}


def digest(document, loader):
    text = jsonld.normalize(document, {
        "algorithm": "URDNA2015", "format": "application/n-quads", "documentLoader": loader})
    return hashlib.sha256(text.encode()).digest()


def check(key, signature, message, algorithm):
    if isinstance(key, ed25519.Ed25519PublicKey):
        key.verify(signature, message)
    elif isinstance(key, rsa.RSAPublicKey):
        how = padding.PSS(padding.MGF1(hashes.SHA256()), 32) if algorithm == "PS256" else padding.PKCS1v15()
        key.verify(signature, message, how, hashes.SHA256())
    else:
        half = len(signature) // 2
        r, s = (int.from_bytes(part, "big") for part in (signature[:half], signature[half:]))
        hash = hashes.SHA384() if algorithm == "ES384" else hashes.SHA256()
        key.verify(utils.encode_dss_signature(r, s), message, ec.ECDSA(hash))


def verify(document, loader):
    """True when each proof of the document is a signature of the key that it names over the statements."""
    document = dict(document)
    found = document.pop("proof")
    for proof in found if isinstance(found, list) else [found]:
        options = {name: value for name, value in proof.items() if name not in ("jws", "proofValue")}
        options["@context"] = document["@context"]
        hash = digest(options, loader) + digest(document, loader)
        key = did_key(proof["verificationMethod"])
        try:
            if "jws" in proof:
                header, _, signature = proof["jws"].split(".")
                algorithm = json.loads(base64.urlsafe_b64decode(header + "==")).get("alg")
                check(key, base64.urlsafe_b64decode(signature + "=="), header.encode() + b"." + hash, algorithm)
            else:
                check(key, base58(proof["proofValue"][1:]), hash, None)
        except InvalidSignature:
            return False
    return True
