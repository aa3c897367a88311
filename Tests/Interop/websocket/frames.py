"""Frames of RFC 6455 section 5.2, well-formed or not, and a reader for those of the program under test."""

import os
import struct
from dataclasses import dataclass

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10

# The program under test sends a longer message in frames of so many bytes.
FRAGMENT = 65536


@dataclass(frozen=True)
class Frame:
    """One frame; what is not said is as the section demands."""

    opcode: int
    payload: bytes = b""
    final: bool = True
    # The three reserved bits, as a number.
    reserved: int = 0
    # True when a client leaves the mask out, or a server masks.
    wrong_mask: bool = False
    # The length that the header states; the length of the payload where it is None.
    announced: int | None = None
    # The number of bits for the length: 7, 16 or 64; the fewest possible where it is None.
    length_bits: int | None = None
    # The number of bytes of the frame that are sent; all where it is None.
    sent: int | None = None

    def encode(self, by_client):
        length = len(self.payload) if self.announced is None else self.announced
        bits = self.length_bits or (7 if length < 126 else 16 if length < 65536 else 64)
        masked = by_client != self.wrong_mask
        first = self.final << 7 | self.reserved << 4 | self.opcode
        second = masked << 7 | {7: length, 16: 126, 64: 127}[bits]
        head = bytes([first, second]) + {7: b"", 16: struct.pack(">H", length & 0xFFFF),
                                         64: struct.pack(">Q", length)}[bits]
        payload = self.payload
        if masked:
            mask = os.urandom(4)
            head += mask
            stream = int.from_bytes((mask * (len(payload) // 4 + 1))[:len(payload)], "big")
            payload = (int.from_bytes(payload, "big") ^ stream).to_bytes(len(payload), "big")
        return (head + payload)[:self.sent]

    @property
    def is_plain(self):
        """True when a library can send the frame: its header is in order."""
        return (self.opcode in (CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG) and not self.reserved
                and not self.wrong_mask and self.announced is None and self.length_bits is None and self.sent is None)


def close(code, reason=b""):
    return Frame(CLOSE, struct.pack(">H", code) + reason)


class FrameError(Exception):
    """The program under test sends what RFC 6455 does not allow."""


class FrameReader:
    """Takes bytes of the program under test, and checks the form of its frames strictly."""

    def __init__(self, from_client):
        self.from_client = from_client
        self.bytes = bytearray()
        # The opcode and the payload of a message of which some frames are there; None between messages.
        self.message = None

    def next(self):
        """The next message or control frame as (opcode, payload); None where it is not whole."""
        while (frame := self.next_frame()) is not None:
            final, opcode, payload = frame
            if opcode >= CLOSE:
                if not final:
                    raise FrameError("a control frame is in fragments")
                return opcode, payload
            if (opcode == CONTINUATION) != (self.message is not None):
                raise FrameError(f"a frame of opcode {opcode} is out of its turn")
            if not final and len(payload) != FRAGMENT:
                raise FrameError(f"a fragment that is not the last has {len(payload)} bytes")
            if self.message is None:
                self.message = opcode, bytearray()
            self.message[1].extend(payload)
            if final:
                opcode, payload = self.message
                self.message = None
                return opcode, bytes(payload)
        return None

    def next_frame(self):
        """The next frame as (whether it is final, opcode, payload); None where it is not whole."""
        data = self.bytes
        if len(data) < 2:
            return None
        if data[0] & 0x70:
            raise FrameError(f"the first byte of a frame is {data[0]:#x}")
        if (data[1] >> 7 == 1) != self.from_client:
            raise FrameError("a frame is masked wrongly")
        size, at = data[1] & 127, 2
        extra = {126: 2, 127: 8}.get(size, 0)
        if len(data) < 2 + extra:
            return None
        if extra:
            size, at = int.from_bytes(data[2:2 + extra], "big"), 2 + extra
            if size < (126 if extra == 2 else 65536):
                raise FrameError("the length of a frame is longer than it needs to be")
        mask = bytes(data[at:at + 4]) if self.from_client else b""
        end = at + len(mask) + size
        if len(data) < end:
            return None
        payload = bytes(data[at + len(mask):end])
        if mask:
            stream = (mask * (size // 4 + 1))[:size]
            payload = (int.from_bytes(payload, "big") ^ int.from_bytes(stream, "big")).to_bytes(size, "big")
        final, opcode = data[0] & 0x80 != 0, data[0] & 15
        del data[:end]
        return final, opcode, payload
