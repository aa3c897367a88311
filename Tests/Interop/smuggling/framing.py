"""Cases about the fields and chunks that decide where a request ends."""

from messages import CRLF, CUT, EITHER, INNER, INVALID, VALID, Case, chunks, coded, counted, request

KNOWN = (
    "Host Content-Length Transfer-Encoding Connection Upgrade Expect TE Trailer Keep-Alive Proxy-Connection "
    "Authorization Accept Accept-Encoding Content-Type Content-Encoding Cookie Origin Referer User-Agent Via "
    "Forwarded X-Forwarded-For Sec-WebSocket-Key Sec-WebSocket-Version Range If-Modified-Since Cache-Control Date Proxy-Authorization"
).split()
UNKNOWN = (
    "X-Auth", "X-Foo", "X-Content-Length", "X-Host", "Content_Length", "Transfer_Encoding", "Content.Length",
    "!#$%&'*+-.^_`|~", "0", "z" * 200,
)
# Fields that a server may act on, so that a value without sense may be refused.
MEANINGFUL = (
    b"connection", b"upgrade", b"te", b"trailer", b"keep-alive", b"proxy-connection", b"content-encoding",
    b"content_length", b"transfer_encoding", b"sec-websocket-key", b"sec-websocket-version", b"range", b"date",
    b"if-modified-since", b"forwarded", b"via", b"authorization", b"origin", b"expect",
)


def header_names():
    """150 names: prefixes of known ones, the known ones, and longer ones, none of them twice."""
    names = []

    def add(name):
        if name.lower() not in (other.lower() for other in names):
            names.append(name)

    for letter in "XACHTUPSCDEVIKORFW":
        add(letter)
    for name in KNOWN:
        add(name)
    for name in KNOWN:
        for length in (len(name) - 1, len(name) // 2, 2, 4):
            if 0 < length < len(name):
                add(name[:length].rstrip("-") or name[:length])
    for name in KNOWN[:14]:
        add(name + "s")
        add(name + "-X")
    for name in UNKNOWN:
        add(name)
    # The known names come first, so that none of them is left out.
    return [name.encode() for name in names[:150 - len(UNKNOWN)] + names[-len(UNKNOWN):]]


def by_names():
    """Each name before and after each field that decides where a request ends, or for which host it is."""
    for name in header_names():
        field = name + b": a"
        low = name.lower()
        text = name.decode() if len(name) < 40 else "%s... (%d)" % (name[:5].decode(), len(name))
        special = low in (b"host", b"content-length", b"transfer-encoding")
        expected = INVALID if special else EITHER if low in MEANINGFUL else VALID
        yield Case("name before Host", text, request(fields=(field, b"Host: a")), expected, 0)
        yield Case("name after Host", text, request(fields=(b"Host: a", field)), expected, 0)
        yield Case("name before Content-Length", text, counted(INNER, field), expected, len(INNER))
        yield Case("name after Content-Length", text, counted(INNER, after=(field,)), expected, len(INNER))
        yield Case("name before Transfer-Encoding", text, coded(chunks(INNER), field), expected, len(INNER))
        yield Case("name after Transfer-Encoding", text, coded(chunks(INNER), after=(field,)), expected, len(INNER))
        in_get = counted(INNER, field, line=b"GET /a HTTP/1.1")
        yield Case("name before a length in a GET", text, in_get, INVALID if special else EITHER, len(INNER))
        both = (b"Host: a", b"Transfer-Encoding: chunked", field, b"Content-Length: 7")
        between = request(b"POST /a HTTP/1.1", both, chunks(b"")[:5])
        yield Case("name between coding and length", text, between, INVALID)


LENGTHS = [
    b"+5", b"-5", b"0x5", b"5 5", b"5,5", b"5, 5", b"5,6", b"5,", b",5", b"5;", b"5.0", b"5e0", b"'5'", b'"5"',
    b"five", b"", b" ", b"5\x0b", b"\x0b5", b"5\x00", b"\x005", b"5\x0c", b"5\xa0", b"\xc2\xa05", b"\xd9\xa5",
    b"5h", b"0b101", b"5_0", b"1_0", b"18446744073709551621", b"9223372036854775813", b"-0",
    b"99999999999999999999999999", b"5\r",
]
HUGE_LENGTH = b"4294967301"
LENGTH_PAIRS = [
    (b"5", b"5"), (b"5", b"6"), (b"6", b"5"), (b"0", b"5"), (b"5", b"0"), (b"5", b""), (b"", b"5"), (b"5", b"05"),
    (b"5", b"x"), (b"42", b"5"), (b"5", b"5, 5"),
]


def by_lengths():
    for value in [*LENGTHS, HUGE_LENGTH]:
        kind = "length is huge" if value == HUGE_LENGTH else "length is no number"
        for line in (b"POST /a HTTP/1.1", b"GET /a HTTP/1.1", b"PUT /a HTTP/1.0"):
            raw = request(line, (b"Host: a", b"Content-Length: " + value), b"hello")
            yield Case(kind, "%r %s" % (value, line.split()[0].decode()), raw, INVALID)
    for value in (b"5", b"05", b"5 ", b" 5", b"\t5", b"5\t", b"0000000005"):
        raw = request(b"POST /a HTTP/1.1", (b"Host: a", b"Content-Length:" + value), b"hello")
        yield Case("length with blanks or zeros", repr(value), raw, EITHER if value.startswith(b"0") else VALID, 5)
    lower = b"content-length"
    for first, second in LENGTH_PAIRS:
        for names in ((b"Content-Length", b"Content-Length"), (b"Content-Length", lower), (lower.upper(), lower)):
            # RFC 9112 section 6.3 lets a server take equal lengths for one.
            expected = EITHER if first == second else INVALID
            text = "%r %r %s" % (first, second, names[0].decode()[:8])
            one, other = names[0] + b": " + first, names[1] + b": " + second
            raw = request(b"POST /a HTTP/1.1", (b"Host: a", one, other), b"hello")
            yield Case("two lengths", text, raw, expected, 5)
            raw = request(b"POST /a HTTP/1.1", (one, b"Host: a", b"X-Between: a", other), b"hello")
            yield Case("two lengths apart", text, raw, expected, 5)


CODINGS = [
    b"xchunked", b"chunkedx", b"chunk", b"chunked, identity", b"identity, chunked", b"identity", b"gzip, chunked",
    b"gzip", b"deflate", b"chunked, chunked", b"chunked,", b",chunked", b", chunked", b"chunked;q=1",
    b"chunked; a=b", b'"chunked"', b"'chunked'", b"chunked\x0b", b"\x0bchunked", b"\x00chunked", b"chunked\x00",
    b"chun\x00ked", b"x, chunked", b"chunked gzip", b"chunked x", b"", b"trailers", b"cow", b"chunked\xa0",
    b"\xef\xbb\xbfchunked", b"c\xcc\xa7hunked", b"chunked-x", b"CHUNKED, identity", b"chunked\x0c", b"chun ked",
    b"identity\t", b"[chunked]", b"chunked\r", b"chunked\x85", b"\xe1\xb4\x84hunked", b"compress, gzip",
]
GOOD_CODINGS = [
    b"chunked", b"Chunked", b"CHUNKED", b"chunked ", b" chunked", b"\tchunked", b"chunked\t", b" \t chunked \t",
]


def by_codings():
    body = chunks(b"hello", INNER)
    size = 5 + len(INNER)
    for value in CODINGS + GOOD_CODINGS:
        good = value in GOOD_CODINGS
        text = repr(value)
        field = b"Transfer-Encoding: " + value
        raw = request(b"POST /a HTTP/1.1", (b"Host: a", field), body)
        yield Case("coding alone", text, raw, VALID if good else INVALID, size)
        raw = request(b"GET /a HTTP/1.1", (b"Host: a", field), body)
        yield Case("coding alone in a GET", text, raw, EITHER if good else INVALID, size)
        for length in (b"5", b"%d" % len(body)):
            other = b"Content-Length: " + length
            raw = request(b"POST /a HTTP/1.1", (b"Host: a", field, other), body)
            yield Case("coding before length", "%s %r" % (text, length), raw, INVALID)
            raw = request(b"POST /a HTTP/1.1", (b"Host: a", other, field), body)
            yield Case("coding after length", "%s %r" % (text, length), raw, INVALID)
        yield Case("coding in HTTP/1.0", text, request(b"POST /a HTTP/1.0", (b"Host: a", field), body), INVALID)
        fields = (b"Host: a", field, b"Content-Length: %d" % len(body), b"Connection: keep-alive")
        yield Case("coding and length in HTTP/1.0", text, request(b"POST /a HTTP/1.0", fields, body), INVALID)
    for first in (b"chunked", b"identity", b"gzip", b"xchunked", b""):
        for second in (b"chunked", b"identity", b"cow", b"", b"Chunked"):
            fields = (b"Host: a", b"Transfer-Encoding: " + first, b"Transfer-Encoding: " + second)
            yield Case("two codings", "%r %r" % (first, second), request(b"POST /a HTTP/1.1", fields, body), INVALID)
    for name in (b"TRANSFER-ENCODING", b"transfer-encoding", b"tRANSFER-eNCODING"):
        raw = request(b"POST /a HTTP/1.1", (b"Host: a", name + b":chunked"), body)
        yield Case("coding's name in other case", name.decode(), raw, VALID, size)
        raw = request(b"POST /a HTTP/1.1", (b"Host: a", name + b":chunked", b"Content-Length: 5"), body)
        yield Case("coding's name in other case, and length", name.decode(), raw, INVALID)


def decorations(name, value):
    yield "blank before the colon", name + b" : " + value
    yield "tab before the colon", name + b"\t: " + value
    yield "blank at the start", b" " + name + b": " + value
    yield "tab at the start", b"\t" + name + b": " + value
    yield "NUL before the colon", name + b"\x00: " + value
    yield "NUL at the start", b"\x00" + name + b": " + value
    yield "NUL inside", name[:3] + b"\x00" + name[3:] + b": " + value
    yield "CR before the colon", name + b"\r: " + value
    yield "LF before the colon", name + b"\n: " + value
    yield "VT before the colon", name + b"\x0b: " + value
    yield "VT at the start", b"\x0b" + name + b": " + value
    yield "FF at the start", b"\x0c" + name + b": " + value
    yield "no-break blank before the colon", name + b"\xa0: " + value
    yield "byte order mark at the start", b"\xef\xbb\xbf" + name + b": " + value
    yield "quotes", b'"' + name + b'": ' + value
    yield "no colon", name + b" " + value
    yield "equals for the colon", name + b"=" + value
    yield "two colons", name + b":: " + value
    yield "blank inside", name[:4] + b" " + name[4:] + b": " + value
    yield "text before", b"a " + name + b": " + value
    yield "empty name before", b": a\r\n" + name + b": " + value
    yield "empty name folded into", b":" + name + b": " + value
    yield "hidden behind LF", b"X: a\n" + name + b": " + value
    yield "hidden behind CR", b"X: a\r" + name + b": " + value
    yield "hidden behind NUL", b"X: a\x00" + name + b": " + value
    yield "hidden behind LF CR", b"X: a\n\r" + name + b": " + value
    yield "hidden behind CR CR LF", b"X: a\r\r\n" + name + b": " + value
    yield "comment before", b"(a)" + name + b": " + value
    yield "slash", name + b"/: " + value
    yield "high letter", name[:-1] + b"\xe9: " + value


def by_decorations():
    """Fields that decide the framing, spelled so that one reader may take them for what another does not."""
    known = (
        (b"Host", b"b", b""), (b"Content-Length", b"%d" % len(INNER), INNER),
        (b"Transfer-Encoding", b"chunked", chunks(INNER)),
    )
    for name, value, body in known:
        line = b"POST /a HTTP/1.1" if body else b"GET /a HTTP/1.1"
        for what, field in decorations(name, value):
            text = "%s %s" % (name.decode(), what)
            yield Case("decorated field", text, request(line, (b"Host: a", field), body), INVALID)
            yield Case("decorated field first", text, request(line, (field, b"Host: a"), body), INVALID)
            if not body:
                yield Case("decorated host alone", text, request(line, (field,), body), INVALID)
                continue
            raw = request(line, (b"Host: a", name + b": " + value, field), body)
            yield Case("decorated field and a proper one", text, raw, INVALID)
            other = b"Content-Length: %d" % len(body) if name[:1] == b"T" else b"Transfer-Encoding: chunked"
            raw = request(line, (b"Host: a", other, field), body)
            yield Case("decorated field and its rival", text, raw, INVALID)


CHUNK_SIZES = {
    VALID: [b"5", b"05", b"0005", b"5;a", b"5;a=b", b'5;a="b;c"', b'5;a="b\\"c"', b"5;a;b=c"],
    EITHER: [b"0" * 20 + b"5", b"0" * 300 + b"5", b"5 ;a", b"5; a", b"5;a =b", b"5;" + b"a" * 9000],
    INVALID: [
        b"5 ", b"5\t", b" 5", b"\t5", b"0x5", b"+5", b"-5", b"", b"g", b";a", b"5;", b"5;;", b"5;=", b'5;a="b',
        b"5,5", b"5.0", b"5_", b"5h", b"5\x00", b"\x005", b"5;a\x00", b"5;a\rb", b"5;a\nb", b"5\r", b"5;\r",
        b"5;a=\x01", b"5\x0b", b"10000000000000005", b"100000005", b"FFFFFFFFFFFFFFFF", b"8000000000000000",
        b"7fffffffffffffff", b"FFFFFFFFFFFFFFFFFFFFFFFF5", b"5\xa0", b"\xef\xbc\x95", b"5 5", b"-0", b"5/", b"5:",
        b"5=a",
    ],
}
# Whole bodies: how a chunk and the last one end.
CHUNKED_BODIES = {
    VALID: [
        b"0\r\n\r\n", b"5\r\nhello\r\n0;a=b\r\n\r\n", b"A\r\nhellohello\r\n0\r\n\r\n", b"a\r\nhellohello\r\n0\r\n\r\n",
    ],
    EITHER: [
        b"5\r\nhello\r\n0\r\n\n", b"5\r\nhello\r\n00\r\n\r\n", b"5\r\nhello\r\n0000000000\r\n\r\n",
    ],
    INVALID: [
        b"5\nhello\r\n0\r\n\r\n", b"5\r\nhello\n0\r\n\r\n", b"5\r\nhello0\r\n\r\n", b"5\r\nhello\r0\r\n\r\n",
        b"5\rXhello\r\n0\r\n\r\n", b"5\r\nhelloXX0\r\n\r\n", b"5\r\nhello\r\n0\n\n", b"5\r\nhello\r\n0\n\r\n",
        b"5\r\nhello!\r\n0\r\n\r\n", b"5\r\nhell\r\n0\r\n\r\n", b"5\r\nhello\r\n\r\n0\r\n\r\n",
        b"\r\n5\r\nhello\r\n0\r\n\r\n", b"5\r\nhello\r\n 0\r\n\r\n", b"5\r\nhello\r\n0 \r\n\r\n",
        b"5\r\nhello\r\n-0\r\n\r\n", b"5\r\nhello\r\n0\r\r\n\r\n", b"5\r\nhello\r\n0\r\n\r\r\n",
        b"5;\nhello\r\n0\r\n\r\n", b"5;a\nhello\r\n0\r\n\r\n", b"3\r\n\r\n0\r\n\r\n", b"0\r\n" + INNER,
        b"0\r\n\r" + INNER, b"5\r\nhello\r\n0\r\n" + INNER,
    ],
}
TRAILERS = {
    EITHER: [
        b"X: a\r\n", b"X: a\r\nY: b\r\n", b"Content-Length: 5\r\n", b"Transfer-Encoding: chunked\r\n", b"Host: b\r\n",
        b"Connection: close\r\n", b"X: " + b"a" * 9000 + b"\r\n", b"X-Front-Tag: none\r\n",
    ],
    INVALID: [
        b"X\r\n", b"X : a\r\n", b" X: a\r\n", b": a\r\n", b"X: a\r\n b\r\n", b"X: a\n", b"X: a\x00\r\n", b"X: a\rb\r\n",
        b"GET /inner HTTP/1.1\r\nHost: a\r\n", b"X\x00: a\r\n", b"X: a\r\r\n", b"X: \x01\r\n",
    ],
}


def marked(table):
    """The values of a table, each with what a server must do with it."""
    return [(value, expected) for expected, values in table.items() for value in values]


def by_chunk_sizes():
    for size, expected in marked(CHUNK_SIZES):
        rest = CRLF + b"hello\r\n0\r\n\r\n"
        text = repr(size[:24])
        yield Case("chunk size", text, coded(size + rest), expected, 5)
        yield Case("chunk size in a PUT", text, coded(size + rest, line=b"PUT /a HTTP/1.1"), expected, 5)
        yield Case("second chunk size", text, coded(chunks(b"x", last=b"") + size + rest), expected, 6)
        raw = coded(size.replace(b"5", b"%x" % len(INNER)) + CRLF + INNER + b"\r\n0\r\n\r\n")
        inner = expected if b"5" in size else INVALID
        yield Case("chunk size, body holds a request", text, raw, inner, len(INNER))


def by_chunk_ends():
    for body, expected in marked(CHUNKED_BODIES):
        yield Case("chunk framing", "%r POST" % body, coded(body), expected)
        in_get = EITHER if expected == VALID else expected
        yield Case("chunk framing", "%r GET" % body, coded(body, line=b"GET /a HTTP/1.1"), in_get)


def by_trailers():
    for trailer, expected in marked(TRAILERS):
        for extra in ((), (b"Trailer: X",), (b"TE: trailers",)):
            raw = coded(b"5\r\nhello\r\n0\r\n" + trailer + CRLF, *extra)
            yield Case("trailer", "%r %s" % (trailer[:30], extra), raw, expected)


def by_cuts():
    """Requests that end too early, by one byte less each."""
    socket = b"GET /echo HTTP/1.1", (
        b"Host: a", b"Upgrade: websocket", b"Connection: Upgrade", b"Sec-WebSocket-Version: 13",
        b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")
    bases = {
        "GET": request(fields=(b"Host: a", b"X-Foo: bar")),
        "length": counted(b"hello world", b"X: a"),
        "chunks": coded(b"5;a=b\r\nhello\r\n6\r\n world\r\n0\r\nX: a\r\n\r\n", b"X: a"),
        "upgrade": request(*socket),
        "expect": counted(b"hello", b"Expect: 100-continue"),
        "HTTP/1.0": counted(b"hello", line=b"POST /a HTTP/1.0"),
    }
    for name, raw in bases.items():
        for size in range(1, len(raw)):
            yield Case("cut", "%s at %d" % (name, size), raw[:size], CUT)
