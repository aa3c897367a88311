"""A small server that reads requests strictly but for one fault: the suite has to find each of them."""

import socket
import threading

from framing import KNOWN
from reading import Incomplete, Malformed, StrictReader

LIMIT = 10.0
NAMES = [name.lower().encode() for name in KNOWN]


class PrefixReader(StrictReader):
    """Ignores a field whose name is a prefix of a known one, and the line after it."""

    def fields(self, lines):
        found, skips = [], False
        for line in lines:
            name, value = self.field(line)
            if skips:
                skips = False
            elif any(known.startswith(name) and known != name for known in NAMES):
                skips = True
            else:
                found.append((name, value))
        return found


class FirstLengthReader(StrictReader):
    """Takes the first of several lengths."""

    def length(self, found):
        lengths = [field for field in found.fields if field[0] == b"content-length"]
        found.fields = [field for field in found.fields if field not in lengths[1:]]
        return super().length(found)


class BlankReader(StrictReader):
    """Takes a field with blanks before its colon."""

    def field(self, line):
        name, colon, value = line.partition(b":")
        return super().field(name.rstrip(b" \t") + colon + value)


class GetReader(StrictReader):
    """Reads no body of a GET, whatever its fields say."""

    def length(self, found):
        length = super().length(found)
        return 0 if found.method == b"GET" else length


READERS = {
    "none": StrictReader, "prefix": PrefixReader, "first-length": FirstLengthReader, "blank": BlankReader,
    "get-without-body": GetReader,
}


class FaultyServer:
    def __init__(self, fault):
        self.reader = READERS[fault]()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.address = self.listener.getsockname()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            sock = self.listener.accept()[0]
            threading.Thread(target=self.serve, args=(sock,), daemon=True).start()

    def serve(self, sock):
        sock.settimeout(LIMIT)
        try:
            with sock:
                self.answer_all(sock)
        except OSError:
            pass

    def answer_all(self, sock):
        raw, count = b"", 0
        while True:
            try:
                found = self.reader.read(raw)
            except Incomplete:
                data = sock.recv(1 << 16)
                raw += data
                if not data:
                    return
                continue
            except Malformed:
                return self.end(sock, b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
            raw = raw[found.end:]
            count += 1
            closes = found.minor == b"0" or b"close" in b"".join(found.values(b"connection"))
            tag = (found.values(b"x-front-tag") or [b"none"])[-1]
            body = b"n=%d tag=%s body=%d\n" % (count, tag, found.size)
            head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n%s\r\n" % (
                len(body), b"Connection: close\r\n" if closes else b"")
            answer = head + (b"" if found.method == b"HEAD" else body)
            if closes:
                return self.end(sock, answer)
            sock.sendall(answer)

    @staticmethod
    def end(sock, answer):
        """Sends the last answer, and reads what still comes so that the answer is not lost to a reset."""
        sock.sendall(answer)
        sock.shutdown(socket.SHUT_WR)
        while sock.recv(1 << 16):
            pass
