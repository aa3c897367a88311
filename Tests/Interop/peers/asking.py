"""A verifier's request for the peers: Documentation/Profiles/request.md by the independent reader beside them."""

import gzip
import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "request"))

import presentation
import profile as reader

# The keys of the issuer, the holder and the verifier in all hand-overs of the matrix; they are no secret.
ISSUER = presentation.Key(seed=bytes([1] * 32))
HOLDER = presentation.Key(seed=bytes([2] * 32))
SIGNER = presentation.Key(scalar=7)
CLAIM = "name"


def raw(key):
    return key.public_key().public_bytes(reader.Encoding.Raw, reader.PublicFormat.Raw)


def private_bytes(key):
    from cryptography.hazmat.primitives.serialization import NoEncryption, PrivateFormat

    return key.private_bytes(reader.Encoding.Raw, PrivateFormat.Raw, NoEncryption())


def credential(portrait=0):
    """A credential of the holder, with a picture of so many bytes."""
    subject = {"id": HOLDER.did, CLAIM: "Ada", "portrait": os.urandom(portrait).hex()}
    return ISSUER.token(
        "vc+jwt",
        {
            "@context": ["https://www.w3.org/ns/credentials/v2"],
            "type": ["VerifiableCredential"],
            "issuer": ISSUER.did,
            "credentialSubject": subject,
        },
    )


def holder_jwk():
    return HOLDER.jwk | {"d": presentation.url64(bytes([2] * 32))}


class Asked:
    """The request of one verifier's session, and the values that a wallet reads."""

    def __init__(self, private, padding=0):
        self.private = private_bytes(private)
        self.verifier = raw(private)
        self.claims = {
            "nonce": presentation.url64(os.urandom(24)),
            "ble_key": presentation.ble_key(self.verifier),
            "iss": SIGNER.did,
            "client_id": SIGNER.did,
            "padding": os.urandom(padding // 2).hex(),
            "dcql_query": {
                "credentials": [
                    {"id": "card", "format": "jwt_vc_json", "claims": [{"path": ["credentialSubject", CLAIM]}]}
                ]
            },
        }
        self.content = SIGNER.token("oauth-authz-req+jwt", self.claims)
        self.values, self.next, self.reads, self.wallet = [b""], 0, 0, None

    def identify(self, value, write_bytes):
        """Seals for the wallet that identified itself; once in a session."""
        nonce, self.wallet = value[:12], value[12:44]
        session = reader.Session(self.private, self.wallet, nonce, self.wallet, self.verifier)
        zipped = gzip.compress(reader.message(presentation.SIGNED, self.content.encode()))
        sealed = session.seal(zipped, os.urandom(16))
        self.size = reader.announcement(len(sealed))
        self.windows = reader.windows(sealed, write_bytes)

    def read_size(self, _connection):
        self.reads, self.next = self.reads + 1, 0
        return self.size if self.wallet else b""

    def read_window(self, _connection):
        self.reads += 1
        if not self.wallet or self.next >= len(self.windows):
            return b""
        self.next += 1
        return self.windows[self.next - 1]

    def check(self, payload):
        """`presented`, or why the answer is refused."""
        try:
            return presentation.check_answer(payload, self.claims, self.wallet)
        except presentation.Refused as refused:
            return str(refused)


def answer(media_type, content, wallet, verifier, portrait):
    """The answer to a request that was read in the session of two keys: the claims are checked first."""
    claims, signer = presentation.check_request(media_type, content.decode(), verifier, time.time())
    nonce = presentation.answer_nonce(claims["nonce"], wallet)
    queries = claims.get("dcql_query", {}).get("credentials") or claims["presentation_definition"]["input_descriptors"]
    vp = HOLDER.token(
        "vp+jwt",
        {
            "@context": ["https://www.w3.org/ns/credentials/v2"],
            "type": ["VerifiablePresentation"],
            "holder": HOLDER.did,
            "iss": HOLDER.did,
            "verifiableCredential": [
                {
                    "@context": "https://www.w3.org/ns/credentials/v2",
                    "type": "EnvelopedVerifiableCredential",
                    "id": "data:application/vc+jwt," + credential(portrait),
                }
            ],
            "nonce": nonce,
            "aud": presentation.audience(claims),
            "iat": int(time.time()),
        },
    )
    payload = {"vp_token": {query["id"]: [vp] for query in queries}, "nonce": nonce}
    return json.dumps(payload).encode(), signer


async def read_request(link, private, key, message):
    """Reads and opens a verifier's request over a link, as section 6 of the profile says; None without one."""
    size = bytes(await link.client.read_value(link.characteristics["request-size"]))
    if len(size) != 8 or size[:4] != reader.MARK:
        return None
    total, values = int.from_bytes(size[4:], "big"), []
    while sum(len(value) - 4 for value in values) < total:
        value = bytes(await link.client.read_value(link.characteristics["request"]))
        if len(value) < 5:
            raise reader.Refused("request-malformed")
        values.append(value)
    sealed = reader.read(size, values)
    session = reader.Session(private_bytes(private), key, message[:12], message[12:44], key)
    media_type, content = session.open(sealed)
    return media_type, content, len(values)
