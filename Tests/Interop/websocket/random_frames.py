"""Random sequences of frames in random pieces, the handshake before them: our server answers as RFC 6455 has it.

A sequence ends with a close frame or with one frame that breaks a rule. What the server echoes before its close frame is a first part
of the messages, because it may close before the handler has answered; its close frame has the code of the rule.
"""

import random
import struct
import types

from clients import connect
from frames import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, Frame, FrameReader, close
from peers import CaseFailed
from table import close_code

ROUNDS = 1500
HANDSHAKE = (
    b"GET /echo HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
LIMIT = 1 << 20
TEXTS = ["", "a", "é€😀", "x" * 200, "\0", "ab" * 40_000]
BAD_UTF8 = [b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\x80", b"\xf5", b"a\xff", b"\xe2\x82"]
RESERVED_OPCODES = [3, 4, 5, 6, 7, 11, 12, 13, 14, 15]
BAD_CODES = [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535]
GOOD_CODES = [1000, 1001, 1003, 1007, 1011, 1014, 3000, 4999]


class Sequence:
    """Frames, the messages in them, the payloads of pings, and the code with which the server closes."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.frames, self.messages, self.pings, self.code = [], [], [], 1000
        for _ in range(self.random.randint(1, 8)):
            kind = self.random.random()
            if kind < 0.15:
                self.ping()
            elif kind < 0.2:
                self.frames.append(Frame(PONG, b"unasked"))
            elif kind < 0.7:
                self.message()
            else:
                self.end()
                return
        self.frames.append(close(1000))

    def ping(self):
        payload = self.random.randbytes(self.random.choice([0, 1, 5, 125]))
        self.frames.append(Frame(PING, payload))
        self.pings.append(payload)

    def message(self):
        opcode = self.random.choice([TEXT, BINARY])
        whole = self.random.choice(TEXTS).encode() if opcode == TEXT else self.random.randbytes(self.random.choice([0, 1, 126, 300]))
        cuts = sorted(self.random.randint(0, len(whole)) for _ in range(self.random.randint(0, 3)))
        for number, (start, stop) in enumerate(zip([0, *cuts], [*cuts, len(whole)])):
            final = number == len(cuts)
            self.frames.append(Frame(CONTINUATION if number else opcode, whole[start:stop], final=final))
            if not final and self.random.random() < 0.3:
                self.ping()
        self.messages.append((opcode, whole))

    def end(self):
        opcode = self.random.choice([TEXT, BINARY])
        begun = Frame(opcode, b"abc", final=False)
        code = self.random.choice(GOOD_CODES)
        self.code, self.frames[len(self.frames):] = self.random.choice([
            (1002, [Frame(opcode, b"abc", reserved=self.random.randint(1, 7))]),
            (1002, [Frame(self.random.choice(RESERVED_OPCODES), b"abc")]),
            (1002, [Frame(self.random.choice([CLOSE, PING, PONG]), b"abc", final=False)]),
            (1002, [Frame(CONTINUATION, b"abc")]),
            (1002, [begun, Frame(opcode, b"d")]),
            (1002, [Frame(opcode, b"abc", wrong_mask=True)]),
            (1002, [Frame(self.random.choice([CLOSE, PING, PONG]), bytes(126))]),
            (1002, [Frame(CLOSE, b"\x03")]),
            (1002, [close(self.random.choice(BAD_CODES), b"r")]),
            (1002, [Frame(opcode, announced=self.random.choice([1 << 63, (1 << 64) - 1]), length_bits=64)]),
            (1002, [Frame(opcode, bytes(self.random.choice([0, 5, 125])), length_bits=self.random.choice([16, 64]))]),
            (1009, [Frame(opcode, announced=self.random.choice([LIMIT + 1, 1 << 32, 1 << 62]), length_bits=64)]),
            (1009, [begun, Frame(CONTINUATION, announced=LIMIT - 2, length_bits=64)]),
            (1007, [Frame(TEXT, self.random.choice(BAD_UTF8))]),
            (1007, [Frame(TEXT, b"ab\xe2\x82", final=False), Frame(CONTINUATION, self.random.choice([b"", b"a", b"\xff"]))]),
            (1007, [Frame(CLOSE, struct.pack(">H", 1000) + self.random.choice(BAD_UTF8))]),
            (code, [close(code, "né".encode()), Frame(TEXT, b"behind the end")]),
            (None, [Frame(CLOSE), Frame(TEXT, b"behind the end")]),
        ])

    def pieces(self, data):
        way = self.random.randrange(4)
        if way == 0:
            return [data]
        if way == 1 and len(data) < 3000:
            return [data[at:at + 1] for at in range(len(data))]
        cuts = sorted(self.random.randint(1, len(data) - 1) for _ in range(5))
        return [data[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(data)])]


def converse(sequence, stream):
    """Sends a sequence, and checks the answers."""
    data = HANDSHAKE + b"".join(frame.encode(by_client=True) for frame in sequence.frames)
    stream.settimeout(60)
    received = b""
    try:
        for piece in sequence.pieces(data):
            stream.sendall(piece)
    except OSError:
        pass  # It has closed; its close frame can still be read.
    try:
        while more := stream.recv(1 << 16):
            received += more
    except ConnectionResetError:
        pass  # What it did not read was on its way.
    head, _, rest = received.partition(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 101 "):
        raise CaseFailed(f"the handshake is answered with {head[:40]}")
    reader = FrameReader(from_client=False)
    reader.bytes += rest
    found = []
    while (frame := reader.next()) is not None:
        found.append(frame)
    echoes = [frame for frame in found if frame[0] in (TEXT, BINARY)]
    pongs = iter(sequence.pings)
    if echoes != sequence.messages[:len(echoes)]:
        raise CaseFailed("a message comes back changed, or out of order")
    if not all(payload in pongs for opcode, payload in found if opcode == PONG):
        raise CaseFailed("a pong answers no ping")
    if not found or found[-1][0] != CLOSE or close_code(found[-1][1]) != sequence.code:
        raise CaseFailed(f"it ends with {found[-1:]}, but the code is {sequence.code}")
    if reader.bytes:
        raise CaseFailed("bytes follow its close frame")


def run(report, port, trust, kind):
    for seed in range(ROUNDS if trust is None else ROUNDS // 5):
        case = types.SimpleNamespace(section="5", rule=f"random frames of seed {seed}")

        def action():
            with connect(port, trust) as stream:
                converse(Sequence(seed), stream)
        report.run(f"random frames {kind}", case, action)
    report.say(f"random frames {kind}", ROUNDS // 5)
