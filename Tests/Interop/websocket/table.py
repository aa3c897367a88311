"""A case: what one side sends on an open WebSocket, and what the program under test answers."""

from dataclasses import dataclass

from frames import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, Frame

# Codes of close frames that libraries send.
LIBRARY_CODES = {*range(1000, 1004), *range(1007, 1015), *range(3000, 5000)}


@dataclass(frozen=True)
class Case:
    section: str
    rule: str
    frames: tuple
    # ("text", str bytes), ("binary", bytes), ("pong", bytes), and at last ("close", code or None) where it closes.
    answers: tuple

    @property
    def closes(self):
        return bool(self.answers) and self.answers[-1][0] == "close"

    @property
    def size(self):
        return sum(len(frame.payload) + 14 for frame in self.frames)

    @property
    def refusal(self):
        """The code with which the program under test refuses; None where the peer is in order."""
        if not self.closes or any(frame.is_plain and frame.opcode == CLOSE and is_valid_close(frame.payload)
                                  and close_code(frame.payload) == self.answers[-1][1] for frame in self.frames):
            return None
        return self.answers[-1][1]

    @property
    def is_sent_by_websockets(self):
        """True when the library can send the frames: any payload, in frames that are in order."""
        inside = False
        for number, frame in enumerate(self.frames):
            if not frame.is_plain or frame.opcode >= CLOSE and (not frame.final or len(frame.payload) > 125):
                return False
            if frame.opcode == CLOSE:
                return number == len(self.frames) - 1 and is_valid_close(frame.payload)
            if frame.opcode < CLOSE:
                if (frame.opcode == CONTINUATION) != inside:
                    return False
                inside = not frame.final
        return True

    @property
    def is_sent_by_aiohttp(self):
        """True when the library can send the frames: whole messages, valid texts, or a close with a code.

        Its close takes whatever comes next for the answer, so nothing that is answered precedes it.
        """
        if any(frame.opcode == CLOSE for frame in self.frames) and len(self.frames) > 1:
            return False
        return self.is_sent_by_websockets and all(
            frame.final and frame.opcode != CONTINUATION and (frame.opcode != TEXT or is_utf8(frame.payload))
            and (frame.opcode != CLOSE or frame.payload) for frame in self.frames)


def is_utf8(data):
    try:
        data.decode()
        return True
    except UnicodeDecodeError:
        return False


def close_code(payload):
    return int.from_bytes(payload[:2], "big") if len(payload) > 1 else None


def is_valid_close(payload):
    return not payload or close_code(payload) in LIBRARY_CODES and is_utf8(payload[2:])


def fragments(opcode, parts):
    """A message in frames, one for each part."""
    last = len(parts) - 1
    return tuple(Frame(CONTINUATION if number else opcode, part, final=number == last)
                 for number, part in enumerate(parts))


NAMES = {TEXT: "text", BINARY: "binary", PING: "ping", PONG: "pong"}
