"""Cases about lines, targets, hosts and bytes: what is no request at all, and must not be taken for one."""

from messages import CRLF, EITHER, INNER, INVALID, VALID, Case, chunks, coded, counted, request

GET, POST = b"GET /a HTTP/1.1", b"POST /a HTTP/1.1"
SHAPES = [
    ("no body", [GET, b"Host: a", b"X: a", b""], b""),
    ("length", [POST, b"Host: a", b"Content-Length: %d" % len(INNER), b""], INNER),
    ("chunked", [POST, b"Host: a", b"Transfer-Encoding: chunked", b""], chunks(INNER)),
]
LINE_ENDS = [b"\n", b"\r", b"\r\r\n", b"\n\r", b"\r\n\r", b" \n", b"\x00\r\n", b"\x0b\r\n", b"\r \n", b"\r\x00\n"]
# Bytes before a request: empty lines may be skipped (RFC 9112 section 2.2), letters belong to the method.
BEFORE = {
    EITHER: [b"\r\n", b"\r\n\r\n", b"\n", b"\n\n", b"\r\n" * 20, b"a", b"hello"],
    INVALID: [
        b"\r", b" ", b"\t", b"\x00", b"\r\n ", b"\x16\x03\x01", b"\xef\xbb\xbf", b"0\r\n\r\n", b"\x0b",
    ],
}


def by_line_ends():
    for name, lines, body in SHAPES:
        for place in range(len(lines)):
            for end in LINE_ENDS:
                raw = b"".join(line + (end if i == place else CRLF) for i, line in enumerate(lines)) + body
                # Bytes after the last CR LF belong to the body, or to the next request.
                after = place == len(lines) - 1 and end.startswith(CRLF)
                if after and body:
                    continue
                if place == len(lines) - 1 and end == b"\r":
                    raw += b"a"  # shows that no LF follows
                # A bare LF may be taken for the end of a line (RFC 9112 section 2.2).
                expected = EITHER if end in (b"\n", b" \n") or after else INVALID
                yield Case("line end", "%s, line %d, %r" % (name, place, end), raw, expected)
        for end in (b"\n", b"\r", b"\r\r\n", b"\n\r"):
            raw = b"".join(line + end for line in lines) + body
            yield Case("all line ends", "%s, %r" % (name, end), raw, EITHER if end == b"\n" else INVALID)
    for expected, values in BEFORE.items():
        for before in values:
            for name, lines, body in SHAPES[:2]:
                raw = before + b"".join(line + CRLF for line in lines) + body
                yield Case("bytes before the request", "%r %s" % (before, name), raw, expected)


def by_folds():
    """Lines that begin with a blank, which continued the line before them in older versions of HTTP."""
    length = b"Content-Length: %d" % len(INNER)
    for fold in (b"\r\n ", b"\r\n\t", b"\r\n  ", b" \r\n ", b"\r\n \r\n ", b"\n ", b"\n\t", b"\r ", b"\r\n \t "):
        shapes = {
            "value": request(fields=(b"Host: a", b"X: a" + fold + b"b")),
            "empty value": request(fields=(b"Host: a", b"X:" + fold + b"b")),
            "first line": request(GET + fold + b"X: a"),
            "host": request(fields=(b"Host:" + fold + b"a",)),
            "host longer": request(fields=(b"Host: a" + fold + b"b",)),
            "length": request(POST, (b"Host: a", b"Content-Length:" + fold + b"5"), b"hello"),
            "length longer": request(POST, (b"Host: a", b"Content-Length: 5" + fold + b"0"), b"hello"),
            "coding": request(POST, (b"Host: a", b"Transfer-Encoding:" + fold + b"chunked"), chunks(INNER)),
            "coding longer": request(POST, (b"Host: a", b"Transfer-Encoding: x" + fold + b"chunked"), chunks(INNER)),
            "hides a length": request(POST, (b"Host: a", b"X: a" + fold + length), INNER),
            "hides a coding": request(
                POST, (b"Host: a", b"X: a" + fold + b"Transfer-Encoding: chunked", length), INNER),
            "before the empty line": request(fields=(b"Host: a" + fold,)),
        }
        for name, raw in shapes.items():
            yield Case("fold", "%s %r" % (name, fold), raw, INVALID)


UNKNOWN_METHODS = [
    b"get", b"GeT", b"G", b"FOO", b"M-SEARCH", b"PROPFIND", b"PURGE", b"X!#$%&'*+-.^_`|~", b"A" * 40, b"A" * 300,
    b"PRI", b"HELO",
]
NO_METHODS = [
    b"", b"G\x00ET", b"GE T", b"GET\t", b"G(ET", b"G\xc3\xa9T", b'"GET"', b"GET,", b"G:ET", b"{GET}", b"GET\x0b", b"@",
    b"G[T", b"GET;",
]


def by_methods():
    for method in UNKNOWN_METHODS:
        text = repr(method[:20])
        yield Case("odd method", text, request(method + b" /a HTTP/1.1"), EITHER, 0)
        yield Case("odd method with body", text, counted(INNER, line=method + b" /a HTTP/1.1"), EITHER)
    for method in NO_METHODS:
        yield Case("method is no token", repr(method), request(method + b" /a HTTP/1.1"), INVALID)
    for method in (b"HEAD", b"OPTIONS", b"DELETE", b"PUT", b"PATCH", b"POST"):
        head, text, size = method == b"HEAD", method.decode(), len(INNER)
        line = method + b" /a HTTP/1.1"
        empty = request(line, (b"Host: a", b"Content-Length: 0"))
        yield Case("known method", text, empty, EITHER if head else VALID, 0, head)
        yield Case("known method with body", text, counted(INNER, line=line), EITHER, size, head)
        yield Case("known method with chunks", text, coded(chunks(INNER), line=line), EITHER, size, head)
        raw = counted(INNER, line=method + b" /a HTTP/1.0")
        yield Case("known method in HTTP/1.0", text, raw, EITHER, size, head)
    for target in (b"TRACE /a", b"TRACE *", b"CONNECT a:80", b"CONNECT /a", b"CONNECT a"):
        line = target + b" HTTP/1.1"
        yield Case("tunnel or trace", target.decode(), request(line), EITHER)
        yield Case("tunnel or trace with body", target.decode(), counted(INNER, line=line), EITHER)


TARGETS = {
    VALID: [b"/", b"/a?b=c", b"//a", b"/%41", b"/a;b", b"/a?", b"/a?b?c", b"/a:b@c", b"/~a!$&'()*+,;="],
    # A path with `..` may be refused; so may a scheme that the server does not have.
    EITHER: [b"/a/b/../c", b"/..", b"http://a/b", b"http://a:80/b?c", b"http://a", b"HTTP://a/b", b"http://a?b"],
}
BAD_TARGETS = {
    EITHER: [
        b"//", b"http://u@a/", b"/a#b", b"/%", b"/%4", b"/%zz", b"/%00", b"/a\\b", b"/a|b", b'/a"b', b"/a<b>", b"/a^b",
        b"/a`b", b"/a{b}", b"/a[b]", b"/\x80", b"/\xff", b"/\xc3\xa9", b"/\xc0\xaf",
    ],
    INVALID: [
        b"", b"a", b"*", b"a:80", b"/a b", b"/a\tb", b"/a\x00b", b"/a\x7fb", b"/a\x0bb", b"/a\x0cb", b"/a\rb", b"/a\nb",
        b"?a", b"../a", b"http:/a", b"http://", b"http:///a", b"/a HTTP/1.1 b", b"/a\r", b"#a", b"\\a", b"http://a b/",
        b"http://a\x00/", b"http://a:b/", b"http://[::1/",
    ],
}
TARGETS_AND_HOSTS = [
    (b"http://b/x", b"a"), (b"http://a/x", b""), (b"http://a:81/x", b"a"), (b"http://A/x", b"a"),
    (b"https://a/x", b"a"), (b"ws://a/x", b"a"), (b"ftp://a/x", b"a"), (b"http://a/x", b"a, b"),
]


def by_targets():
    for kind, table in (("target", TARGETS), ("target is malformed", BAD_TARGETS)):
        for expected, targets in table.items():
            for target in targets:
                yield Case(kind, repr(target), request(b"GET " + target + b" HTTP/1.1"), expected)
    yield Case("target", "OPTIONS *", request(b"OPTIONS * HTTP/1.1"), VALID, 0)
    for target, host in TARGETS_AND_HOSTS:
        text = "%s %s" % (target.decode(), host.decode())
        raw = request(b"GET " + target + b" HTTP/1.1", (b"Host: " + host,))
        yield Case("absolute target and host", text, raw, EITHER)
        fields = (b"Host: " + host, b"Content-Length: %d" % len(INNER))
        raw = request(b"POST " + target + b" HTTP/1.1", fields, INNER)
        yield Case("absolute target with body", text, raw, EITHER)


VERSIONS = {
    EITHER: [b"HTTP/0.9", b"HTTP/1.2", b"HTTP/1.9", b"HTTP/2.0", b"HTTP/3.0"],
    INVALID: [
        b"HTTP/1.10", b"HTTP/01.1", b"HTTP/1.01", b"http/1.1", b"Http/1.1", b"HTTP /1.1", b"HTTP/ 1.1", b"HTTP/1. 1",
        b"HTTP/1.1x", b"HTTP/11", b"HTTP/1", b"HTTP/1.", b"HTTP/.1", b"HTTP/-1.1", b"HTTP/1,1", b"HTTP", b"HTTPS/1.1",
        b"HTP/1.1", b"ICY/1.1", b"RTSP/1.0", b"1.1", b"HTTP/1.1\x00", b"HTTP/1.1\x0b", b"HTTP\\1.1",
        b"HTTP/1.1 HTTP/1.1", b"HTTP/1.1;", b"\xa0HTTP/1.1",
    ],
}
REQUEST_LINES = {
    # RFC 9112 section 3 lets a server split the line at any blanks; `GET /a` is a request of HTTP/0.9.
    EITHER: [
        b"GET /a", b"GET  /a HTTP/1.1", b"GET /a  HTTP/1.1", b"GET\t/a\tHTTP/1.1", b"GET /a\tHTTP/1.1",
        b"GET /a HTTP/1.1 ", b"GET /a HTTP/1.1\t",
    ],
    INVALID: [
        b"GET", b"GET ", b"/a HTTP/1.1", b" GET /a HTTP/1.1", b"GET /a ", b"GET\x0b/a HTTP/1.1", b"GET /a\x0cHTTP/1.1",
        b"GET\xa0/a HTTP/1.1", b"GET\r/a HTTP/1.1",
    ],
}


def by_versions():
    for expected, versions in VERSIONS.items():
        for version in versions:
            yield Case("version", repr(version), request(b"GET /a " + version), expected)
            raw = counted(INNER, line=b"POST /a " + version)
            yield Case("version with body", repr(version), raw, expected)
    for expected, lines in REQUEST_LINES.items():
        for line in lines:
            yield Case("request line", repr(line), request(line), expected)
            raw = counted(INNER, line=line.replace(b"GET", b"POST"))
            yield Case("request line, with body", repr(line), raw, expected)


HOSTS = [b"a", b"a.b", b"a:80", b"127.0.0.1", b"[::1]", b"[::1]:80", b"a-b.c", b"A"]
BAD_HOSTS = {
    EITHER: [b"", b" ", b"a,b", b"a;b", b"a:99999999", b"[a]", b"a%", b"a\xe9", b"[]"],
    INVALID: [
        b"a b", b"a, b", b"a/b", b"a?b", b"a#b", b"u@a", b"a:b", b"a:80:80", b"a:-1", b"[::1", b"::1", b"a\x00",
        b"a\x0b", b"a\\b", b"http://a", b"<a>", b'"a"', b"a\r", b"a^", b"a|b", b"{a}",
    ],
}


def by_hosts():
    for host in HOSTS:
        yield Case("host", host.decode(), request(fields=(b"Host: " + host,)), VALID, 0)
        yield Case("host in HTTP/1.0", host.decode(), request(b"GET /a HTTP/1.0", (b"Host: " + host,)), VALID, 0)
    for expected, hosts in BAD_HOSTS.items():
        for host in hosts:
            fields = (b"Host: " + host, b"Content-Length: %d" % len(INNER))
            yield Case("host is malformed", repr(host), request(fields=fields[:1]), expected)
            yield Case("host is malformed, with body", repr(host), request(POST, fields, INNER), expected)
    for first, second in ((b"a", b"a"), (b"a", b"b"), (b"a", b""), (b"", b"a"), (b"a", b"A")):
        for names in ((b"Host", b"Host"), (b"Host", b"host"), (b"HOST", b"Host")):
            fields = (names[0] + b": " + first, b"X-Between: a", names[1] + b": " + second)
            for version in (b"1.1", b"1.0"):
                text = "%r %r %s %s" % (first, second, names[1].decode(), version.decode())
                yield Case("two hosts", text, request(b"GET /a HTTP/" + version, fields), INVALID)
    yield Case("no host", "1.1", request(fields=()), INVALID)
    yield Case("no host", "1.1 with a field", request(fields=(b"X: a",)), INVALID)
    yield Case("no host", "1.1 absolute", request(b"GET http://a/ HTTP/1.1", ()), INVALID)
    yield Case("no host", "1.0", request(b"GET /a HTTP/1.0", ()), VALID, 0)


EXPECTATIONS = [
    b"100-continue", b"100-Continue", b"100-continue, x", b"x", b"", b"100", b"100-continue;a", b"200-ok",
]
CONNECTION_OPTIONS = [
    b"close", b"keep-alive", b"close, keep-alive", b"keep-alive, close", b"Content-Length", b"Transfer-Encoding",
    b"Host", b"close, Content-Length", b"X-Front-Tag", b"upgrade", b"", b",", b"a b", b'"close"', b"close\x0b",
    b"keep-alive, Transfer-Encoding",
]


def with_field(field):
    """Requests of each framing with one more field."""
    yield "length", counted(INNER, field)
    yield "chunks", coded(chunks(INNER), field)
    yield "no body", request(fields=(b"Host: a", field))
    yield "HTTP/1.0", counted(INNER, field, line=b"POST /a HTTP/1.0")


def by_hops():
    """Fields that speak to the next hop alone: a front may act on them, drop them, or forward them."""
    for value in EXPECTATIONS:
        for shape, raw in with_field(b"Expect: " + value):
            yield Case("expectation", "%r %s" % (value, shape), raw, EITHER)
    yield Case("expectation", "twice", counted(INNER, b"Expect: 100-continue", b"Expect: 100-continue"), EITHER)
    for value in CONNECTION_OPTIONS:
        for name in (b"Connection", b"Proxy-Connection"):
            for shape, raw in with_field(name + b": " + value):
                expected = INVALID if b"\x0b" in value else EITHER
                yield Case("connection option", "%s %r %s" % (name.decode(), value, shape), raw, expected)


WEBSOCKET = (
    b"Host: a", b"Upgrade: websocket", b"Connection: Upgrade", b"Sec-WebSocket-Version: 13",
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
)


def by_upgrades():
    length = b"Content-Length: %d" % len(INNER)
    for path in (b"/echo", b"/a"):
        line = b"GET " + path + b" HTTP/1.1"
        shapes = {
            "whole": request(line, WEBSOCKET),
            "with length": request(line, (*WEBSOCKET, length), INNER),
            "with chunks": request(line, (*WEBSOCKET, b"Transfer-Encoding: chunked"), chunks(INNER)),
            "by POST": request(b"POST " + path + b" HTTP/1.1", (*WEBSOCKET, length), INNER),
            "in HTTP/1.0": request(b"GET " + path + b" HTTP/1.0", WEBSOCKET),
            "version 12": request(line, tuple(field.replace(b"13", b"12") for field in WEBSOCKET)),
            "with a short key": request(line, (*WEBSOCKET[:4], b"Sec-WebSocket-Key: a")),
        }
        for left_out in WEBSOCKET[1:]:
            name = "without " + left_out.split(b":")[0].decode()
            shapes[name] = request(line, tuple(field for field in WEBSOCKET if field != left_out))
        for name, raw in shapes.items():
            yield Case("upgrade to WebSocket", "%s %s" % (path.decode(), name), raw, EITHER)
    for value in (b"h2c", b"h2c, websocket", b"foo", b"HTTP/2.0", b"TLS/1.0", b"websocket, h2c"):
        fields = (
            b"Host: a", b"Upgrade: " + value, b"Connection: Upgrade, HTTP2-Settings",
            b"HTTP2-Settings: AAMAAABkAAQAAP__")
        yield Case("upgrade", value.decode(), request(fields=fields), EITHER)
        yield Case("upgrade", value.decode() + " with body", request(POST, (*fields, length), INNER), EITHER)


TOKEN = b"!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def by_bytes():
    """Every control byte, every delimiter and some others, where they may stand and where they must not."""
    chosen = [*range(0x21), *b"\"(),/:;<=>?@[\\]{}", *b"!#~|", 0x7F, 0x80, 0x85, 0xA0, 0xC3, 0xFE, 0xFF]
    for number in chosen:
        byte = bytes([number])
        text = "0x%02x" % number
        control = number < 0x20 and number != 9 or number == 0x7F
        # A colon ends the name, so that what follows is the value.
        in_name = VALID if byte in TOKEN or byte == b":" else INVALID
        in_value = INVALID if control else VALID if number < 0x7F else EITHER
        yield Case("byte in a name", text, request(fields=(b"Host: a", b"X" + byte + b"Y: a")), in_name, 0)
        yield Case("byte in a value", text, request(fields=(b"Host: a", b"X: a" + byte + b"b")), in_value, 0)
        yield Case("byte at the end of a value", text, counted(INNER, b"X: a" + byte), in_value, len(INNER))
        raw = coded(chunks(INNER), b"X:" + byte + b"a")
        yield Case("byte at the start of a value", text, raw, in_value, len(INNER))
        if control or byte in b"\t ":
            yield Case("control byte in a target", text, request(b"GET /a" + byte + b"b HTTP/1.1"), INVALID)
            expected = INVALID if control else EITHER
            raw = coded(chunks(INNER, extension=b";a" + byte + b"b"))
            yield Case("control byte in a chunk extension", text, raw, expected)
            raw = coded(chunks(INNER, last=b"0\r\nX: a" + byte + b"b\r\n\r\n"))
            yield Case("control byte in a trailer", text, raw, expected)


def by_sizes():
    """Heads below and above the limits of servers and fronts."""
    for count in (50, 100, 200, 1000):
        raw = request(fields=(b"Host: a", *(b"X-%d: a" % number for number in range(count))))
        yield Case("many fields", str(count), raw, EITHER)
    for size in (1000, 4000, 7000, 8000, 8192, 9000, 20000, 70000):
        yield Case("long value", str(size), request(fields=(b"Host: a", b"X: " + b"a" * size)), EITHER)
        yield Case("long name", str(size), request(fields=(b"Host: a", b"X" * size + b": a")), EITHER)
        yield Case("long target", str(size), request(b"GET /" + b"a" * size + b" HTTP/1.1"), EITHER)
        yield Case("long value, with body", str(size), counted(INNER, b"X: " + b"a" * size), EITHER)
