"""The parts of the corpus: requests in bytes, each with what RFC 9112 and RFC 9110 demand of a server."""

from dataclasses import dataclass

# The required behaviour of a server in a case.
VALID = "valid"      # one request: must be answered with success
INVALID = "invalid"  # no request: must be refused with an error status, and the connection closed
EITHER = "may be refused"  # the RFCs, or the server's policy, allow both; front and server must read it alike
CUT = "cut"          # the client leaves before its end: must not be answered as a request

CRLF = b"\r\n"
# Stands inside bodies: a server that misreads the framing answers it as a request.
INNER = b"GET /inner HTTP/1.1\r\nHost: inner\r\n\r\n"


@dataclass(frozen=True)
class Case:
    """One request, or bytes that must not be taken for one."""

    kind: str
    variant: str
    raw: bytes
    expected: str
    body: int | None = None  # bytes of the decoded body, where the request may be answered
    head: bool = False       # True if the answer has no body


def request(line=b"GET /a HTTP/1.1", fields=(b"Host: a",), body=b"", end=CRLF):
    return line + end + b"".join(field + end for field in fields) + end + body


def counted(body, *before, line=b"POST /a HTTP/1.1", after=()):
    """A request whose body has a Content-Length, with fields before and after that one."""
    return request(line, (b"Host: a", *before, b"Content-Length: %d" % len(body), *after), body)


def chunks(*parts, extension=b"", last=b"0\r\n\r\n"):
    return b"".join(b"%x%s\r\n%s\r\n" % (len(part), extension, part) for part in parts) + last


def coded(body, *before, line=b"POST /a HTTP/1.1", after=()):
    """A request whose body, given as it is sent, has the transfer coding `chunked`."""
    return request(line, (b"Host: a", *before, b"Transfer-Encoding: chunked", *after), body)
