"""Tuvali's bytes, for peers that share nothing with the Swift code: URI, advertisement, keys, chunks, reports.

Facts: the Tuvali documentation (docs.inji.io, docs.mosip.io) and what the 0.4.x and 0.5.x libraries were seen to send.
Lengths are in bytes, numbers big-endian unless said otherwise.
"""

import gzip
import os
import struct
import zlib
from urllib.parse import parse_qs, quote, urlsplit

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

PROFILES = ("0.5", "0.4")
NONCE_BYTES, KEY_BYTES, HEADER_BYTES = 12, 32, 4
IDENTIFY_BYTES = NONCE_BYTES + KEY_BYTES
SMALLEST_WRITE = 64
LARGEST_MTU = 512
MAXIMUM_CHUNKS = 32767
MAXIMUM_FAILURE_FRAMES = 15
SUCCESS = b"\x01\x00\x00"
REPORT_REQUEST = b"\x01"
DISCONNECT = b"\x01"

NAMES = (
    "identify",
    "request-size",
    "request",
    "response-size",
    "submit",
    "report-request",
    "report",
    "status",
    "disconnect",
)
WRITTEN = ("identify", "response-size", "submit", "report-request")
PUSHED = ("report", "status", "disconnect")
_NUMBERS_05 = (0x06, 0x04, 0x05, 0x07, 0x08, 0x09, 0x0A, None, 0x0B)


class WireError(Exception):
    """The error for which a stock library would end the session, with its code."""

    def __init__(self, code, text):
        super().__init__("%s: %s" % (code, text))
        self.code = code


def service_number(profile):
    """The 16-bit service that is advertised; that of the scan response is one higher."""
    return 0x0001 if profile == "0.5" else 0xAB29


def characteristic(profile, name):
    """The UUID of a characteristic: 4 hexadecimal digits, or 36 characters."""
    place = NAMES.index(name)
    if profile == "0.4":
        return "%04X" % (0x2030 + place)
    number = _NUMBERS_05[place]
    # The verification status kept its old number.
    return "2037" if number is None else "%08X-5026-444A-9E0E-D6F2450F3A77" % number


# The code that is scanned


def make_uri(name, key, with_colon):
    """The text of the QR code; releases before 0.5.2 wrote a colon after the host."""
    return "OPENID4VP://connect%s?name=%s&key=%s" % (":" if with_colon else "", quote(name), key.hex())


def parse_uri(text):
    """Name and the key's bytes of either form."""
    parts = urlsplit(text)
    fields = parse_qs(parts.query)
    if not text.startswith("OPENID4VP://") or "name" not in fields or "key" not in fields:
        raise WireError("TVW_CON_001", "this is no Tuvali code")
    try:
        return fields["name"][0], bytes.fromhex(fields["key"][0])
    except ValueError:
        raise WireError("TUV_UNK_001", "the key is not hexadecimal") from None


# The advertisement


def service_data(name, key):
    """Returns the data to advertise, and those that the scan response adds."""
    return name.encode() + b"_" + key[:5], key[5:]


def advertisement(profile, name, key):
    """Advertising data and scan response as stock Android lays them out."""
    service = struct.pack("<H", service_number(profile))
    beside = struct.pack("<H", service_number(profile) + 1)
    first, rest = service_data(name, key)

    def structure(kind, value):
        return bytes([len(value) + 1, kind]) + value

    data = structure(0x01, b"\x02") + structure(0x03, service) + structure(0x16, service + first)
    response = structure(0x16, beside + rest)
    if len(data) > 31 or len(response) > 31:
        raise ValueError("the name has at most 14 bytes")
    return data, response


def key_on_air(profile, name, key, found):
    """The verifier's key if `found`, the values of all service data, is that of the URI's verifier; else nothing.

    As stock wallets do it: name and five key bytes have to match, the key is taken from the air.
    """
    service = struct.pack("<H", service_number(profile))
    beside = struct.pack("<H", service_number(profile) + 1)
    values = {value[:2]: value[2:] for value in found}
    if values.get(service) != service_data(name, key)[0] or beside not in values:
        return None
    return values[service][-5:] + values[beside]


# Keys


def public_bytes(private):
    return private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def agree(private, peer):
    """X25519 of our private key and the peer's 32 bytes."""
    try:
        return private.exchange(X25519PublicKey.from_public_bytes(peer))
    except ValueError:
        raise WireError("TVV_UNK_002", "the peer's key has a low order") from None


def derive(secret, whose):
    """The key of one direction: `whose` is Wallet or Verifier, the receiver's."""
    return HKDF(SHA256(), 32, b"SHA-256", b"SK" + whose.encode()).derive(secret)


def seal(key, nonce, data):
    """AES-256-GCM with the nonce of the identify message, the tag behind."""
    return AESGCM(key).encrypt(nonce, data, None)


def unseal(key, nonce, data):
    try:
        return AESGCM(key).decrypt(nonce, data, None)
    except InvalidTag:
        raise WireError("TVV_UNK_003", "the data are not authentic") from None


def seal_payload(key, nonce, payload):
    return seal(key, nonce, gzip.compress(payload, mtime=0))


def unseal_payload(key, nonce, sealed, limit=16 << 20):
    expander = zlib.decompressobj(wbits=31)
    try:
        payload = expander.decompress(unseal(key, nonce, sealed), limit)
    except zlib.error:
        raise WireError("TVV_UNK_003", "the data are not gzip") from None
    if not expander.eof:
        raise WireError("TVV_UNK_003", "the data are cut, or expand to more than %d bytes" % limit)
    return payload


def identify(private, nonce=None):
    """The identify message: nonce and public key."""
    return (nonce or os.urandom(NONCE_BYTES)) + public_bytes(private)


def keys_of_wallet(private, verifier_key):
    """The key that the wallet seals with."""
    return derive(agree(private, verifier_key), "Verifier")


def keys_of_verifier(private, message):
    """Nonce and key of an identify message."""
    nonce, wallet_key = message[:NONCE_BYTES], message[NONCE_BYTES:IDENTIFY_BYTES]
    return nonce, derive(agree(private, wallet_key), "Verifier")


def private_key(data=None):
    return X25519PrivateKey.from_private_bytes(data) if data else X25519PrivateKey.generate()


# Chunks


def _kermit_table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x8408 if value & 1 else 0)
        table.append(value)
    return table


_TABLE = _kermit_table()


def crc(data):
    """CRC-16/KERMIT."""
    value = 0
    for byte in data:
        value = value >> 8 ^ _TABLE[(value ^ byte) & 0xFF]
    return value


def write_bytes(mtu):
    """The longest write of Android, in both roles."""
    return min(mtu, LARGEST_MTU) - 3


def chunk_count(total, write):
    return -(-total // (write - HEADER_BYTES))


def chunk(sealed, number, write):
    """The chunk with a number from 1."""
    step = write - HEADER_BYTES
    part = sealed[(number - 1) * step : number * step]
    return struct.pack(">HH", number, crc(part)) + part


class Assembler:
    """Puts chunks together as stock verifiers do."""

    def __init__(self, total, write):
        self.total, self.write = total, write
        self.count = chunk_count(total, write)
        self.data = bytearray(total)
        self.met = set()
        self.corrupt = 0
        self.repeated = 0

    def is_whole(self):
        return len(self.met) == self.count

    def take(self, value):
        if self.is_whole() or not HEADER_BYTES <= len(value) <= self.write:
            return
        number, check = struct.unpack_from(">HH", value)
        part = value[HEADER_BYTES:]
        if crc(part) != check:
            self.corrupt += 1
            return
        start = (number - 1) * (self.write - HEADER_BYTES)
        if not 1 <= number <= self.count or start + len(part) > self.total:
            raise WireError("TVV_UNK_003", "chunk %d has no place" % number)
        self.repeated += number in self.met
        self.met.add(number)
        self.data[start : start + len(part)] = part

    def missing(self):
        return [number for number in range(1, self.count + 1) if number not in self.met]


# Reports


def report_of(missing, write):
    """The answer to a report request: success, or the first page of what is missing."""
    if not missing:
        return SUCCESS
    per_page = (write - 3) // 2
    pages = -(-len(missing) // per_page)
    return struct.pack(">BH", 0, pages) + b"".join(struct.pack(">H", number) for number in missing[:per_page])


def parse_report(value, count):
    """Nothing for success, else the numbers of missing chunks; an odd byte at the end is dropped."""
    if not value or value[0] not in (0, 1):
        raise WireError("TVW_UNK_002", "the report has an unknown type")
    if value[0] == 1:
        return None
    numbers = [number for (number,) in struct.iter_unpack(">H", value[3 : 3 + (len(value) - 3) // 2 * 2])]
    if not all(1 <= number <= count for number in numbers):
        raise WireError("TVW_UNK_003", "the report asks for a chunk that does not exist")
    return numbers
