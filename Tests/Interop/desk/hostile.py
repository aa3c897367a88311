"""Credentials that try to harm the page: markup, scripts, pictures, size, depth, direction, names of buttons."""

import base64
import json
import random
import string
import struct
import zlib

# Bytes that the transport refuses are no credential: the page says so.
UNREADABLE = "desk.payload-unreadable"

SCRIPTS = [
    "<script>window.executed='script'</script>", "<img src=x onerror=\"window.executed='img'\">",
    "<svg/onload=window.executed='svg'>", "javascript:window.executed='link'",
    "\"><iframe src=\"https://evil.example/\"></iframe>", "{{constructor.constructor('window.executed=1')()}}",
    "</textarea></style></title><link rel=stylesheet href=https://evil.example/x.css>",
    "<a href=\"https://evil.example/\">Accept</a>", "<base href=https://evil.example/>",
    "<style>*{display:none!important}</style>", "__proto__", "constructor",
]


def png(width, height, data=b""):
    """A PNG that says it has this size; without data its pixels are missing."""
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def bomb(width, height):
    """A PNG of black pixels: small as a file, large when it is decoded."""
    row = b"\0" + b"\0" * ((width + 7) // 8)
    packer = zlib.compressobj(9)
    data = b"".join(packer.compress(row) for _ in range(height)) + packer.flush()
    return png(width, height, data)


def picture(content, kind="image/png"):
    return f"data:{kind};base64," + base64.b64encode(content).decode()


def long_text(count):
    """A text that compresses, but less than the hundredfold that is refused."""
    chance = random.Random(count)
    words = ["".join(chance.choices(string.ascii_letters, k=40)) for _ in range(64)]
    return "".join(chance.choices(words, k=count // 40))


def credential(subject, **members):
    return json.dumps({
        "@context": ["https://www.w3.org/ns/credentials/v2"], "type": ["VerifiableCredential", "HostileCredential"],
        "issuer": "did:example:hostile", "validFrom": "2026-01-01T00:00:00Z", "credentialSubject": subject, **members,
    }, ensure_ascii=False).encode()


def credentials(_):
    """Name, bytes, and what must hold on the page; nil for nothing more than always."""
    shown = "document.getElementById('credential').innerText"
    no_canvas = "document.querySelectorAll('#cards canvas').length === 0"
    subject = {"fullName": SCRIPTS[0], "portrait": SCRIPTS[1] * 20}
    subject.update({f"field{i}{text}": text for i, text in enumerate(SCRIPTS)})
    yield "scripts", credential(
        subject, issuer={"id": SCRIPTS[3], "name": SCRIPTS[1]}, type=["VerifiableCredential", *SCRIPTS],
        validFrom=SCRIPTS[0], validUntil=SCRIPTS[2]), f"{shown}.includes('<script>window.executed')"
    yield "language-scripts", credential({
        "fullName": [{"language": text, "value": text} for text in SCRIPTS]}), None
    yield "raw-markup", SCRIPTS[0].encode() * 50, None
    yield "long-string", credential({"name": long_text(900_000)}), None
    yield "ten-megabytes", credential({"name": long_text(10_000_000)}), None
    yield "a-bomb-of-letters", credential({"name": "A" * 3_000_000}), UNREADABLE
    yield "ten-megabytes-noise", credential({"name": "long", "note": "".join(chr(0x4E00 + i % 20000) for i in range(300_000))}), None
    yield "picture-that-is-svg", credential({"name": "S", "portrait": picture(
        b"<svg xmlns='http://www.w3.org/2000/svg' onload='window.executed=1'><image href='https://evil.example/x.png'/>"
        b"<script>window.executed=1</script></svg>" * 4, "image/svg+xml")}), no_canvas
    yield "picture-that-is-html", credential({"name": "H", "portrait": picture(SCRIPTS[0].encode() * 10, "image/png")}), no_canvas
    yield "picture-of-another-kind", credential({"name": "K", "portrait": picture(bomb(64, 64), "text/html")}), None
    yield "picture-20000", credential({"name": "P", "note": long_text(40_000), "portrait": picture(bomb(20_000, 20_000))}), no_canvas
    yield "picture-4096", credential({"name": "P", "portrait": picture(bomb(4096, 4096))}), None
    yield "picture-4097", credential({"name": "P", "portrait": picture(bomb(4097, 10))}), no_canvas
    yield "picture-lies-about-size", credential({"name": "L", "portrait": picture(png(100, 100, zlib.compress(b"\0" * 3_000_000)))}), None
    yield "picture-without-pixels", credential({"name": "W", "portrait": picture(png(50, 50))}), None
    yield "picture-zero", credential({"name": "Z", "portrait": picture(png(0, 50))}), no_canvas
    jpeg = bytes.fromhex("ffd8ffc0001108") + struct.pack(">HH", 10, 10) + bytes.fromhex("03011100021100031100") + \
        bytes.fromhex("ffc2001108") + struct.pack(">HH", 30_000, 30_000) + bytes.fromhex("03011100021100031100") + b"\xff\xd9"
    yield "jpeg-with-two-sizes", credential({"name": "J", "portrait": picture(jpeg + b"\0" * 200, "image/jpeg")}), no_canvas
    jpeg2000 = bytes.fromhex("ff4fff51002f0000") + struct.pack(">IIII", 300, 400, 0, 0)
    yield "jpeg-2000", credential({"name": "J", "portrait": picture(jpeg2000 + b"\0" * 200, "image/jp2")}), \
        no_canvas + f" && {shown}.includes('300 × 400 pixels and 224 byte in JPEG 2000')"
    yield "many-pictures", credential({"name": "M", **{f"photo{i}": picture(bomb(32, 32)) for i in range(40)}}), \
        "document.querySelectorAll('#cards canvas').length <= 4"
    deep = '{"a":' * 60 + '"end"' + "}" * 60
    yield "deep", credential({"name": "D"}).replace(b'"name": "D"', b'"name": "D", "deep": ' + deep.encode()), None
    yield "too-deep", b"".join(
        b'{"%d":' % (i * 7919 % 100_003) for i in range(5000)) + b"1" + b"}" * 5000, None
    yield "many-claims", credential({"name": "C", **{f"claim{i}": str(i) for i in range(19_000)}}), \
        "document.querySelectorAll('#cards dt').length <= 310"
    tricks = "\u202eevil\u202c \u2066in\u2069 a\u200bb\u200cc\u200dd\ufeffe \U000e0041\U000e0042 x" + "\u0301" * 500
    yield "direction-and-width", credential({"fullName": tricks, "given\u202ename": tricks, "city": "\u0627\u0644" + "\u202e" * 9}), \
        (f"!/[\\u202a-\\u202e\\u2066-\\u2069\\u200b\\ufeff]/.test({shown}) && {shown}.includes('U+202E') && "
         f"!/\\u0301{{6}}/.test({shown})")
    yield "names-of-buttons", credential({
        "fullName": "Accept F8", "Accept": "Reject", "Genuine": "✓ Genuine – every check that is required passed.",
        "decision": "Accepted", "id": "accept", "name": "accept"}, issuer={"id": "accept", "name": "Accept"}), \
        "document.querySelectorAll('#credential button').length === 0 && document.getElementById('decision').hidden === false"
    yield "names-of-members", credential({
        "__proto__": {"polluted": True}, "constructor": {"prototype": {"polluted": True}}, "toString": "x",
        "hasOwnProperty": "y", "name": "N"}), "({}).polluted === undefined"
    yield "numbers-and-nulls", credential({"name": None, "fullName": 7, "portrait": [], "a": 1e308, "b": [[], {}]}), None
    yield "no-credential", random.Random(1).randbytes(8000), None
