"""Requests of curl and aiohttp: connections that are kept, chunks, HEAD, large bodies, Expect (RFC 9112 and RFC 9110)."""

import hashlib
import subprocess
from dataclasses import dataclass

import aiohttp

from clients import connect
from peers import SECONDS, CaseFailed

MEGABYTE = 1 << 20
BODY = bytes(number * 31 & 255 for number in range(MEGABYTE))


@dataclass(frozen=True)
class Rule:
    section: str
    rule: str
    # The arguments of curl; the last words are paths, taken at the server.
    arguments: tuple
    # The line that curl writes for each path: status, bytes of the body, connections opened.
    wanted: tuple
    body: bytes = b""
    # Words that the log of the exchange holds, and one that it does not.
    log: tuple = ()
    absent: str = ""


SEND = ("--data-binary", "@-")
CHUNKS = (*SEND, "-H", "Transfer-Encoding: chunked")
EXPECT = ("-H", "Expect: 100-continue", "--expect100-timeout", str(SECONDS))

RULES = [
    Rule("9112 9.3", "five requests take one connection", ("/",) * 5, ("200 6 1", *["200 6 0"] * 4)),
    Rule("9112 9.6", "close ends the connection", ("-H", "Connection: close", "/", "/"), ("200 6 1", "200 6 1"),
         log=("< Connection: close",)),
    Rule("9112 9.3", "HTTP/1.0 ends the connection", ("--http1.0", "--no-alpn", "/", "/"), ("200 6 1", "200 6 1"),
         log=("< HTTP/1.1 200", "< Connection: close")),
    Rule("9110 9.3.2", "HEAD has the length of GET and no body, and the connection goes on",
         ("-I", "/size/1000000", "/", "/size/0"), ("200 0 1", "200 0 0", "200 0 0"),
         log=("< Content-Length: 1000000", "< Content-Length: 6", "< Content-Length: 0")),
    Rule("9110 15.3.5", "204 has no body and no length, and the connection goes on",
         ("-X", "DELETE", "/thing", "/thing"), ("204 0 1", "204 0 0"), absent="Content-Length"),
    Rule("9112 6.2", "a body of 1 MiB each way, twice", (*SEND, "/echo", "/echo"),
         (f"200 {MEGABYTE} 1", f"200 {MEGABYTE} 0"), BODY),
    Rule("9110 15.5.14", "a body of one byte more", (*SEND, "-H", "Expect:", "/echo"), ("413 23 1",), BODY + b"x"),
    Rule("9112 7.1", "chunks of 1 MiB, twice", (*CHUNKS, "/echo", "/echo"), (f"200 {MEGABYTE} 1", f"200 {MEGABYTE} 0"),
         BODY),
    Rule("9112 7.1", "an empty body in chunks", (*CHUNKS, "/echo", "/echo"), ("200 0 1", "200 0 0")),
    Rule("9112 7.1", "chunks of one byte too many", (*CHUNKS, "/echo"), ("413 23 1",), BODY + b"x"),
    Rule("9110 10.1.1", "100-continue before the body", (*SEND, *EXPECT, "/echo"), (f"200 {MEGABYTE} 1",), BODY,
         ("> Expect: 100-continue", "< HTTP/1.1 100 Continue", "< HTTP/1.1 200")),
    Rule("9110 10.1.1", "100-continue before chunks", (*CHUNKS, *EXPECT, "/echo"), (f"200 {MEGABYTE} 1",), BODY,
         ("> Expect: 100-continue", "< HTTP/1.1 100 Continue", "< HTTP/1.1 200")),
    Rule("9110 10.1.1", "too large a body is refused in place of 100", (*SEND, *EXPECT, "/echo"), ("413 23 1",),
         BODY + b"x", absent="100 Continue"),
    Rule("9110 10.1.1", "another expectation", (*SEND, "-H", "Expect: tea", "/echo"), ("417 31 1",), b"abc"),
    Rule("9110 15.5.6", "405 names the methods", ("-X", "PUT", "-H", "Content-Length: 0", "/redirect"), ("405 32 1",),
         log=("< Allow: GET",)),
    Rule("9110 15.6.2", "an unknown method", ("-X", "BREW", "/"), ("501 26 1",)),
    Rule("9112 3.2.4", "OPTIONS *", ("-X", "OPTIONS", "--request-target", "*", "/"), ("204 0 1",), log=("< Allow: ",)),
    Rule("9112 3.2.2", "an absolute target", ("--request-target", "http://other.example/size/5", "/"), ("200 5 1",)),
    Rule("6585 5", "a field of 9000 bytes", ("-H", "X-Long: " + "a" * 9000, "/"), ("431 25 1",)),
]


def by_curl(rule, port, root):
    base = f"{'https' if root else 'http'}://127.0.0.1:{port}"
    words = [part for word in rule.arguments for part in (["-o", "/dev/null", base + word] if word[0] == "/" else [word])]
    done = subprocess.run(
        ["curl", "-sS", "-v", "-m", str(SECONDS), "--noproxy", "*", "--http1.1", *(["--cacert", root] if root else []),
         "-w", "%{http_code} %{size_download} %{num_connects}\n", *words], input=rule.body, capture_output=True,
         timeout=SECONDS)
    said, log = done.stdout.decode(), done.stderr.decode(errors="replace")
    if tuple(said.splitlines()) != rule.wanted:
        raise CaseFailed(f"wants {rule.wanted}, got {said!r}, {log[-500:]}")
    at = 0
    for words in rule.log:
        at = log.find(words, at)
        if at < 0:
            raise CaseFailed(f"{words!r} is not in its place in {log[-1000:]!r}")
    if rule.absent and f"< {rule.absent}" in log:
        raise CaseFailed(f"{rule.absent!r} is in {log[-1000:]!r}")


async def by_aiohttp(report, port, trust):
    base = f"{'https' if trust else 'http'}://127.0.0.1:{port}"
    opened, reused = [], []
    trace = aiohttp.TraceConfig()

    async def count_new(*_):
        opened.append(1)

    async def count_reused(*_):
        reused.append(1)

    trace.on_connection_create_end.append(count_new)
    trace.on_connection_reuseconn.append(count_reused)

    async def parts(count, size):
        for start in range(0, count, size):
            yield BODY[start:min(start + size, count)]

    async def ask(session, section, rule, method, path, wanted, digest=None, **options):
        failure = None
        try:
            async with session.request(method, base + path, ssl=trust, **options) as answer:
                body = await answer.read()
                got = (answer.status, len(body))
                if got != wanted or digest and hashlib.sha256(body).digest() != digest:
                    raise CaseFailed(f"wants {wanted}, got {got}")
        except Exception as error:
            failure = error
        report.run("aiohttp requests", Rule(section, rule, (), ()), lambda: raise_if(failure))

    whole = hashlib.sha256(BODY).digest()
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(SECONDS), trace_configs=[trace]) as session:
        for number in range(10):
            await ask(session, "9112 9.3", f"request {number} of one connection", "GET", "/", (200, 6))
        for size in (MEGABYTE, 65536, 4093):
            await ask(session, "9112 7.1", f"chunks of {size} bytes", "POST", "/echo", (200, MEGABYTE), whole,
                      data=parts(MEGABYTE, size))
        await ask(session, "9112 7.1", "chunks of one byte", "POST", "/echo", (200, 5000), data=parts(5000, 1))
        await ask(session, "9112 6.2", "a body of 1 MiB", "POST", "/echo", (200, MEGABYTE), whole, data=BODY)
        await ask(session, "9110 10.1.1", "100-continue", "POST", "/echo", (200, MEGABYTE), whole, data=BODY,
                  expect100=True)
        await ask(session, "9110 10.1.1", "100-continue and chunks", "POST", "/echo", (200, MEGABYTE), whole,
                  data=parts(MEGABYTE, 65536), expect100=True)
        for count in (0, 1, MEGABYTE):
            await ask(session, "9110 9.3.2", f"HEAD of {count} bytes", "HEAD", f"/size/{count}", (200, 0))
            await ask(session, "9112 6.2", f"GET of {count} bytes", "GET", f"/size/{count}", (200, count))
        await ask(session, "9112 9.6", "close", "GET", "/", (200, 6), headers={"Connection": "close"})
        await ask(session, "9112 9.6", "a request behind close", "GET", "/", (200, 6))
        count = Rule("9112 9.3", "two connections are opened in all", (), ())
        report.run("aiohttp requests", count, lambda: same((2, 25), (len(opened), len(opened) + len(reused))))


def raise_if(error):
    if error:
        raise error


def same(wanted, got):
    if wanted != got:
        raise CaseFailed(f"wants {wanted}, got {got}")


def refused_heads(report, port, trust):
    """A refusal of HEAD ends with its head; curl and aiohttp would pass over a body."""
    fields = "Host: a\r\n"
    for rule, more in (("a body", "Content-Length: 3\r\n"), ("two hosts", "Host: b\r\n"), ("a malformed field",
                                                                                           "Bad Name: b\r\n"),
                       ("an expectation", "Expect: tea\r\n"), ("too large a header", "X: " + "a" * 9000 + "\r\n"),
                       ("a handshake", "Upgrade: websocket\r\nConnection: Upgrade\r\n")):
        def ask(more=more):
            with connect(port, trust) as stream:
                stream.settimeout(SECONDS)
                stream.sendall(f"HEAD / HTTP/1.1\r\n{fields}{more}\r\n".encode())
                text = b""
                while data := stream.recv(65536):
                    text += data
                if not text.startswith(b"HTTP/1.1 4") or not text.endswith(b"\r\n\r\n") or text.count(b"\r\n\r\n") != 1:
                    raise CaseFailed(f"got {text}")

        report.run("raw requests", Rule("9110 9.3.2", f"HEAD that is refused for {rule} has no body", (), ()), ask)


async def run(report, port, trust, root):
    kind = "TLS" if trust else "plain"
    for rule in RULES:
        report.run("curl requests", rule, lambda: by_curl(rule, port, root))
    report.say(f"requests of curl, {kind}", 19)
    await by_aiohttp(report, port, trust)
    report.say(f"requests of aiohttp, {kind}", 26)
    refused_heads(report, port, trust)
    report.say(f"raw requests, {kind}", 6)
