"""Answers of a raw server to our client: malformed handshakes, responses cut off (RFC 6455 section 4.1, RFC 9112)."""

import asyncio
import subprocess
from dataclasses import dataclass

from frames import TEXT, Frame, close
from peers import SECONDS, CaseFailed, RawPeer
from servers import OurClient, accept, accept_value, listen, read_head, serve_each, server_trust

UPGRADE, CONNECTION, ACCEPT = "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Accept: {}"
FIRST = "HTTP/1.1 101 Switching Protocols"
VALID = (FIRST, UPGRADE, CONNECTION, ACCEPT)
MALFORMED, LOST = "web.response.malformed", "web.connection.lost"


@dataclass(frozen=True)
class Response:
    section: str
    rule: str
    # The lines of the head; {} stands for the right value of Sec-WebSocket-Accept.
    lines: tuple
    # The line that our client prints; it begins with "open" where the WebSocket is open.
    wanted: str
    # The number of bytes of the answer that are sent; all where it is None.
    sent: int | None = None
    # The bytes before the head, and those behind it.
    before: str = ""
    behind: bytes = b""

    def bytes(self, key):
        head = "\r\n".join([*self.lines, "", ""]).replace("{}", accept_value(key))
        return (self.before.encode() + head.encode() + self.behind)[:self.sent]


def with_fields(rule, *fields, wanted=MALFORMED, section="4.1"):
    return Response(section, rule, (*VALID, *fields), wanted)


def handshakes():
    done = "open p closed 1000"
    chosen = (*VALID, "Sec-WebSocket-Protocol: p")
    yield Response("4.1", "a valid answer", VALID, "open  closed 1000")
    yield Response("4.1", "the subprotocol that was offered", chosen, done)
    yield Response("4.1", "words without regard to case",
                   (FIRST, "upgrade: WebSocket", "CONNECTION: keep-alive, UPGRADE", ACCEPT,
                    "sec-websocket-protocol: p"), done)
    yield Response("4.1", "no reason phrase", ("HTTP/1.1 101 ", *chosen[1:]), done)
    yield Response("9110 15.2", "interim answers before it", chosen, done,
                   before="HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 8)
    yield Response("9110 15.2", "nine interim answers", chosen, MALFORMED, before="HTTP/1.1 100 Continue\r\n\r\n" * 9)
    yield Response("5.1", "a text in the write of the answer", chosen, done, behind=Frame(TEXT, b"early").encode(False))
    yield Response("5.5.1", "a close in the write of the answer", chosen, "open p closed 3001",
                   behind=close(3001).encode(False))
    other = accept_value(b"dGhlIHNhbXBsZSBub25jZQ==")
    for rule, lines in {
        "no Sec-WebSocket-Accept": VALID[:3], "an empty Sec-WebSocket-Accept": (*VALID[:3], "Sec-WebSocket-Accept: "),
        "Sec-WebSocket-Accept of another key": (*VALID[:3], "Sec-WebSocket-Accept: " + other),
        "Sec-WebSocket-Accept twice": (*VALID, ACCEPT),
        "more behind Sec-WebSocket-Accept": (*VALID[:3], ACCEPT + ", x"), "Sec-WebSocket-Accept cut": (*VALID[:3],
                                                                                                       ACCEPT + "="),
        "no Upgrade": (FIRST, CONNECTION, ACCEPT), "another Upgrade": (FIRST, "Upgrade: h2c", CONNECTION, ACCEPT),
        "no Connection": (FIRST, UPGRADE, ACCEPT), "another Connection": (FIRST, UPGRADE, "Connection: keep-alive",
                                                                          ACCEPT),
        "HTTP/1.0": ("HTTP/1.0 101 Switching Protocols", *VALID[1:]), "HTTP/2.0": ("HTTP/2.0 101 Switching Protocols",
                                                                                   *VALID[1:]),
        "no version": ("101 Switching Protocols", *VALID[1:]), "a status of two digits": ("HTTP/1.1 10 Switching",
                                                                                          *VALID[1:]),
        "a status of four digits": ("HTTP/1.1 1010 Switching", *VALID[1:]), "a folded field": (*VALID, " folded"),
        "a blank before the colon": (*VALID, "X : y"), "a field without a name": (*VALID, ": y"),
        "a control character": (*VALID, "X: \x01"), "an empty line before it": ("", *VALID),
    }.items():
        yield Response("4.1", rule, lines, MALFORMED)
    for value in ("permessage-deflate", "", "x-unknown; a=b"):
        yield with_fields(f"an extension that was not asked for, {value!r}", f"Sec-WebSocket-Extensions: {value}",
                          section="9.1")
    for value in ("q", "P", "", "p, q", "p q"):
        yield with_fields(f"a subprotocol that was not offered, {value!r}", f"Sec-WebSocket-Protocol: {value}")
    yield with_fields("a subprotocol twice", "Sec-WebSocket-Protocol: p", "Sec-WebSocket-Protocol: p")
    yield with_fields("a header of 17000 bytes", "X: " + "a" * 17000, wanted="web.response.header-too-large",
                      section="10.4")
    for status in (200, 204, 302, 400, 401, 403, 404, 426, 500, 503):
        yield Response("4.1", f"status {status}", (f"HTTP/1.1 {status} Other", *VALID[1:], "Location: /1"),
                       "web.upgrade.refused")
    size = len(Response("", "", VALID, "").bytes(b"x"))
    for sent in range(0, size, 3):
        yield Response("4.1", f"the answer is cut off behind {sent} bytes", VALID, LOST, sent=sent)
    for frame, name in ((Frame(TEXT, b"hello").encode(False), "text"), (close(1000).encode(False), "close")):
        for sent in range(len(frame)):
            yield Response("7.1.5", f"the connection ends behind {sent} bytes of a {name}", VALID,
                           "open  web.connection.lost",
                           behind=frame[:sent])
    yield Response("7.1.5", "the connection ends within a message", VALID, "open  web.connection.lost",
                   behind=Frame(TEXT, b"a", final=False).encode(False))


HANDSHAKES = list(handshakes())


def serve_handshake(stream, case):
    try:
        _, fields = read_head(stream)
        stream.sendall(case.bytes(fields[b"sec-websocket-key"]))
        if case.wanted.endswith("closed 1000"):
            peer = RawPeer(stream, is_client=False)
            if case.behind and (got := peer.receive()) != ("text", b"early"):
                raise CaseFailed(f"our client echoes {got}")
            peer.send([close(1000)])
            if (got := peer.receive()) != ("close", 1000):
                raise CaseFailed(f"our client answers {got}")
    except ConnectionError:
        pass  # Our client left when it had read enough; what it says is the result.


async def answer_handshakes(report, program, roots, kind):
    with listen() as listener:
        ours = OurClient(program, roots, len(HANDSHAKES), listener.getsockname()[1])
        ours.arguments += ["--protocol", "p"]
        await ours.start()
        said = asyncio.create_task(ours.lines())
        failures = await asyncio.to_thread(serve_each, listener, server_trust(roots), HANDSHAKES, serve_handshake)
        lines = await said
    for number, (case, failure) in enumerate(zip(HANDSHAKES, failures)):
        line = lines[number] if number < len(lines) else "nothing"

        def both(case=case, failure=failure, line=line):
            if failure:
                raise failure
            if line != case.wanted:
                raise CaseFailed(f"our client says {line!r} in place of {case.wanted!r}")

        report.run("raw answers", case, both)
    report.say(f"handshakes of a raw server, {kind}", len(HANDSHAKES))


def bodies():
    """Responses to a GET: the bytes, and what our client says about them."""
    counted = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n12345"
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n0\r\n\r\n"
    yield "9112 6.2", "a body with a length", counted, "bytes 5"
    yield "9112 7.1", "a body in chunks", chunked, "bytes 5"
    yield "9112 6.3", "a body that ends with the connection", b"HTTP/1.1 200 OK\r\n\r\n12345", "bytes 5"
    for name, data in (("a length", counted), ("chunks", chunked)):
        for cut in (1, 3, 5, 7, 12, 20, 30, len(data) - 1):
            if cut < len(data):
                yield "9112 8", f"an answer with {name} is cut off {cut} bytes before its end", data[:-cut], LOST
    yield "9112 8", "no answer", b"", LOST
    yield "9112 6.1", "length and chunks", chunked.replace(b"\r\n\r\n", b"\r\nContent-Length: 5\r\n\r\n", 1), MALFORMED
    yield "9112 6.3", "two lengths", counted.replace(b"\r\n\r\n", b"\r\nContent-Length: 6\r\n\r\n", 1), MALFORMED
    yield "9112 7.1", "a chunk longer than it says", chunked.replace(b"12345", b"123456"), MALFORMED
    yield "9110 15.2.2", "101 that was not asked for", b"HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\n\r\n", MALFORMED


def secure_bodies():
    """The same over TLS: whether the server says its end (close_notify) decides where only the end delimits the body."""
    data = b"HTTP/1.1 200 OK\r\n\r\n12345"
    yield "9112 9.8", "a body that ends with close_notify", data, "bytes 5", True
    yield "9112 9.8", "a body that ends without close_notify", data, LOST, False
    for says_end in (True, False):
        for section, rule, data, wanted in bodies():
            if rule != "a body that ends with the connection":
                yield section, f"{rule}, close_notify {says_end}", data, wanted, says_end


def answer_bodies(report, program, roots, kind):
    cases = list(secure_bodies()) if roots else [(*case, False) for case in bodies()]
    trust = server_trust(roots)
    with listen() as listener:
        command = [program, "get", f"{'https' if roots else 'http'}://server.example:{listener.getsockname()[1]}/"]
        command += ["--roots", roots] if roots else []
        for section, rule, data, wanted, says_end in cases:
            case = Response(section, rule, (), wanted)
            report.run("raw answers", case, lambda: answer_body(listener, trust, command, data, wanted, says_end))
    report.say(f"responses of a raw server, {kind}", len(cases))


def answer_body(listener, trust, command, data, wanted, says_end):
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as ours:
        with accept(listener, trust) as stream:
            read_head(stream)
            stream.sendall(data)
            if says_end:
                try:
                    stream.unwrap()
                except (OSError, ValueError):
                    pass  # Our client left when it had read enough.
        said, _ = ours.communicate(timeout=SECONDS)
    if wanted not in said:
        raise CaseFailed(f"our client says {said!r} in place of {wanted!r}")


async def run(report, program, roots, kind):
    await answer_handshakes(report, program, roots, kind)
    await asyncio.to_thread(answer_bodies, report, program, roots, kind)
