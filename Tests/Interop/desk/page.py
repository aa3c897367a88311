"""The page of a desk, without a browser."""

import base64
import json
import os
import socket
import struct
import time


class Page:
    """The WebSocket of a page, without a browser."""

    def __init__(self, desk, code):
        self.link = socket.create_connection(("127.0.0.1", desk.port), 10)
        own = f"127.0.0.1:{desk.port}"
        key = base64.b64encode(os.urandom(16)).decode()
        self.link.sendall((f"GET /1/events HTTP/1.1\r\nHost: {own}\r\nOrigin: http://{own}\r\nUpgrade: websocket\r\n"
                           f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
        self.rest = b""
        while b"\r\n\r\n" not in self.rest:
            self._more()
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        assert b" 101 " in head.split(b"\r\n")[0], head
        self.send({"do": "open", "code": code})

    def _more(self):
        data = self.link.recv(1 << 16)
        if not data:
            raise ConnectionError("the desk closed the page")
        self.rest += data

    def _take(self, count):
        while len(self.rest) < count:
            self._more()
        taken, self.rest = self.rest[:count], self.rest[count:]
        return taken

    def send(self, value):
        body = json.dumps(value).encode()
        head = bytes([0x81, 0x80 | len(body)]) if len(body) < 126 else bytes([0x81, 0xFE]) + struct.pack(">H", len(body))
        mask = os.urandom(4)
        self.link.sendall(head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(body)))

    def message(self):
        """The next message, of as many frames as it has."""
        whole = b""
        while True:
            first, second = self._take(2)
            count = second & 127
            if count == 126:
                count = struct.unpack(">H", self._take(2))[0]
            elif count == 127:
                count = struct.unpack(">Q", self._take(8))[0]
            body = self._take(count)
            if first & 15 == 9:
                mask = os.urandom(4)
                self.link.sendall(bytes([0x8A, 0x80 | len(body)]) + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(body)))
                continue
            if first & 15 == 8:
                raise ConnectionError("the desk closed the page")
            whole += body
            if first & 128:
                return json.loads(whole)

    def until(self, fits, seconds, is_lost=lambda: False):
        """The first message that fits, and all before it; gives up after the time, and a second after it is lost."""
        met = []
        end = time.time() + seconds
        while time.time() < end:
            if is_lost():
                end = min(end, time.time() + 1)
            # A message that is not whole yet is waited for: only its beginning may time out.
            self.link.settimeout(0.5)
            try:
                if not self.rest:
                    self._more()
            except TimeoutError:
                continue
            self.link.settimeout(30)
            met.append(self.message())
            if fits(met[-1]):
                return met
        raise AssertionError(f"nothing came that fits, in {seconds} s; the last was {json.dumps(met[-1])[:300] if met else None}")
