"""Mobile documents and their sessions (ISO/IEC 18013-5), for peers that share nothing with the Swift code.

Whatever is hashed or signed is kept as its bytes: `embedded` makes them, and what was read is written again only
where it is a byte string with tag 24.
"""

import base64
import datetime
import hashlib
import os
from uuid import UUID

from cbor2 import CBORTag, dumps, loads
from cryptography import x509
from cryptography.hazmat.primitives import hashes, hmac
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, utils, x448, x25519
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from cryptography.x509.oid import NameOID, ObjectIdentifier
from isomdoc import create_mdoc, verify_device_response

MDL, NAMESPACE = "org.iso.18013.5.1.mDL", "org.iso.18013.5.1"
EC = {1: ec.SECP256R1, 2: ec.SECP384R1, 3: ec.SECP521R1, 256: ec.BrainpoolP256R1, 258: ec.BrainpoolP384R1,
      259: ec.BrainpoolP512R1}
OKP = {4: x25519.X25519PrivateKey, 5: x448.X448PrivateKey, 6: ed25519.Ed25519PrivateKey, 7: ed448.Ed448PrivateKey}
OKP_PUBLIC = {4: x25519.X25519PublicKey, 5: x448.X448PublicKey, 6: ed25519.Ed25519PublicKey, 7: ed448.Ed448PublicKey}
CURVES = {"P-256": 1, "P-384": 2, "P-521": 3, "X25519": 4, "X448": 5, "Ed25519": 6, "Ed448": 7, "brainpoolP256r1": 256,
          "brainpoolP384r1": 258, "brainpoolP512r1": 259}
ALGORITHMS = {1: (-7, hashes.SHA256), 256: (-7, hashes.SHA256), 2: (-35, hashes.SHA384), 258: (-35, hashes.SHA384),
              3: (-36, hashes.SHA512), 259: (-36, hashes.SHA512), 6: (-8, None), 7: (-8, None)}
HASHES = {"SHA-256": hashlib.sha256, "SHA-384": hashlib.sha384, "SHA-512": hashlib.sha512}


def embedded(value):
    return dumps(CBORTag(24, value if isinstance(value, bytes) else dumps(value)))


def array(*items):
    """An array of items that are encoded already."""
    return bytes([0x80 + len(items)]) + b"".join(items)


class Key:
    """A private key on a curve of table 17."""

    def __init__(self, curve):
        self.curve = CURVES[curve]
        self.private = ec.generate_private_key(EC[self.curve]()) if self.curve in EC else OKP[self.curve].generate()

    def cose(self, compressed=False):
        return cose_key(self.private.public_key(), self.curve, compressed)

    def pem(self):
        return self.private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())

    def agree(self, other):
        if self.curve in EC:
            return self.private.exchange(ec.ECDH(), other)
        return self.private.exchange(other)

    def sign(self, data, der=False):
        if self.curve not in EC:
            return self.private.sign(data)
        signature = self.private.sign(data, ec.ECDSA(ALGORITHMS[self.curve][1]()))
        if der:
            return signature
        size = (self.private.curve.key_size + 7) // 8
        return b"".join(part.to_bytes(size, "big") for part in utils.decode_dss_signature(signature))


def cose_key(public, curve, compressed=False):
    if curve not in EC:
        return {1: 1, -1: curve, -2: public.public_bytes(Encoding.Raw, PublicFormat.Raw)}
    numbers, size = public.public_numbers(), (public.curve.key_size + 7) // 8
    y = bool(numbers.y & 1) if compressed else numbers.y.to_bytes(size, "big")
    return {1: 2, -1: curve, -2: numbers.x.to_bytes(size, "big"), -3: y}


def public_key(cose):
    curve = cose[-1]
    if curve in OKP:
        return OKP_PUBLIC[curve].from_public_bytes(cose[-2]), curve
    y = cose[-3]
    point = bytes([2 + y]) + cose[-2] if isinstance(y, bool) else b"\x04" + cose[-2] + y
    return ec.EllipticCurvePublicKey.from_encoded_point(EC[curve](), point), curve


def verify(public, curve, signature, data):
    """Raises where a raw signature is wrong."""
    if curve not in EC:
        return public.verify(signature, data)
    half = len(signature) // 2
    der = utils.encode_dss_signature(int.from_bytes(signature[:half], "big"), int.from_bytes(signature[half:], "big"))
    return public.verify(der, data, ec.ECDSA(ALGORITHMS[curve][1]()))


def derive(secret, salt, info, length=32):
    return HKDF(hashes.SHA256(), length, salt, info.encode()).derive(secret)


def sign1(key, payload, chain=None, detached=None, der=False, array_chain=False):
    protected = dumps({1: ALGORITHMS[key.curve][0]})
    signed = dumps(["Signature1", protected, b"", payload if detached is None else detached])
    headers = {}
    if chain:
        headers[33] = chain if len(chain) > 1 or array_chain else chain[0]
    return [protected, headers, payload, key.sign(signed, der)]


def mac0(key, content):
    protected = dumps({1: 5})
    mac = hmac.HMAC(key, hashes.SHA256())
    mac.update(dumps(["MAC0", protected, b"", content]))
    return [protected, {}, None, mac.finalize()]


def check_sign1(structure, detached=None):
    """Raises where a signature is not that of its certificate; returns the certificate."""
    protected, headers, payload, signature = getattr(structure, "value", structure)
    chain = headers[33]
    certificate = x509.load_der_x509_certificate(chain[0] if isinstance(chain, list) else chain)
    public = certificate.public_key()
    names = {"secp256r1": 1, "secp384r1": 2, "secp521r1": 3, "brainpoolP256r1": 256, "brainpoolP384r1": 258,
             "brainpoolP512r1": 259}
    curve = names[public.curve.name] if hasattr(public, "curve") else (
        6 if isinstance(public, ed25519.Ed25519PublicKey) else 7)
    verify(public, curve, signature,
           dumps(["Signature1", protected, b"", payload if detached is None else detached]))
    return certificate


def octets(service):
    """The bytes of a service's UUID, which some give as text."""
    return UUID(service).bytes if isinstance(service, str) else service


class Engagement:
    """The content of a holder's code: made with `make`, or read from the text of a code."""

    def __init__(self, encoded):
        self.encoded = encoded
        self.map = loads(encoded)
        self.key_bytes = dumps(self.map[1][1])
        self.key = public_key(loads(self.map[1][1].value))
        options = next(method[2] for method in self.map[2] if method[0] == 2)
        self.peripheral = octets(options.get(10)) if options.get(0) else None
        self.central = octets(options.get(11)) if options.get(1) else None
        self.ident = derive(self.key_bytes, b"", "BLEIdent", 16)

    @classmethod
    def make(cls, key, mode, version="1.0", extra=None, quirks=()):
        # Variant 1, as RFC 4122 has it.
        uuids = [bytearray(os.urandom(16)) for _ in range(2)]
        for uuid in uuids:
            uuid[6], uuid[8] = 0x40 | uuid[6] & 0x0F, 0x80 | uuid[8] & 0x3F
            if "base-uuid" in quirks:
                uuid[:2], uuid[4:] = bytes(2), bytes.fromhex("00001000800000805F9B34FB")
        options = {0: mode != "central", 1: mode != "peripheral"}
        if options[0]:
            options[10] = bytes(uuids[0])
        if options[1]:
            options[11] = bytes(uuids[1])
        if "uuid-text" in quirks:
            options.update({number: str(UUID(bytes=options[number])) for number in (10, 11) if number in options})
        if "address" in quirks and options[0]:
            options[20] = os.urandom(6)
        methods = [[2, 1, options]]
        if "other-methods" in quirks:
            methods = [[1, 1, {0: 65535, 1: 65536}], *methods, [3, 1, {3: b"x"}], [9, 1, None]]
        coded = CBORTag(24, dumps(key.cose("compressed" in quirks)))
        return cls(dumps({0: version, 1: [1, coded], 2: methods, **(extra or {})}, canonical="canonical" in quirks))

    @classmethod
    def read(cls, text):
        coded = text.strip().split(":", 1)[1]
        return cls(base64.urlsafe_b64decode(coded + "=" * (-len(coded) % 4)))

    @property
    def text(self):
        return "mdoc:" + base64.urlsafe_b64encode(self.encoded).decode().rstrip("=")


class Session:
    """The transcript and the keys of a session, for either side."""

    def __init__(self, engagement, reader_key_bytes, secret, is_reader):
        self.transcript = array(embedded(engagement.encoded), reader_key_bytes, dumps(None))
        self.salt = hashlib.sha256(embedded(self.transcript)).digest()
        keys = [derive(secret, self.salt, "SKReader"), derive(secret, self.salt, "SKDevice")]
        self.own, self.other = AESGCM(keys[not is_reader]), AESGCM(keys[is_reader])
        self.numbers = [0 if is_reader else 1, 1 if is_reader else 0]
        self.counters = [0, 0]

    def nonce(self, side):
        self.counters[side] += 1
        return self.numbers[side].to_bytes(8, "big") + self.counters[side].to_bytes(4, "big")

    def seal(self, data):
        return self.own.encrypt(self.nonce(0), data, None)

    def open(self, data):
        return self.other.decrypt(self.nonce(1), data, None)

    def authentication(self, *items):
        return embedded(array(dumps("DeviceAuthentication"), self.transcript, *items))


NOW = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)


def tdate(moment):
    return CBORTag(0, moment.strftime("%Y-%m-%dT%H:%M:%SZ"))


def name(common):
    return x509.Name([x509.NameAttribute(NameOID.COUNTRY_NAME, "UT"), x509.NameAttribute(NameOID.COMMON_NAME, common)])


class Authority:
    """A test authority: `certificate` is its root."""

    def __init__(self, curve="P-256", common="Test authority of a foreign library"):
        self.key, self.name = Key(curve), name(common)
        public = self.key.private.public_key()
        self.identifier = x509.SubjectKeyIdentifier.from_public_key(public)
        builder = self.builder(self.name, public, 3000)
        builder = builder.add_extension(x509.BasicConstraints(True, 0), True)
        self.certificate = self.finish(builder.add_extension(self.usage(False), True))

    def builder(self, subject, public, days):
        uri = x509.UniformResourceIdentifier("https://authority.example")
        return (x509.CertificateBuilder().subject_name(subject).issuer_name(self.name).public_key(public)
                .serial_number(x509.random_serial_number()).not_valid_before(NOW - datetime.timedelta(days=2))
                .not_valid_after(NOW + datetime.timedelta(days=days))
                .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), False)
                .add_extension(x509.IssuerAlternativeName([uri]), False))

    @staticmethod
    def usage(is_leaf):
        return x509.KeyUsage(is_leaf, False, False, False, False, not is_leaf, not is_leaf, False, False)

    def finish(self, builder):
        return builder.sign(self.key.private, ALGORITHMS[self.key.curve][1]())

    def leaf(self, curve, purpose, common):
        key = Key(curve)
        public = key.private.public_key()
        place = x509.UniformResourceIdentifier("https://authority.example/crl")
        points = [x509.DistributionPoint([place], None, None, None)]
        builder = self.builder(name(common), public, 300).add_extension(self.usage(True), True)
        builder = builder.add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(self.identifier), False)
        builder = builder.add_extension(x509.ExtendedKeyUsage([ObjectIdentifier(purpose)]), True)
        builder = builder.add_extension(x509.CRLDistributionPoints(points), False)
        return key, self.finish(builder).public_bytes(Encoding.DER)

    def signer(self, curve="P-256"):
        return self.leaf(curve, "1.0.18013.5.1.2", "Test signer")

    def reader(self, curve="P-256"):
        return self.leaf(curve, "1.0.18013.5.1.6", "Foreign desk")

    def pem(self):
        return self.certificate.public_bytes(Encoding.PEM)


def issue(signer, device_key, portrait, digest="SHA-256", quirks=()):
    """A licence: its items by element, and the issuer's signature."""
    key, certificate = signer
    elements = {
        "family_name": "Mustermann", "given_name": "Erika", "birth_date": CBORTag(1004, "1984-01-26"),
        "issue_date": CBORTag(1004, "2025-01-01"), "expiry_date": CBORTag(1004, "2035-01-01"), "issuing_country": "UT",
        "issuing_authority": "Test office", "document_number": "T-1", "portrait": portrait,
        "un_distinguishing_sign": "UTO", "age_over_18": True, "age_over_21": True,
        "driving_privileges": [{"vehicle_category_code": "B", "issue_date": CBORTag(1004, "2004-01-26")}],
    }
    if "plain-dates" in quirks:
        elements.update({name: getattr(value, "value", value) for name, value in elements.items() if "date" in name})
    items, digests = {}, {}
    for number, (element, value) in enumerate(elements.items()):
        number = (1 << 31) - 1 - 7919 * number if "high-numbers" in quirks else number
        encoded = embedded(
            {"digestID": number, "random": os.urandom(24), "elementIdentifier": element, "elementValue": value})
        items[element], digests[number] = encoded, HASHES[digest](encoded).digest()
    security = {
        "version": "1.0", "digestAlgorithm": digest, "valueDigests": {NAMESPACE: digests},
        "deviceKeyInfo": {"deviceKey": device_key.cose()}, "docType": MDL,
        "validityInfo": {"signed": tdate(NOW - datetime.timedelta(days=1)),
                         "validFrom": tdate(NOW - datetime.timedelta(days=1)),
                         "validUntil": tdate(NOW + datetime.timedelta(days=90))}}
    if "own-elements" in quirks:
        security["deviceKeyInfo"]["keyAuthorizations"] = {"nameSpaces": ["org.example"]}
    if "unknown-keys" in quirks:
        security["later"] = [1]
        security["deviceKeyInfo"].update({"later": None, "keyInfo": {-3: "x"}})
        security["validityInfo"]["later"] = 1
    if "fractions" in quirks:
        security["validityInfo"].update({
            name: CBORTag(0, value.value[:-1] + ".123Z") for name, value in security["validityInfo"].items()})
    structure = sign1(key, embedded(security), [certificate], array_chain="chain-array" in quirks)
    if "text-label" in quirks:
        structure[1] = {"33": certificate}
    if "protected-chain" in quirks:
        protected = dumps({1: ALGORITHMS[key.curve][0], 33: certificate})
        structure = [protected, {}, structure[2], key.sign(dumps(["Signature1", protected, b"", structure[2]]))]
    return items, CBORTag(18, structure) if "tagged" in quirks else structure


def issue_by_library(signer, device_key, portrait):
    """A licence as `issue` has it, made by the package isomdoc."""
    key, certificate = signer
    document = create_mdoc(MDL, [x509.load_der_x509_certificate(certificate)], key.private)
    for element, value in (("family_name", "Mustermann"), ("given_name", "Erika"), ("portrait", portrait),
                           ("birth_date", CBORTag(1004, "1984-01-26")), ("issuing_country", "UT"),
                           ("age_over_18", True)):
        document.add_data_item(NAMESPACE, element, value)
    issued = loads(document.generate_credential(
        device_key.private.public_key(), valid_until_datetime=NOW + datetime.timedelta(days=90)))
    items = {loads(item.value)["elementIdentifier"]: dumps(item) for item in issued["nameSpaces"][NAMESPACE]}
    return items, issued["issuerAuth"]


def check_request(session, request, reader_key=None):
    """The elements that a request asks for, and by which certificate; raises where a signature is wrong."""
    asked, certificate = [], None
    for one in request["docRequests"]:
        items = dumps(one["itemsRequest"])
        read = loads(one["itemsRequest"].value)
        if "readerAuth" in one:
            content = embedded(array(dumps("ReaderAuthentication"), session.transcript, items))
            certificate = check_sign1(one["readerAuth"], content)
        asked.append((read["docType"], read["nameSpaces"]))
    for all_of in request.get("readerAuthAll", []):
        info = dumps(request["deviceRequestInfo"]) if "deviceRequestInfo" in request else dumps(None)
        each = [dumps(one["itemsRequest"]) for one in request["docRequests"]]
        content = embedded(array(dumps("ReaderAuthenticationAll"), session.transcript, array(*each), info))
        certificate = check_sign1(all_of, content)
    return asked, certificate


def check_response(session, response, root, reader_key):
    """Raises where a response is not genuine; returns its elements, and which proof it has."""
    if response["version"] != "1.0" or response["status"] != 0:
        raise ValueError("status %s" % response["status"])
    (document,) = response["documents"]
    issuer = document["issuerSigned"]
    certificate = check_sign1(issuer["issuerAuth"])
    certificate.verify_directly_issued_by(root)
    security = loads(loads(issuer["issuerAuth"][2]).value)
    values = {}
    for item in issuer["nameSpaces"][NAMESPACE]:
        read = loads(item.value)
        if HASHES[security["digestAlgorithm"]](dumps(item)).digest() != \
                security["valueDigests"][NAMESPACE][read["digestID"]]:
            raise ValueError("digest of %s" % read["elementIdentifier"])
        values[read["elementIdentifier"]] = read["elementValue"]
    signed = document["deviceSigned"]
    content = session.authentication(dumps(document["docType"]), dumps(signed["nameSpaces"]))
    public, curve = public_key(security["deviceKeyInfo"]["deviceKey"])
    proof = signed["deviceAuth"]
    if list(proof) == ["deviceSignature"]:
        protected, _, payload, signature = proof["deviceSignature"]
        if payload is not None:
            raise ValueError("a payload")
        verify(public, curve, signature, dumps(["Signature1", protected, b"", content]))
    elif list(proof) == ["deviceMac"]:
        mac_key = derive(reader_key.agree(public), session.salt, "EMacKey")
        if mac0(mac_key, content)[3] != proof["deviceMac"][3]:
            raise ValueError("the MAC")
    else:
        raise ValueError("proofs %s" % list(proof))
    return values, next(iter(proof))
