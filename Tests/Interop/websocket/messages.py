"""Cases about messages: sizes, fragmentation, UTF-8, limits."""

from frames import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, Frame, close
from table import NAMES, Case, fragments

# The limit of messages and frames of the program under test.
LIMIT = 1 << 20


def sizes():
    for size in (0, 1, 125, 126, 65535, 65536):
        for opcode in (TEXT, BINARY):
            data = b"a" * size if opcode == TEXT else bytes(number * 7 & 255 for number in range(size))
            yield Case("5.2", f"{NAMES[opcode]} of {size} bytes is echoed", (Frame(opcode, data),), ((NAMES[opcode],
                                                                                                      data),))
    many = tuple(Frame(TEXT, str(number).encode()) for number in range(50))
    yield Case("5.2", "frames in one write are told apart", many, tuple(("text", frame.payload) for frame in many))


def fragmentation():
    word = "héllo wörld €𝄞".encode()
    for opcode, data in ((TEXT, word), (BINARY, bytes(range(240, 256)))):
        name = NAMES[opcode]
        for count in range(1, len(data) + 1):
            ends = [len(data) * number // count for number in range(count + 1)]
            parts = [data[start:end] for start, end in zip(ends, ends[1:])]
            yield Case("5.4", f"{name} in {count} frames", fragments(opcode, parts), ((name, data),))
        yield Case("5.4", f"{name} with empty frames", fragments(opcode, [b"", data, b"", b""]), ((name, data),))
        yield Case("5.4", f"{name} of empty frames alone", fragments(opcode, [b"", b"", b""]), ((name, b""),))
        yield Case("5.4", f"{name} in 1000 frames", fragments(opcode, [b"a"] * 1000), ((name, b"a" * 1000),))
        first, second = fragments(opcode, [data[:3], data[3:]])
        for control in (Frame(PING), Frame(PING, b"between"), Frame(PING, b"p" * 125)):
            yield Case("5.4", f"ping of {len(control.payload)} bytes within {name}", (first, control, second),
                       (("pong", control.payload), (name, data)))
        yield Case("5.4", f"pong within {name}", (first, Frame(PONG, b"unasked"), second), ((name, data),))
        yield Case("5.4", f"three pings within {name}", (first, *[Frame(PING, bytes([n])) for n in range(3)], second),
                   (*[("pong", bytes([n])) for n in range(3)], (name, data)))
        yield Case("5.5.1", f"close within {name}", (first, close(1000)), (("close", 1000),))
        for other in (TEXT, BINARY):
            yield Case("5.4", f"{NAMES[other]} begins within {name}", (first, Frame(other, b"x")), (("close", 1002),))
            yield Case("5.4", f"{NAMES[other]} begins in fragments within {name}",
                       (first, Frame(other, b"x", final=False)), (("close", 1002),))
        yield Case("5.4", f"continuation behind a whole {name}", (Frame(opcode, b"a"), Frame(CONTINUATION, b"b")),
                   ((name, b"a"), ("close", 1002)))
        yield Case("5.4", f"continuation behind the last part of {name}", (first, second, Frame(CONTINUATION, b"b")),
                   ((name, data), ("close", 1002)))
    for final in (True, False):
        for data in (b"", b"a"):
            yield Case("5.4", f"continuation without start, final {final}, {len(data)} bytes",
                       (Frame(CONTINUATION, data, final=final),), (("close", 1002),))


# First and last characters of each length and beside the surrogates; the last two are no characters, but valid.
VALID = [0x00, 0x7F, 0x80, 0x7FF, 0x800, 0xFFF, 0x1000, 0xCFFF, 0xD000, 0xD7FF, 0xE000, 0xFFFD, 0x10000, 0x3FFFF, 0x40000,
         0xFFFFF, 0x100000, 0x10FFFF, 0xFFFE, 0xFFFF]

INVALID = {
    "lone continuation 80": b"\x80", "lone continuation bf": b"\xbf", "two continuations": b"\x80\xbf",
    "overlong 2 first": b"\xc0\x80", "overlong 2 last": b"\xc1\xbf",
    "overlong 3 first": b"\xe0\x80\x80", "overlong 3 last": b"\xe0\x9f\xbf",
    "overlong 4 first": b"\xf0\x80\x80\x80", "overlong 4 last": b"\xf0\x8f\xbf\xbf",
    "surrogate first": b"\xed\xa0\x80", "surrogate last": b"\xed\xbf\xbf", "surrogate pair": b"\xed\xa0\x80\xed\xb0\x80",
    "above U+10FFFF": b"\xf4\x90\x80\x80", "lead f5": b"\xf5\x80\x80\x80", "lead f8": b"\xf8\x88\x80\x80\x80",
    "lead fc": b"\xfc\x84\x80\x80\x80\x80", "byte fe": b"\xfe", "byte ff": b"\xff",
    "2 without continuation": b"\xc3a", "3 without continuation": b"\xe2a", "3 cut by a letter": b"\xe2\x82a",
    "4 cut by a letter": b"\xf0\x9d\x84a", "3 cut by a lead": b"\xe2\x82\xc3",
}
CUT = {"2 of 1": b"\xc3", "3 of 1": b"\xe2", "3 of 2": b"\xe2\x82", "4 of 1": b"\xf0", "4 of 2": b"\xf0\x9d",
       "4 of 3": b"\xf0\x9d\x84"}


def utf8():
    for point in VALID:
        data = b"<" + chr(point).encode() + b">"
        yield Case("8.1", f"U+{point:04X} is valid", (Frame(TEXT, data),), (("text", data),))
        for at in range(2, len(data) - 1):
            yield Case("8.1", f"U+{point:04X} over two frames, cut at {at}", fragments(TEXT, [data[:at], data[at:]]),
                       (("text", data),))
    split = "€".encode()
    yield Case("8.1", "ping within a character", (Frame(TEXT, split[:1], final=False), Frame(PING, b"\xff"),
                                                  Frame(CONTINUATION, split[1:])), (("pong", b"\xff"), ("text", split)))
    refused = (("close", 1007),)
    for name, bad in INVALID.items():
        for before in (b"", "aé€𝄞".encode(), b"a" * 130):
            yield Case("8.1", f"{name} behind {len(before)} bytes", (Frame(TEXT, before + bad + b"z"),), refused)
        yield Case("8.1", f"{name} in a first frame, at once", (Frame(TEXT, b"ab" + bad, final=False),), refused)
        yield Case("8.1", f"{name} in a further frame, at once",
                   (Frame(TEXT, b"ab", final=False), Frame(CONTINUATION, bad, final=False)), refused)
        yield Case("8.1", f"{name} within a frame, at once", (Frame(TEXT, bad, announced=10000),), refused)
        if len(bad) > 1:
            yield Case("8.1", f"{name} over two frames", fragments(TEXT, [bad[:1], bad[1:]]), refused)
        yield Case("8.1", f"{name} is fine in binary", (Frame(BINARY, bad),), (("binary", bad),))
    for name, bad in CUT.items():
        yield Case("8.1", f"message ends with a character cut, {name}", (Frame(TEXT, b"a" + bad),), refused)
        yield Case("8.1", f"last frame is empty behind a character cut, {name}", fragments(TEXT, [b"a" + bad, b""]),
                   refused)
        yield Case("8.1", f"message ends in fragments with a character cut, {name}", fragments(TEXT, [b"a", bad]), refused)
        yield Case("8.1", f"a cut character leaves nothing for the next message, {name}",
                   (Frame(TEXT, b"ok"), Frame(TEXT, bad)), (("text", b"ok"), ("close", 1007)))


def limits():
    data = b"m" * LIMIT
    for opcode in (TEXT, BINARY):
        name, half = NAMES[opcode], LIMIT // 2
        yield Case("10.4", f"{name} at the limit", (Frame(opcode, data),), ((name, data),))
        yield Case("10.4", f"{name} at the limit in two frames", fragments(opcode, [data[:half], data[half:]]), ((name,
                                                                                                                  data),))
        yield Case("10.4", f"{name} one byte past the limit", (Frame(opcode, data + b"m"),), (("close", 1009),))
        yield Case("10.4", f"{name} one byte past the limit in two frames",
                   fragments(opcode, [data[:half], data[half:] + b"m"]), (("close", 1009),))
        yield Case("10.4", f"{name} one byte past the limit by a last frame of one byte",
                   fragments(opcode, [data, b"m"]), (("close", 1009),))
        yield Case("10.4", f"{name} at the limit, empty frame behind", fragments(opcode, [data, b""]), ((name, data),))
        for length in (LIMIT + 1, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 63) - 1):
            yield Case("10.4", f"{name} that announces {length} bytes, no payload byte sent",
                       (Frame(opcode, announced=length),), (("close", 1009),))
            yield Case("10.4", f"{name} continued by a frame that announces {length} bytes, no payload byte sent",
                       (Frame(opcode, b"a", final=False), Frame(CONTINUATION, announced=length)), (("close", 1009),))
    for opcode in (CONTINUATION, TEXT, BINARY):
        start = (Frame(TEXT, b"a", final=False),) if opcode == CONTINUATION else ()
        for length in (1 << 63, (1 << 63) + 5, (1 << 64) - 1):
            yield Case("5.2", f"opcode {opcode} with the top bit of its length set, {length:#x}",
                       (*start, Frame(opcode, announced=length)), (("close", 1002),))
        for bits, lengths in ((16, (0, 1, 125)), (64, (0, 1, 125, 126, 65535))):
            for length in lengths:
                yield Case("5.2", f"opcode {opcode} of {length} bytes with a length of {bits} bits",
                           (*start, Frame(opcode, b"a" * length, length_bits=bits)), (("close", 1002),))


def all_cases():
    return [*sizes(), *fragmentation(), *utf8(), *limits()]
