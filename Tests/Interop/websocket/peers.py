"""The other side of a WebSocket: a raw socket, which sends anything, or the protocol of the library `websockets`."""

import socket

from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame as LibraryFrame
from websockets.protocol import State

from frames import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, Frame, FrameReader, close
from table import close_code

# No busy machine reaches it.
SECONDS = 120


class CaseFailed(Exception):
    pass


def answer(opcode, payload):
    """Returns the content of a frame in the form of the table of cases."""
    if opcode == CLOSE:
        return "close", close_code(payload)
    return {TEXT: "text", BINARY: "binary", PING: "ping", PONG: "pong"}[opcode], payload


class RawPeer:
    """Sends frames as they are, whole or in writes of `chop` bytes."""

    def __init__(self, stream, is_client, received=b"", chop=None):
        self.stream, self.is_client, self.chop = stream, is_client, chop
        self.reader = FrameReader(from_client=not is_client)
        self.reader.bytes += received
        stream.settimeout(SECONDS)

    def send(self, frames):
        data = b"".join(frame.encode(by_client=self.is_client) for frame in frames)
        step = self.chop or len(data) or 1
        try:
            for start in range(0, len(data), step):
                self.stream.sendall(data[start:start + step])
        except (BrokenPipeError, ConnectionResetError):
            pass  # It has closed; its close frame can still be read.

    def receive(self):
        """Returns the next message of the program under test; ("end",) where it has ended the connection."""
        while (frame := self.reader.next()) is None:
            data = self.stream.recv(1 << 16)
            if not data:
                return ("end",)
            self.reader.bytes += data
        return answer(*frame)

    def end(self):
        self.stream.close()


class LibraryPeer:
    """A `ClientProtocol` or `ServerProtocol` of websockets whose WebSocket is open."""

    def __init__(self, stream, protocol):
        self.stream, self.protocol, self.events = stream, protocol, []
        # The opcode and the payload of a message of which some frames are there.
        self.message = None
        stream.settimeout(SECONDS)

    def flush(self):
        for data in self.protocol.data_to_send():
            try:
                if data:
                    self.stream.sendall(data)
                elif isinstance(self.stream, socket.socket):
                    self.stream.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # It has closed; its close frame can still be read.

    def send(self, frames):
        for frame in frames:
            if frame.opcode == TEXT:
                self.protocol.send_text(frame.payload, fin=frame.final)
            elif frame.opcode == BINARY:
                self.protocol.send_binary(frame.payload, fin=frame.final)
            elif frame.opcode == CONTINUATION:
                self.protocol.send_continuation(frame.payload, fin=frame.final)
            elif frame.opcode == PING:
                self.protocol.send_ping(frame.payload)
            elif frame.opcode == PONG:
                self.protocol.send_pong(frame.payload)
            elif frame.payload:
                self.protocol.send_close(close_code(frame.payload), frame.payload[2:].decode())
            else:
                self.protocol.send_close()
            self.flush()

    def receive(self):
        """Returns the next message of the program under test; the library has checked the order of the frames."""
        while True:
            frame = self.frame()
            if frame is None:
                return ("end",)
            if frame.opcode >= CLOSE:
                return answer(int(frame.opcode), bytes(frame.data))
            if self.message is None:
                self.message = int(frame.opcode), bytearray()
            self.message[1].extend(frame.data)
            if frame.fin:
                opcode, payload = self.message
                self.message = None
                return answer(opcode, bytes(payload))

    def frame(self):
        """The next frame; None where the connection is ended."""
        while not self.events:
            data = self.stream.recv(1 << 16)
            if data:
                self.protocol.receive_data(data)
            else:
                self.protocol.receive_eof()
            self.events += self.protocol.events_received()
            if self.protocol.parser_exc and not isinstance(self.protocol.parser_exc, (ConnectionClosed, EOFError)):
                raise CaseFailed(f"websockets refuses our frames: {self.protocol.parser_exc!r}")
            self.flush()
            if not data and not self.events:
                return None
        frame = self.events.pop(0)
        if not isinstance(frame, LibraryFrame):
            raise CaseFailed(f"an event of websockets is {frame}")
        return frame

    def end(self):
        self.stream.close()


def is_data(event):
    return event[0] in ("text", "binary")


def judge(case, events):
    """Checks what came in a case: data and control frames are each in order, but either may overtake the other.

    Where the WebSocket is closed, echoes before that may be missing.
    """
    for kind in (is_data, lambda event: not is_data(event)):
        wanted = [event for event in case.answers if kind(event)]
        got = [event for event in events if kind(event)]
        if kind is is_data and case.closes:
            wanted = wanted[:len(got)]
        if wanted != got:
            raise CaseFailed(f"wants {short(wanted)}, got {short(events)}")


def short(events):
    return [event if len(repr(event)) < 100 else (event[0], len(event[1]), event[1][:20]) for event in events]


def converse(peer, case):
    """Runs a case to the end of the connection."""
    peer.send(case.frames)
    events = []
    while len(events) < len(case.answers) and not (events and events[-1][0] in ("end", "close")):
        events.append(peer.receive())
    judge(case, events)
    if not case.closes:
        # A ping that is answered by its own pong shows that nothing else was, and a close that all is in order.
        peer.send([Frame(PING, b"last")])
        expect(peer, ("pong", b"last"))
        peer.send([close(1000, b"done")])
        expect(peer, ("close", 1000))
    expect(peer, ("end",))


def expect(peer, wanted):
    got = peer.receive()
    if got != wanted:
        raise CaseFailed(f"wants {wanted}, got {short([got])} after the answers")
