"""Sections 7 and 8 of Documentation/Profiles/request.md: request objects, answers, and what of them is refused."""

import base64
import datetime
import hashlib
import json

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509.oid import NameOID

SIGNED = "application/oauth-authz-req+jwt"
PLAIN = "application/json"
TOLERANCE = 60
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


class Refused(Exception):
    """The error for a refused presentation, with its code."""


def url64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unurl64(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def ble_key(verifier):
    return url64(hashlib.sha256(verifier).digest())


def answer_nonce(nonce, wallet):
    return url64(hashlib.sha256(nonce.encode() + wallet).digest())


# Keys and tokens


def unbase58(text):
    number = 0
    for letter in text:
        number = number * 58 + BASE58.index(letter)
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


def to_base58(data):
    number, text = int.from_bytes(data, "big"), ""
    while number:
        number, rest = divmod(number, 58)
        text = BASE58[rest] + text
    return text


class Key:
    """A signing key with its DIDs."""

    def __init__(self, seed=None, scalar=None):
        if seed is not None:
            self.private = Ed25519PrivateKey.from_private_bytes(seed)
            raw = self.private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
            self.algorithm = "EdDSA"
            self.jwk = {"crv": "Ed25519", "kty": "OKP", "x": url64(raw)}
            self.did_key = "did:key:z" + to_base58(b"\xed\x01" + raw)
        else:
            self.private = ec.derive_private_key(scalar, ec.SECP256R1())
            numbers = self.private.public_key().public_numbers()
            self.algorithm = "ES256"
            self.jwk = {
                "crv": "P-256",
                "kty": "EC",
                "x": url64(numbers.x.to_bytes(32, "big")),
                "y": url64(numbers.y.to_bytes(32, "big")),
            }
        self.did = "did:jwk:" + url64(compact(self.jwk))

    def sign(self, data):
        if self.algorithm == "EdDSA":
            return self.private.sign(data)
        pair = self.private.sign(data, ec.ECDSA(hashes.SHA256(), deterministic_signing=True))
        return b"".join(number.to_bytes(32, "big") for number in decode_dss_signature(pair))

    def token(self, kind, claims, **header):
        head = {"alg": self.algorithm, "kid": self.did + "#0", "typ": kind} | header
        text = f"{url64(compact({name: value for name, value in head.items() if value}))}.{url64(compact(claims))}"
        return f"{text}.{url64(self.sign(text.encode()))}"


def verify(key, algorithm, signature, data):
    try:
        if algorithm == "EdDSA" and isinstance(key, Ed25519PublicKey):
            key.verify(signature, data)
            return True
        if algorithm == "ES256" and isinstance(key, ec.EllipticCurvePublicKey) and len(signature) == 64:
            pair = encode_dss_signature(int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big"))
            key.verify(pair, data, ec.ECDSA(hashes.SHA256()))
            return True
    except InvalidSignature:
        pass
    return False


def resolve(did):
    """The public key of a did:jwk or of a did:key for Ed25519; None for another identifier."""
    did = did.split("#")[0]
    try:
        if did.startswith("did:jwk:"):
            jwk = json.loads(unurl64(did[8:]))
            if jwk.get("crv") == "Ed25519":
                return Ed25519PublicKey.from_public_bytes(unurl64(jwk["x"]))
            point = b"\x04" + unurl64(jwk["x"]) + unurl64(jwk["y"])
            return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
        if did.startswith("did:key:z6Mk"):
            return Ed25519PublicKey.from_public_bytes(unbase58(did[9:])[2:])
    except (ValueError, KeyError):
        pass
    return None


def parse_token(text, code):
    """Header, claims, signature and the signed bytes of a token in three parts."""
    parts = text.split(".")
    try:
        header, claims = json.loads(unurl64(parts[0])), json.loads(unurl64(parts[1]))
        signature = unurl64(parts[2])
    except (ValueError, IndexError):
        raise Refused(code) from None
    if len(parts) != 3 or not isinstance(header, dict) or not isinstance(claims, dict):
        raise Refused(code)
    return header, claims, signature, f"{parts[0]}.{parts[1]}".encode()


def name_of(client):
    """The name of a signer without the prefix of OpenID4VP 1.0."""
    for prefix, start in (("decentralized_identifier:", ""), ("x509_san_dns:", "https://"), ("x509_san_uri:", "")):
        if client.startswith(prefix):
            return start + client[len(prefix) :]
    return client


def certified(header, name, roots):
    """The key of the first certificate, which must name the signer, and whether a root of the user stands above it."""
    chain = [x509.load_der_x509_certificate(base64.b64decode(text)) for text in header["x5c"]]
    names = chain[0].extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    uris = names.get_values_for_type(x509.UniformResourceIdentifier)
    if name not in uris and name not in ["https://" + host for host in names.get_values_for_type(x509.DNSName)]:
        raise Refused("request.signature")
    above = chain[1:] + [x509.load_der_x509_certificate(root) for root in roots]
    try:
        for certificate, issuer in zip(chain, above):
            certificate.verify_directly_issued_by(issuer)
        is_trusted = bool(roots)
    except (ValueError, TypeError, InvalidSignature):
        raise Refused("request.signature") from None
    return chain[0].public_key(), is_trusted


# Requests


def check_request(media_type, content, verifier, now, accepts_unbound=False, pinned=(), roots=(), keys=None):
    """The claims of a request and its signer: `unsigned`, `unknown DID` or `known DID`."""
    signer = "unsigned"
    if media_type == SIGNED:
        header, claims, signature, data = parse_token(content, "request.malformed")
        signer = check_signer(header, claims, signature, data, pinned, roots, keys or {})
    elif media_type == PLAIN:
        try:
            claims = json.loads(content)
        except ValueError:
            raise Refused("request.malformed") from None
        if not isinstance(claims, dict):
            raise Refused("request.malformed")
    else:
        raise Refused("request.media-type")
    check_times(claims, now)
    check_claims(claims)
    key = claims.get("ble_key")
    if key is None and not accepts_unbound:
        raise Refused("request.unbound")
    if key is not None and key != ble_key(verifier):
        raise Refused("request.wrong-channel")
    return claims, signer


def check_signer(header, claims, signature, data, pinned, roots, keys):
    if "crit" in header or "b64" in header or header.get("typ", "JWT") not in ("oauth-authz-req+jwt", "JWT"):
        raise Refused("request.signature")
    client = claims.get("iss", claims.get("client_id"))
    if client is None:
        raise Refused("request.claims")
    name = name_of(client)
    is_known = name in pinned
    if "x5c" in header:
        # A pinned name says nothing about this key.
        key, is_known = certified(header, name, roots)
    elif header.get("kid") in keys:
        owner, jwk = keys[header["kid"]]
        key, is_known = resolve("did:jwk:" + url64(compact(jwk))), True
        if owner != name:
            raise Refused("request.signature")
    else:
        key = resolve(header.get("kid", name))
        if header.get("kid", name).split("#")[0] != name:
            raise Refused("request.signature")
    if key is None or not verify(key, header.get("alg"), signature, data):
        raise Refused("request.signature")
    return f"{'known' if is_known else 'unknown'} {name}"


def check_times(claims, now):
    for name in ("iat", "nbf", "exp"):
        value = claims.get(name, now)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise Refused("request.malformed")
        if name == "exp" and now > value + TOLERANCE or name == "nbf" and now < value - TOLERANCE:
            raise Refused("request.expired")


def check_claims(claims):
    refused = Refused("request.claims")
    if any(name in claims for name in ("response_type", "redirect_uri", "response_uri")):
        raise refused
    if any(not isinstance(claims.get(name, "x"), str) for name in ("nonce", "iss", "client_id", "ble_key")):
        raise Refused("request.malformed")
    if not 16 <= len(claims.get("nonce", "").encode()) <= 256:
        raise refused
    if "iss" in claims and "client_id" in claims and claims["iss"] != claims["client_id"]:
        raise refused
    if len(claims.get("ble_key", "x" * 43)) != 43:
        raise refused
    if ("dcql_query" in claims) == ("presentation_definition" in claims):
        raise refused


# Answers


def audience(claims):
    named = claims.get("client_id", claims.get("iss"))
    return named or ("ble_key:" + claims["ble_key"] if "ble_key" in claims else "unbound")


def check_answer(payload, claims, wallet):
    """`presented` or `answer.refused`; claims of DCQL queries with paths of names are looked for."""
    try:
        answer = json.loads(payload)
    except ValueError:
        raise Refused("answer.malformed") from None
    if not isinstance(answer, dict) or not isinstance(answer.get("nonce"), str):
        raise Refused("answer.malformed")
    nonce = answer_nonce(claims["nonce"], wallet)
    if answer["nonce"] != nonce:
        raise Refused("answer.wrong-nonce")
    if "error" in answer:
        raise Refused("answer.refused")
    if not isinstance(answer.get("vp_token"), dict):
        raise Refused("answer.malformed")
    for query in claims["dcql_query"]["credentials"]:
        tokens = answer["vp_token"].get(query["id"]) or []
        if not tokens:
            raise Refused("answer.credential-missing")
        for token in tokens:
            check_presentation(token, query, nonce, audience(claims))
    return "presented"


def check_presentation(token, query, nonce, audience):
    header, claims, signature, data = parse_token(token, "answer.presentation")
    if claims.get("nonce") != nonce:
        raise Refused("answer.wrong-nonce")
    key = resolve(header.get("kid", ""))
    if claims.get("aud") != audience or key is None or not verify(key, header.get("alg"), signature, data):
        raise Refused("answer.presentation")
    for member in claims.get("verifiableCredential", []):
        _, credential, _, _ = parse_token(member["id"].partition(",")[2], "answer.presentation")
        if credential["credentialSubject"].get("id") != claims["holder"]:
            raise Refused("answer.presentation")
        for asked in query["claims"]:
            value = credential
            for step in asked["path"]:
                value = value.get(step) if isinstance(value, dict) else None
            if value is None:
                raise Refused("answer.claim-missing")


# Vectors


def make(verifier, wallet, now):
    """The vectors of both sections for a session of the keys `verifier` and `wallet`."""
    requests = make_requests(verifier, now)
    asked = json.loads(next(entry["content"] for entry in requests if entry["name"] == "dcql"))
    return {"time": now, "requestObjects": requests, "asked": "dcql", "answers": make_answers(asked, wallet, now)}


def certificates(now, key, host):
    """A root, and the certificate of a key under it for a host; always the same bytes."""
    authority, moment = ec.derive_private_key(11, ec.SECP256R1()), datetime.datetime.fromtimestamp(now, datetime.timezone.utc)

    def build(subject, public, serial, is_root):
        usage = [not is_root] + [False] * 4 + [is_root, is_root, False, False]
        builder = x509.CertificateBuilder().serial_number(serial).public_key(public)
        builder = builder.subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, subject)]))
        builder = builder.issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Root of the vectors")]))
        builder = builder.not_valid_before(moment - datetime.timedelta(days=1))
        builder = builder.not_valid_after(moment + datetime.timedelta(days=365))
        builder = builder.add_extension(x509.BasicConstraints(is_root, None), True)
        builder = builder.add_extension(x509.KeyUsage(*usage), True)
        builder = builder.add_extension(x509.SubjectKeyIdentifier.from_public_key(public), False)
        above = x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.public_key())
        builder = builder.add_extension(above, False)
        if not is_root:
            builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), False)
        return builder.sign(authority, hashes.SHA256(), ecdsa_deterministic=True).public_bytes(Encoding.DER)

    return build("Root of the vectors", authority.public_key(), 1, True), build(host, key, 2, False)


def make_requests(verifier, now):
    signer, other, curve = Key(seed=bytes([5] * 32)), Key(seed=bytes([6] * 32)), Key(scalar=3)
    field = {"path": ["$.credentialSubject.name"]}
    definition = {"id": "d", "input_descriptors": [{"id": "card", "constraints": {"fields": [field]}}]}
    query = {"credentials": [{"id": "card", "format": "jwt_vc_json", "claims": [{"path": ["credentialSubject", "name"]}]}]}
    base = {"nonce": "n-0S6_WzA2Mj-n-0S6_WzA2Mj", "ble_key": ble_key(verifier), "dcql_query": query}
    entries = []

    def add(name, code, media_type, content, **more):
        entries.append({"name": name, "code": code, "mediaType": media_type, "content": content} | more)

    def plain(name, code, change=None, **more):
        claims = {key: value for key, value in (base | (change or {})).items() if value is not None}
        add(name, code, PLAIN, compact(claims).decode(), **more)

    def signed(name, code, key, issuer, change=None, header=None, by=None, kind="oauth-authz-req+jwt", **more):
        claims = base | {"iss": issuer, "client_id": issuer} | (change or {})
        claims = {name: value for name, value in claims.items() if value is not None}
        token = (by or key).token(kind, claims, **({"kid": f"{issuer}#0"} | (header or {})))
        add(name, code, SIGNED, token, **more)

    plain("dcql", "taken", signer="unsigned")
    plain("definition", "taken", {"dcql_query": None, "presentation_definition": definition}, signer="unsigned")
    signed("EdDSA, did:jwk", "taken", signer, signer.did, signer=f"unknown {signer.did}")
    signed("EdDSA, did:jwk, pinned", "taken", signer, signer.did, pinned=[signer.did], signer=f"known {signer.did}")
    fragment = f"{signer.did_key}#{signer.did_key[8:]}"
    signed("EdDSA, did:key", "taken", signer, signer.did_key, header={"kid": fragment}, signer=f"unknown {signer.did_key}")
    signed("ES256, did:jwk", "taken", curve, curve.did, signer=f"unknown {curve.did}")
    prefixed = f"decentralized_identifier:{signer.did}"
    signed("client_id with a prefix", "taken", signer, prefixed, {"iss": None},
           header={"kid": f"{signer.did}#0"}, signer=f"unknown {signer.did}")
    host = "https://desk.example"
    root, leaf = certificates(now, curve.private.public_key(), "desk.example")
    chain = {"kid": None, "x5c": [base64.b64encode(leaf).decode()]}
    signed("x5c", "taken", curve, host, header=chain, roots=[root.hex()], signer=f"known {host}")
    signed("x5c without a root of the user", "taken", curve, host, header=chain, signer=f"unknown {host}")
    signed("x5c without a root, of a name that is pinned", "taken", curve, host, header=chain, pinned=[host],
           signer=f"unknown {host}")
    signed("x5c, client_id with a prefix", "taken", curve, "x509_san_dns:desk.example", {"iss": None}, header=chain,
           roots=[root.hex()], signer=f"known {host}")
    signed("x5c of another host", "request.signature", curve, "https://other.example", header=chain, roots=[root.hex()])
    signed("x5c of another key", "request.signature", curve, host, header=chain, by=Key(scalar=4), roots=[root.hex()])
    keys = {"https://shop.example/keys/1": ["https://shop.example", signer.jwk]}
    signed("pinned key", "taken", signer, "https://shop.example", header={"kid": "https://shop.example/keys/1"}, keys=keys,
           signer="known https://shop.example")
    signed("pinned key of another signer", "request.signature", signer, host, header={"kid": "https://shop.example/keys/1"}, keys=keys)
    signed("pinned key, signed by another", "request.signature", other, "https://shop.example",
           header={"kid": "https://shop.example/keys/1"}, keys=keys)
    plain("unbound", "request.unbound", {"ble_key": None})
    plain("unbound, accepted", "taken", {"ble_key": None}, acceptsUnbound=True, signer="unsigned")
    plain("another session", "request.wrong-channel", {"ble_key": ble_key(bytes(32))})
    plain("another session, unbound accepted", "request.wrong-channel", {"ble_key": ble_key(bytes(32))}, acceptsUnbound=True)
    signed("another session, signed", "request.wrong-channel", signer, signer.did, {"ble_key": ble_key(bytes(32))})
    plain("ble_key in hexadecimal digits", "request.claims", {"ble_key": hashlib.sha256(verifier).hexdigest()})
    plain("nonce of 15 characters", "request.claims", {"nonce": "n" * 15})
    plain("nonce of 16 characters", "taken", {"nonce": "n" * 16}, signer="unsigned")
    plain("nonce of 256 characters", "taken", {"nonce": "n" * 256}, signer="unsigned")
    plain("nonce of 257 characters", "request.claims", {"nonce": "n" * 257})
    plain("no nonce", "request.claims", {"nonce": None})
    plain("response_uri", "request.claims", {"response_uri": "https://example.org"})
    plain("two queries", "request.claims", {"presentation_definition": definition})
    plain("no query", "request.claims", {"dcql_query": None})
    plain("two names", "request.claims", {"iss": "one", "client_id": "another"})
    signed("signed without a name", "request.claims", signer, signer.did, {"iss": None, "client_id": None})
    signed("signed by another key", "request.signature", signer, signer.did, by=other)
    signed("kid of another key", "request.signature", other, signer.did, header={"kid": f"{other.did}#0"})
    signed("typ of a presentation", "request.signature", signer, signer.did, kind="vp+jwt")
    signed("alg none", "request.signature", signer, signer.did, header={"alg": "none"})
    signed("alg of another key", "request.signature", signer, signer.did, header={"alg": "ES256"})
    signed("crit", "request.signature", signer, signer.did, header={"crit": ["exp"]})
    plain("exp 60 s ago", "taken", {"exp": now - 60}, signer="unsigned")
    plain("exp 61 s ago", "request.expired", {"exp": now - 61})
    plain("nbf in 61 s", "request.expired", {"nbf": now + 61})
    plain("exp as text", "request.malformed", {"exp": "soon"})
    add("another media type", "request.media-type", "text/plain", entries[0]["content"])
    add("no JSON", "request.malformed", PLAIN, "request")
    add("no token", "request.malformed", SIGNED, "request")
    return entries


def make_answers(asked, wallet, now):
    issuer, holder, thief = Key(seed=bytes([1] * 32)), Key(seed=bytes([2] * 32)), Key(seed=bytes([4] * 32))
    right, wrong = answer_nonce(asked["nonce"], wallet), answer_nonce(asked["nonce"], bytes(32))
    entries = []

    def presentation(signer=holder, subject=None, **change):
        credential = issuer.token(
            "vc+jwt",
            {
                "@context": ["https://www.w3.org/ns/credentials/v2"],
                "type": ["VerifiableCredential"],
                "issuer": issuer.did,
                "credentialSubject": {"id": holder.did, "name": "Ada"} if subject is None else subject,
            },
        )
        claims = {
            "@context": ["https://www.w3.org/ns/credentials/v2"],
            "type": ["VerifiablePresentation"],
            "holder": signer.did,
            "iss": signer.did,
            "verifiableCredential": [
                {
                    "@context": "https://www.w3.org/ns/credentials/v2",
                    "type": "EnvelopedVerifiableCredential",
                    "id": f"data:application/vc+jwt,{credential}",
                }
            ],
            "nonce": right,
            "aud": audience(asked),
            "iat": now,
        }
        return signer.token("vp+jwt", claims | change)

    def add(name, code, payload):
        entries.append({"name": name, "code": code, "payload": compact(payload).decode()})

    def answered(name, code, token, nonce=right):
        add(name, code, {"vp_token": {"card": [token]}, "nonce": nonce})

    fitting = presentation()
    answered("fits", "taken", fitting)
    answered("of another session", "answer.wrong-nonce", presentation(nonce=wrong), wrong)
    answered("of another session, relabelled", "answer.wrong-nonce", presentation(nonce=wrong))
    answered("for another audience", "answer.presentation", presentation(aud="another"))
    answered("signature changed", "answer.presentation", fitting[:-20] + "AAAA" + fitting[-16:])
    answered("credential of another holder", "answer.presentation", presentation(signer=thief))
    answered("claim missing", "answer.claim-missing", presentation(subject={"id": holder.did}))
    add("credential missing", "answer.credential-missing", {"vp_token": {"other": [fitting]}, "nonce": right})
    refusal = {"error": "access_denied", "error_description": "no"}
    add("refusal", "answer.refused", refusal | {"nonce": right})
    add("refusal of another session", "answer.wrong-nonce", refusal | {"nonce": wrong})
    add("empty", "answer.malformed", {})
    return entries


def check(vectors, same):
    """Checks the vectors of both sections; `same` compares a name, what was found and what is expected."""
    verifier, wallet, now = bytes.fromhex(vectors["verifierKey"]), bytes.fromhex(vectors["walletKey"]), vectors["time"]
    asked = None
    for entry in vectors["requestObjects"]:
        unbound, pinned = entry.get("acceptsUnbound", False), entry.get("pinned", [])
        roots, keys = [bytes.fromhex(root) for root in entry.get("roots", [])], entry.get("keys")
        try:
            claims, signer = check_request(
                entry["mediaType"], entry["content"], verifier, now, unbound, pinned, roots, keys
            )
            same(f"signer of {entry['name']}", signer, entry.get("signer"))
            if entry["name"] == vectors["asked"]:
                asked = claims
            code = "taken"
        except Refused as refusal:
            code = str(refusal)
        same(f"the request {entry['name']}", code, entry["code"])
    for entry in vectors["answers"]:
        try:
            check_answer(entry["payload"], asked, wallet)
            code = "taken"
        except Refused as refusal:
            code = str(refusal)
        same(f"the answer {entry['name']}", code, entry["code"])
