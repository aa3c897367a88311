"""Reads requests and answers from bytes, by the strictest reading of RFC 9112."""

import re
from dataclasses import dataclass

from messages import CRLF

TOKEN = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
REQUEST_LINE = re.compile(rb"(%s) [!-~]+ HTTP/1\.([01])" % TOKEN)
FIELD = re.compile(rb"(%s):[ \t]*([\t -~\x80-\xff]*?)[ \t]*" % TOKEN)
HOST = re.compile(rb"[0-9A-Za-z.\-:\[\]]*")
CHUNK = re.compile(rb"([0-9A-Fa-f]{1,16})(?:[ \t]*;[\t -~\x80-\xff]*)?\r\n")
TRAILERS = re.compile(rb"(?:%s:[\t -~\x80-\xff]*\r\n)*\r\n" % TOKEN)
STATUS = re.compile(rb"HTTP/1\.([01]) (\d\d\d)(?: [^\r\n]*)?\r\n((?:[!-9;-~]+:[^\r\n]*\r\n)*)\r\n")
ECHO = re.compile(rb"n=(\d+) tag=(\S+) body=(\d+)")


class Malformed(Exception):
    """The bytes are no request."""


class Incomplete(Exception):
    """The bytes end before the request does."""


@dataclass
class Request:
    method: bytes
    minor: bytes
    fields: list  # pairs of a name in small letters and a value
    size: int     # bytes of the decoded body
    end: int      # where the next request begins

    def values(self, name):
        return [value for other, value in self.fields if other == name]


class StrictReader:
    """Reads one request after the other. What a server may read wrongly stands in methods of its own."""

    def read(self, raw, at=0):
        stop = raw.find(CRLF + CRLF, at)
        if stop < 0:
            raise Incomplete
        line, *rest = raw[at:stop].split(CRLF)
        start = REQUEST_LINE.fullmatch(line)
        if not start:
            raise Malformed
        found = Request(start[1], start[2], self.fields(rest), 0, stop + 4)
        if len(found.values(b"host")) > 1:
            raise Malformed
        length = self.length(found)
        if length is None:
            self.read_chunks(raw, found)
        else:
            found.size = length
            found.end += length
        if found.end > len(raw):
            raise Incomplete
        return found

    def fields(self, lines):
        return [self.field(line) for line in lines]

    def field(self, line):
        match = FIELD.fullmatch(line)
        if not match or match[1].lower() == b"host" and not HOST.fullmatch(match[2]):
            raise Malformed
        return match[1].lower(), match[2]

    def length(self, found):
        """Bytes of the body, or None where it has chunks."""
        lengths, codings = found.values(b"content-length"), found.values(b"transfer-encoding")
        if codings:
            if lengths or found.minor == b"0" or [coding.lower() for coding in codings] != [b"chunked"]:
                raise Malformed
            return None
        if not lengths:
            return 0
        if len(lengths) > 1 or not re.fullmatch(rb"\d{1,18}", lengths[0]):
            raise Malformed
        return int(lengths[0])

    @staticmethod
    def match(pattern, raw, at):
        found = pattern.match(raw, at)
        if not found:
            raise Malformed if raw.find(CRLF, at) >= 0 and pattern is CHUNK else Incomplete
        return found

    def read_chunks(self, raw, found):
        while True:
            chunk = self.match(CHUNK, raw, found.end)
            size, found.end = int(chunk[1], 16), chunk.end()
            if not size:
                break
            found.size += size
            found.end += size + 2
            if len(raw) < found.end:
                raise Incomplete
            if raw[found.end - 2:found.end] != CRLF:
                raise Malformed
        found.end = self.match(TRAILERS, raw, found.end).end()


def count_requests(raw):
    """Counts the requests in the bytes, and returns how they end: "whole", "incomplete" or "malformed"."""
    at = count = 0
    while at < len(raw):
        try:
            at = StrictReader().read(raw, at).end
        except Incomplete:
            return count, "incomplete"
        except Malformed:
            return count, "malformed"
        count += 1
    return count, "whole"


class Answer:
    """A final answer; `tag` and `body` are what the server says that it read, None where it does not say."""

    def __init__(self, minor, status, fields, text):
        self.status = status
        self.closes = minor == b"0" or re.search(rb"(?im)^connection:[^\r\n]*\bclose\b", fields) is not None
        echo = ECHO.match(text)
        self.tag, self.body = (echo[2], int(echo[3])) if echo else (None, None)

    @property
    def refuses(self):
        """True if the server rejects the bytes; an error that keeps the connection answers a request."""
        return self.status >= 400 and self.closes

    @property
    def is_last(self):
        """True if requests behind this one get no answer."""
        return self.closes or self.status == 101


def answers(raw):
    """All final answers of a server; interim ones are left out."""
    found = []
    for match in STATUS.finditer(raw):
        status = int(match[2])
        if status >= 200 or status == 101:
            found.append(Answer(match[1], status, match[3], raw[match.end():match.end() + 200]))
    return found
