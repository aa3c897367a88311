#!/usr/bin/env python3
"""Writes Examples/credentials/national-id.json, the credential that `symbolon demo` hands over, and the wallet in
Examples/wallet: an SD-JWT of the same person, and the key of its holder.

The person, the country and the portrait do not exist: the face is computed below, encoded as a baseline JPEG by the
encoder below, and the keys of issuer and holder come from fixed seeds. The same files come out on every run, from the
standard library alone. With --check the files are compared, not written, and their signatures are verified.
"""

import base64
import hashlib
import json
import math
import pathlib
import struct
import sys

TARGET = pathlib.Path(__file__).resolve().parent / "credentials" / "national-id.json"
WALLET = TARGET.parent.parent / "wallet"
ISSUER = hashlib.sha256(b"symbolon example issuer, never for real use").digest()
HOLDER = hashlib.sha256(b"symbolon example holder, never for real use").digest()
WIDTH, HEIGHT, QUALITY, GRAIN = 352, 448, 90, 10.0


# Portrait ------------------------------------------------------------------------------------------------------------


def smooth(low, high, x):
    """0 up to low, 1 from high on, and a soft step between; works downwards too."""
    t = min(1.0, max(0.0, (x - low) / (high - low)))
    return t * t * (3 - 2 * t)


def ellipse(x, y, cx, cy, rx, ry, soft=0.03):
    """How much of the point lies in an ellipse, 0 to 1."""
    d = math.hypot((x - cx) / rx, (y - cy) / ry)
    return 1 - smooth(1 - soft, 1 + soft, d)


def mix(below, above, share):
    return tuple(b + (a - b) * share for b, a in zip(below, above))


def shade(colour, factor):
    return tuple(channel * factor for channel in colour)


def background(x, y):
    return mix((206, 214, 219), (158, 172, 184), smooth(-1.0, 1.2, y + 0.35 * x))


def clothing(x, y, colour):
    shoulder = 0.80 + 0.42 * (abs(x) / 0.95) ** 2.4
    share = smooth(shoulder - 0.012, shoulder + 0.012, y) * (1 - smooth(0.94, 0.97, abs(x)))
    fold = 1 + 0.10 * math.sin(9 * x + 3 * y) * smooth(0.85, 1.2, y) - 0.25 * abs(x)
    colour = mix(colour, shade((62, 84, 112), fold), share)
    collar = ellipse(x, y, 0, 0.72, 0.34, 0.26) * smooth(0.70, 0.76, y)
    return mix(colour, shade((228, 226, 220), 1 - 0.3 * abs(x)), collar * 0.95)


def neck(x, y, colour):
    width = 0.215 + 0.05 * smooth(0.62, 0.9, y)
    share = (1 - smooth(width - 0.015, width + 0.015, abs(x))) * smooth(0.3, 0.32, y)
    share *= 1 - smooth(0.86, 0.90, y + 0.5 * abs(x))
    shadow = 0.74 + 0.16 * smooth(0.58, 0.85, y) - 0.30 * smooth(0.0, 0.3, x)
    return mix(colour, shade((201, 148, 118), shadow), share)


def hair_behind(x, y, colour):
    share = ellipse(x, y, 0, -0.20, 0.585, 0.66, 0.02)
    share = max(share, ellipse(x, y, -0.44, 0.22, 0.16, 0.42, 0.06), ellipse(x, y, 0.44, 0.22, 0.16, 0.42, 0.06))
    strand = 1 + 0.20 * math.sin(46 * x + 7 * math.sin(5 * y)) + 0.25 * smooth(0.25, -0.5, x + 0.3 * y)
    return mix(colour, shade((58, 41, 32), strand), share)


def face_shape(x, y):
    jaw = 1 - 0.30 * smooth(0.10, 0.62, y) * abs(x) / 0.43
    return ellipse(x / jaw, y, 0, -0.01, 0.445, 0.615, 0.025)


def face(x, y, colour):
    for side in (-1, 1):
        ear = ellipse(x, y, side * 0.455, 0.02, 0.055, 0.125, 0.08)
        colour = mix(colour, shade((196, 140, 112), 0.95 - 0.12 * side), ear)
    nx, ny = x / 0.50, (y + 0.05) / 0.72
    light = max(0.0, 1 - nx * nx - ny * ny) ** 0.5
    lambert = 0.66 + 0.36 * max(0.0, 0.78 * light - 0.42 * nx - 0.34 * ny)
    skin = shade((226, 172, 140), lambert)
    for side in (-1, 1):
        blush = ellipse(x, y, side * 0.245, 0.165, 0.15, 0.11, 0.9)
        skin = mix(skin, shade((214, 128, 108), lambert), 0.38 * blush)
        socket = ellipse(x, y, side * 0.185, -0.075, 0.14, 0.085, 0.8)
        skin = mix(skin, shade(skin, 0.82), 0.75 * socket)
    return mix(colour, skin, face_shape(x, y))


def nose(x, y, colour):
    bridge = ellipse(x, y, 0.045, 0.035, 0.028, 0.19, 0.9)
    colour = mix(colour, shade(colour, 0.84), 0.6 * bridge)
    tip = ellipse(x, y, 0, 0.185, 0.075, 0.058, 0.8)
    colour = mix(colour, shade((232, 178, 148), 1.04), 0.45 * tip)
    for side in (-1, 1):
        wing = ellipse(x, y, side * 0.066, 0.205, 0.036, 0.034, 0.7)
        colour = mix(colour, shade(colour, 0.84), 0.7 * wing)
        nostril = ellipse(x, y, side * 0.036, 0.225, 0.022, 0.011, 0.5)
        colour = mix(colour, (112, 66, 54), 0.85 * nostril)
    under = ellipse(x, y, 0.01, 0.262, 0.09, 0.02, 0.9)
    return mix(colour, shade(colour, 0.86), 0.6 * under)


def mouth(x, y, colour):
    smile = 0.9 * x * x
    v = y + smile
    colour = mix(colour, shade(colour, 0.84), 0.5 * ellipse(x, v, 0, 0.445, 0.12, 0.022, 0.9))
    upper = ellipse(x, v, 0, 0.345, 0.158, 0.030, 0.25) * (1 - smooth(0.352, 0.360, v))
    dip = 1 - 0.9 * ellipse(x, v, 0, 0.314, 0.022, 0.014, 0.7)
    colour = mix(colour, (176, 92, 88), 0.9 * upper * dip)
    lower = ellipse(x, v, 0, 0.358, 0.145, 0.048, 0.25) * smooth(0.350, 0.358, v)
    colour = mix(colour, shade((198, 112, 104), 1.06 - 1.2 * abs(v - 0.378)), 0.9 * lower)
    line = ellipse(x, v, 0, 0.354, 0.165, 0.0065, 0.6)
    return mix(colour, (106, 48, 48), 0.85 * line)


def eye(x, y, colour, side):
    cx, cy = side * 0.185, -0.065
    u, v = x - cx, y - cy
    white = min(ellipse(u, v, 0, 0.030, 0.098, 0.072, 0.06), ellipse(u, v, 0, -0.030, 0.098, 0.072, 0.06))
    colour = mix(colour, shade((242, 238, 234), 0.88 + 1.6 * min(0.08, v + 0.03)), white)
    ring = ellipse(u, v, 0.004, -0.002, 0.043, 0.043, 0.12) * white
    angle = math.atan2(v, u)
    fibre = 1 + 0.16 * math.sin(17 * angle) + 0.1 * math.sin(29 * angle + 1)
    colour = mix(colour, shade((84, 104, 92), fibre), ring)
    colour = mix(colour, (44, 54, 50), 0.8 * (ring - ellipse(u, v, 0.004, -0.002, 0.037, 0.037, 0.15) * white))
    colour = mix(colour, (18, 16, 18), ellipse(u, v, 0.004, -0.002, 0.018, 0.018, 0.2) * white)
    colour = mix(colour, (252, 252, 250), ellipse(u, v, -0.010, -0.016, 0.0085, 0.0085, 0.3) * white)
    lid = ellipse(u, v, 0, -0.030, 0.108, 0.078, 0.05) - ellipse(u, v, 0, -0.018, 0.106, 0.074, 0.05)
    upper = max(0.0, ellipse(u, v, 0, 0.022, 0.108, 0.072, 0.05) - ellipse(u, v, 0, 0.034, 0.106, 0.074, 0.05))
    colour = mix(colour, (46, 32, 28), 0.95 * upper * (1 - smooth(0.004, 0.02, v)))
    return mix(colour, shade(colour, 0.80), 0.5 * max(0.0, lid) * smooth(-0.02, 0.03, v))


def brow(x, y, colour, side):
    u = (x - side * 0.19) * side
    arch = -0.195 - 0.035 * math.cos(u * 11) + 0.10 * max(0.0, u) ** 1.5
    thickness = 0.024 * (1 - 0.55 * smooth(-0.02, 0.13, u))
    share = (1 - smooth(thickness * 0.6, thickness * 1.25, abs(y - arch))) * smooth(-0.135, -0.10, u)
    share *= 1 - smooth(0.10, 0.135, u)
    hairs = 0.94 + 0.06 * math.sin(150 * u + 60 * y)
    return mix(colour, (62, 44, 36), 0.85 * share * hairs)


def fringe(x, y, colour):
    parting = -0.36 + 0.17 * smooth(-0.10, 0.45, x) + 0.20 * smooth(-0.12, -0.46, x) + 0.5 * max(0, abs(x) - 0.30)
    share = ellipse(x, y, 0, -0.20, 0.575, 0.655, 0.02) * (1 - smooth(parting - 0.035, parting + 0.02, y))
    strand = 1 + 0.22 * math.sin(60 * x * (1.2 + y) + 4 * math.sin(7 * x)) + 0.45 * ellipse(x, y, -0.20, -0.60, 0.24, 0.14, 0.9)
    return mix(colour, shade((66, 46, 36), strand), share)


def portrait():
    """The picture, row by row, as triples of red, green and blue."""
    state = 0x2545F491
    rows = []
    for row in range(HEIGHT):
        line = []
        for column in range(WIDTH):
            x = (column + 0.5) / WIDTH * 1.9 - 0.95
            y = ((row + 0.5) / HEIGHT * 2.418) - 1.06
            colour = hair_behind(x, y, background(x, y))
            colour = clothing(x, y, neck(x, y, colour))
            colour = face(x, y, colour)
            colour = mouth(x, y, nose(x, y, colour))
            for side in (-1, 1):
                colour = brow(x, y, eye(x, y, colour, side), side)
            colour = fringe(x, y, colour)
            noise = 0.0
            for _ in range(4):
                state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
                noise += (state >> 8) / 0x1000000 - 0.5
            line.append(tuple(min(255.0, max(0.0, channel + GRAIN * noise)) for channel in colour))
        rows.append(line)
    return rows


# Baseline JPEG (ITU-T T.81), 4:2:0; quantisation after the examples of annex K, Huffman codes made to measure ----------

LUMINANCE = [
    16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51,
    87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101,
    72, 92, 95, 98, 112, 100, 103, 99,
]
CHROMINANCE = [99] * 64
for index, value in {0: 17, 1: 18, 2: 24, 3: 47, 8: 18, 9: 21, 10: 26, 11: 66, 16: 24, 17: 26, 18: 56, 24: 47, 25: 66}.items():
    CHROMINANCE[index] = value

ZIGZAG = sorted(range(64), key=lambda i: (i // 8 + i % 8, i // 8 if (i // 8 + i % 8) % 2 else i % 8))
COSINE = [[math.cos((2 * x + 1) * u * math.pi / 16) * (math.sqrt(0.125) if u == 0 else 0.5) for x in range(8)] for u in range(8)]


def quantiser(base):
    scale = 5000 // QUALITY if QUALITY < 50 else 200 - 2 * QUALITY
    return [min(255, max(1, (value * scale + 50) // 100)) for value in base]


def huffman_lengths(frequencies):
    """Code lengths of at most 16 bits by T.81 annex K.2; no code is all ones."""
    frequency = dict(frequencies)
    frequency[256] = 1
    groups = [(count, symbol, [symbol]) for symbol, count in sorted(frequency.items())]
    length = {symbol: 0 for symbol in frequency}
    while len(groups) > 1:
        groups.sort(key=lambda group: (-group[0], group[1]))
        one, two = groups.pop(), groups.pop()
        for symbol in one[2] + two[2]:
            length[symbol] += 1
        groups.append((one[0] + two[0], max(one[1], two[1]), one[2] + two[2]))
    counts = [0] * 64
    for bits in length.values():
        counts[bits] += 1
    for bits in range(63, 16, -1):
        while counts[bits]:
            shorter = max(j for j in range(bits - 1) if counts[j])
            counts[bits] -= 2
            counts[bits - 1] += 1
            counts[shorter + 1] += 2
            counts[shorter] -= 1
    counts[max(bits for bits in range(17) if counts[bits])] -= 1
    ordered = sorted((symbol for symbol in frequency if symbol != 256), key=lambda symbol: (length[symbol], symbol))
    return counts[1:17], ordered


def huffman_codes(counts, symbols):
    codes, code, position = {}, 0, 0
    for bits, count in enumerate(counts, 1):
        for symbol in symbols[position:position + count]:
            codes[symbol] = (code, bits)
            code += 1
        position += count
        code <<= 1
    return codes


def transform(block, table):
    """Forward cosine transform and quantisation of 8 by 8 samples, in zigzag order."""
    rows = [[sum(COSINE[u][x] * line[x] for x in range(8)) for u in range(8)] for line in block]
    flat = [sum(COSINE[v][y] * rows[y][u] for y in range(8)) for v in range(8) for u in range(8)]
    return [int(math.floor(flat[i] / table[i] + 0.5)) for i in ZIGZAG]


def planes(picture):
    full = [[(0.299 * r + 0.587 * g + 0.114 * b - 128) for r, g, b in line] for line in picture]
    halves = ([], [])
    for row in range(0, HEIGHT, 2):
        lines = ([], [])
        for column in range(0, WIDTH, 2):
            four = [picture[row + i][column + j] for i in (0, 1) for j in (0, 1)]
            r, g, b = (sum(p[c] for p in four) / 4 for c in range(3))
            lines[0].append(-0.168736 * r - 0.331264 * g + 0.5 * b)
            lines[1].append(0.5 * r - 0.418688 * g - 0.081312 * b)
        halves[0].append(lines[0])
        halves[1].append(lines[1])
    return full, halves[0], halves[1]


def symbols_of(coefficients, previous):
    """The run-length symbols of a block: (is DC, symbol, value bits, their count)."""
    def sized(value):
        bits = abs(value).bit_length()
        return bits, value if value >= 0 else value + (1 << bits) - 1

    bits, value = sized(coefficients[0] - previous)
    found = [(True, bits, value, bits)]
    run = 0
    last = max((i for i in range(1, 64) if coefficients[i]), default=0)
    for i in range(1, last + 1):
        if coefficients[i] == 0:
            run += 1
            continue
        while run > 15:
            found.append((False, 0xF0, 0, 0))
            run -= 16
        bits, value = sized(coefficients[i])
        found.append((False, run << 4 | bits, value, bits))
        run = 0
    if last < 63:
        found.append((False, 0, 0, 0))
    return found


def jpeg(picture):
    tables = [quantiser(LUMINANCE), quantiser(CHROMINANCE)]
    luma, blue, red = planes(picture)
    stream, previous = [], [0, 0, 0]

    def block(component, plane, row, column):
        samples = [plane[row + i][column:column + 8] for i in range(8)]
        coefficients = transform(samples, tables[min(component, 1)])
        for entry in symbols_of(coefficients, previous[component]):
            stream.append((min(component, 1),) + entry)
        previous[component] = coefficients[0]

    for row in range(0, HEIGHT, 16):
        for column in range(0, WIDTH, 16):
            for i in (0, 8):
                for j in (0, 8):
                    block(0, luma, row + i, column + j)
            block(1, blue, row // 2, column // 2)
            block(2, red, row // 2, column // 2)

    frequencies = {}
    for group, is_dc, symbol, _, _ in stream:
        counts = frequencies.setdefault((group, is_dc), {})
        counts[symbol] = counts.get(symbol, 0) + 1
    lengths = {key: huffman_lengths(counts) for key, counts in frequencies.items()}
    codes = {key: huffman_codes(*value) for key, value in lengths.items()}

    def segment(marker, payload):
        return bytes([0xFF, marker]) + struct.pack(">H", len(payload) + 2) + payload

    out = b"\xff\xd8" + segment(0xE0, b"JFIF\0\x01\x01\0\0\x01\0\x01\0\0")
    for number, table in enumerate(tables):
        out += segment(0xDB, bytes([number]) + bytes(table[i] for i in ZIGZAG))
    out += segment(0xC0, struct.pack(">BHHB", 8, HEIGHT, WIDTH, 3) + bytes([1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1]))
    for (group, is_dc), (counts, symbols) in sorted(lengths.items()):
        out += segment(0xC4, bytes([(0 if is_dc else 0x10) | group]) + bytes(counts) + bytes(symbols))
    out += segment(0xDA, bytes([3, 1, 0, 2, 0x11, 3, 0x11, 0, 63, 0]))
    return out + entropy_coded(stream, codes) + b"\xff\xd9"


def entropy_coded(stream, codes):
    out, buffer, held = bytearray(), 0, 0
    for group, is_dc, symbol, value, bits in stream:
        code, length = codes[(group, is_dc)][symbol]
        for part, count in ((code, length), (value, bits)):
            buffer = buffer << count | part
            held += count
        while held >= 8:
            held -= 8
            byte = buffer >> held & 0xFF
            out.append(byte)
            if byte == 0xFF:
                out.append(0)
        buffer &= (1 << held) - 1
    if held:
        byte = (buffer << 8 - held | (1 << 8 - held) - 1) & 0xFF
        out += bytes([byte, 0]) if byte == 0xFF else bytes([byte])
    return bytes(out)


# Ed25519 (RFC 8032), base58, canonical JSON and the proof (Data Integrity, eddsa-jcs-2022) ----------------------------

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P


def add(one, two):
    a, b = (one[1] - one[0]) * (two[1] - two[0]) % P, (one[1] + one[0]) * (two[1] + two[0]) % P
    c, d = 2 * one[3] * two[3] * D % P, 2 * one[2] * two[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(scalar, point):
    result = (0, 1, 1, 0)
    while scalar:
        if scalar & 1:
            result = add(result, point)
        point, scalar = add(point, point), scalar >> 1
    return result


def recover(y, sign):
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if (x * x - square) % P:
        raise ValueError("not a point of the curve")
    x = P - x if x & 1 != sign else x
    return x, y, 1, x * y % P


BASE = recover(4 * pow(5, -1, P) % P, 0)


def packed(point):
    inverse = pow(point[2], -1, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def number(data):
    return int.from_bytes(data, "little")


def expand(seed):
    digest = hashlib.sha512(seed).digest()
    return number(digest[:32]) & (1 << 254) - 8 | 1 << 254, digest[32:]


def sign(seed, message):
    secret, prefix = expand(seed)
    public = packed(times(secret, BASE))
    nonce = number(hashlib.sha512(prefix + message).digest()) % ORDER
    commitment = packed(times(nonce, BASE))
    challenge = number(hashlib.sha512(commitment + public + message).digest()) % ORDER
    return commitment + ((nonce + challenge * secret) % ORDER).to_bytes(32, "little")


def is_valid(public, message, signature):
    y = number(public)
    point = recover(y & (1 << 255) - 1, y >> 255)
    challenge = number(hashlib.sha512(signature[:32] + public + message).digest()) % ORDER
    left = times(number(signature[32:]), BASE)
    r = number(signature[:32])
    right = add(recover(r & (1 << 255) - 1, r >> 255), times(challenge, point))
    return packed(left) == packed(right)


ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def base58(data):
    value, text = int.from_bytes(data, "big"), ""
    while value:
        value, digit = divmod(value, 58)
        text = ALPHABET[digit] + text
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + text


def unbase58(text, length):
    value = 0
    for character in text:
        value = value * 58 + ALPHABET.index(character)
    return value.to_bytes(length, "big")


def canonical(value):
    """JSON Canonicalization Scheme, for the strings, lists and objects with ASCII names that occur here."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def signed_bytes(credential):
    document = {name: value for name, value in credential.items() if name != "proof"}
    options = {name: value for name, value in credential["proof"].items() if name != "proofValue"}
    return hashlib.sha256(canonical(options)).digest() + hashlib.sha256(canonical(document)).digest()


def is_authentic(credential):
    public = unbase58(credential["issuer"].removeprefix("did:key:z"), 34)[2:]
    signature = unbase58(credential["proof"]["proofValue"][1:], 64)
    return is_valid(public, signed_bytes(credential), signature)


def credential():
    seed = ISSUER
    key = "z" + base58(b"\xed\x01" + packed(times(expand(seed)[0], BASE)))
    contexts = ["https://www.w3.org/ns/credentials/v2", "https://www.w3.org/ns/credentials/examples/v2"]
    document = {
        "@context": contexts,
        "id": "urn:uuid:0d9f3b52-7a64-4c1e-8f5d-2b6e91c4a7d8",
        "type": ["VerifiableCredential", "NationalIdentityCredential"],
        "issuer": "did:key:" + key,
        "validFrom": "2025-09-01T00:00:00Z",
        "validUntil": "2035-08-31T23:59:59Z",
        "credentialSubject": {
            "id": "did:example:ilvane-torsdatter",
            "documentNumber": "NV-4471-0932-86",
            "givenName": [{"language": "eng", "value": "Ilvane"}, {"language": "ell", "value": "Ιλβάνη"}],
            "familyName": [{"language": "eng", "value": "Torsdatter"}, {"language": "ell", "value": "Τόρσντατερ"}],
            "birthDate": "1994-02-17",
            "birthPlace": "Port Anselm",
            "nationality": "Republic of Nordvale",
            "sex": "F",
            "address": {"street": "Lighthouse Steps 9", "locality": "Port Anselm", "region": "Outer Sound", "postalCode": "NV-2084"},
            "portrait": "data:image/jpeg;base64," + base64.b64encode(jpeg(portrait())).decode(),
        },
    }
    document["proof"] = {
        "type": "DataIntegrityProof",
        "cryptosuite": "eddsa-jcs-2022",
        "created": "2025-09-01T00:00:00Z",
        "verificationMethod": "did:key:" + key + "#" + key,
        "proofPurpose": "assertionMethod",
        "@context": contexts,
    }
    document["proof"]["proofValue"] = "z" + base58(sign(seed, signed_bytes(document)))
    return document


# The wallet: an SD-JWT VC (RFC 9901) with a disclosure for each claim, and the key of its holder (RFC 8037) -----------


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def public_key(seed):
    return packed(times(expand(seed)[0], BASE))


def holder_key():
    return {"kty": "OKP", "crv": "Ed25519", "x": encoded(public_key(HOLDER)), "d": encoded(HOLDER)}


def sd_jwt():
    key = "z" + base58(b"\xed\x01" + public_key(ISSUER))
    claims = {"given_name": "Ilvane", "family_name": "Torsdatter", "birthdate": "1994-02-17", "age_over_18": True,
              "nationality": "Republic of Nordvale"}
    disclosures = []
    for name, value in claims.items():
        salt = encoded(hashlib.sha256(b"symbolon example salt " + name.encode()).digest()[:16])
        disclosures.append(encoded(json.dumps([salt, name, value]).encode()))
    payload = {
        "iss": "did:key:" + key, "vct": "NationalIdentityCredential", "iat": 1756684800, "exp": 2072303999,
        "cnf": {"jwk": {name: value for name, value in holder_key().items() if name != "d"}},
        "_sd_alg": "sha-256", "_sd": sorted(encoded(hashlib.sha256(text.encode()).digest()) for text in disclosures),
    }
    header = {"alg": "EdDSA", "typ": "dc+sd-jwt", "kid": "did:key:" + key + "#" + key}
    signed = encoded(canonical(header)) + "." + encoded(canonical(payload))
    signature = sign(ISSUER, signed.encode())
    if not is_valid(public_key(ISSUER), signed.encode(), signature):
        sys.exit("the signature of the SD-JWT does not verify")
    return signed + "." + encoded(signature) + "~" + "".join(text + "~" for text in disclosures)


def main():
    text = json.dumps(credential(), indent=2, ensure_ascii=False) + "\n"
    if not is_authentic(json.loads(text)):
        sys.exit("the signature does not verify")
    files = {
        TARGET: text, WALLET / "national-id.sd-jwt": sd_jwt() + "\n",
        WALLET / "holder.jwk": json.dumps(holder_key(), indent=2) + "\n",
    }
    for target, text in files.items():
        if sys.argv[1:] == ["--check"]:
            if target.read_text(encoding="utf-8") != text:
                sys.exit(f"{target.name} is not what this script writes")
            print(f"{target.name} is what this script writes")
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
            print(f"{target.name}: {len(text.encode())} bytes")


if __name__ == "__main__":
    main()
