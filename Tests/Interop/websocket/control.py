"""Cases about control frames, close codes, masking, reserved bits and opcodes."""

from frames import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, Frame, close
from table import Case

SENDABLE = [*range(1000, 1004), *range(1007, 1012), 1012, 1013, 1014, 3000, 3001, 3999, 4000, 4500, 4999]
UNSENDABLE = [0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1099, 1100, 1999, 2000, 2999, 5000, 5001, 32768, 65535]


def closing():
    for code in SENDABLE:
        yield Case("7.4", f"code {code} is echoed", (close(code),), (("close", code),))
        yield Case("7.4", f"code {code} with a reason is echoed", (close(code, "adiós €".encode()),), (("close", code),))
    for code in UNSENDABLE:
        yield Case("7.4", f"code {code} is refused", (close(code),), (("close", 1002),))
        yield Case("7.4", f"code {code} with a reason is refused", (close(code, b"why"),), (("close", 1002),))
    yield Case("5.5.1", "close without a code", (Frame(CLOSE),), (("close", None),))
    yield Case("5.5.1", "close of one byte", (Frame(CLOSE, b"\x03"),), (("close", 1002),))
    yield Case("5.5.1", "reason of 123 bytes", (close(1000, b"r" * 123),), (("close", 1000),))
    yield Case("5.5", "reason of 124 bytes", (close(1000, b"r" * 124),), (("close", 1002),))
    for name, bad in (("ff", b"\xff"), ("overlong", b"\xc0\xaf"), ("surrogate", b"\xed\xa0\x80"), ("cut", b"\xe2\x82"),
                      ("above U+10FFFF", b"\xf4\x90\x80\x80")):
        yield Case("5.5.1", f"reason with invalid UTF-8, {name}", (close(1000, b"a" + bad),), (("close", 1007),))
    for name, after in (("text", Frame(TEXT, b"late")), ("ping", Frame(PING, b"late")), ("close", close(1001)),
                        ("invalid frame", Frame(3, b"x")), ("64 KiB", Frame(BINARY, b"x" * 65536))):
        yield Case("5.5.1", f"{name} behind close is ignored", (close(1000), after), (("close", 1000),))
    yield Case("7.1.7", "close behind a violation is not another answer", (Frame(3), close(1000)), (("close", 1002),))


def pings():
    for size in (0, 1, 124, 125):
        data = b"\xff" * size
        yield Case("5.5.2", f"ping of {size} bytes", (Frame(PING, data),), (("pong", data),))
        yield Case("5.5.3", f"pong of {size} bytes unasked", (Frame(PONG, data),), ())
    for opcode in (CLOSE, PING, PONG):
        for size in (126, 65536):
            yield Case("5.5", f"control frame {opcode} of {size} bytes", (Frame(opcode, b"\x03\xe8" + b"a" * (size - 2)),),
                       (("close", 1002),))
        yield Case("5.5", f"control frame {opcode} that announces 126 bytes, nothing else sent",
                   (Frame(opcode, b"\x03\xe8" * 63, sent=2),), (("close", 1002),))
        for bits in (16, 64):
            yield Case("5.5", f"control frame {opcode} of 2 bytes with a length of {bits} bits",
                       (Frame(opcode, b"\x03\xe8", length_bits=bits),), (("close", 1002),))
        yield Case("5.5", f"control frame {opcode} in fragments", (Frame(opcode, final=False), Frame(CONTINUATION)),
                   (("close", 1002),))
        yield Case("5.5", f"control frame {opcode} in fragments within a message",
                   (Frame(TEXT, b"a", final=False), Frame(opcode, final=False)), (("close", 1002),))
    numbers = [str(number).encode() for number in range(200)]
    yield Case("5.5.2", "200 pings", tuple(Frame(PING, data) for data in numbers), tuple(("pong",
                                                                                          data) for data in numbers))
    yield Case("5.5.3", "200 pongs unasked", tuple(Frame(PONG, data) for data in numbers), ())
    yield Case("5.5.2", "ping, then close", (Frame(PING, b"a"), close(1000)), (("pong", b"a"), ("close", 1000)))


def masking():
    for opcode in (TEXT, BINARY, CLOSE, PING, PONG):
        for data in (b"", b"\x03\xe8"):
            yield Case("5.1", f"opcode {opcode} of {len(data)} bytes with the wrong masking",
                       (Frame(opcode, data, wrong_mask=True),), (("close", 1002),))
        yield Case("5.1", f"opcode {opcode} with the wrong masking, its second byte the last one sent",
                   (Frame(opcode, b"\x03\xe8", wrong_mask=True, sent=2),), (("close", 1002),))
    yield Case("5.1", "the second frame has the wrong masking",
               (Frame(TEXT, b"a", final=False), Frame(CONTINUATION, b"b", wrong_mask=True)), (("close", 1002),))
    yield Case("5.1", "wrong masking behind a message", (Frame(TEXT, b"a"), Frame(TEXT, b"b", wrong_mask=True)),
               (("text", b"a"), ("close", 1002)))


def reserved():
    for bits in range(1, 8):
        for opcode in (TEXT, BINARY, CLOSE, PING, PONG):
            yield Case("5.2", f"reserved bits {bits} of opcode {opcode}", (Frame(opcode, b"\x03\xe8", reserved=bits),),
                       (("close", 1002),))
        yield Case("5.2", f"reserved bits {bits} of a continuation",
                   (Frame(TEXT, b"a", final=False), Frame(CONTINUATION, b"b", reserved=bits)), (("close", 1002),))
    for opcode in (3, 4, 5, 6, 7, 11, 12, 13, 14, 15):
        for data in (b"", b"a"):
            yield Case("5.2", f"opcode {opcode} of {len(data)} bytes", (Frame(opcode, data),), (("close", 1002),))
        yield Case("5.2", f"opcode {opcode}, its first byte the only one sent", (Frame(opcode, sent=1),), (("close",
                                                                                                            1002),))
        yield Case("5.2", f"opcode {opcode} within a message", (Frame(TEXT, b"a", final=False), Frame(opcode)),
                   (("close", 1002),))


def all_cases():
    return [*closing(), *pings(), *masking(), *reserved()]
