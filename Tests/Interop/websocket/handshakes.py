"""Opening handshakes that a client sends (RFC 6455 section 4), by a raw socket and by curl; libraries with extensions."""

import base64
import re
import subprocess
from dataclasses import dataclass

import aiohttp
import websockets

from clients import connect, raw_head
from frames import TEXT, Frame
from peers import SECONDS, CaseFailed, RawPeer
from servers import accept_value

KEY = "dGhlIHNhbXBsZSBub25jZQ=="
ACCEPT = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="


@dataclass(frozen=True)
class Handshake:
    section: str
    rule: str
    status: int
    # Fields that replace those of a valid handshake: a value, several, or None for none.
    changes: tuple = ()
    # Fields of the answer; None where the field must not stand.
    answer: tuple = ()
    method: str = "GET"
    version: str = "1.1"
    path: str = "/echo"

    def fields(self):
        fields = {"Upgrade": ["websocket"], "Connection": ["Upgrade"], "Sec-WebSocket-Version": ["13"],
                  "Sec-WebSocket-Key": [KEY]}
        for name, value in self.changes:
            fields[name] = [] if value is None else [value] if isinstance(value, str) else value
        return [(name, value) for name, values in fields.items() for value in values]


def key_of(count):
    return base64.b64encode(b"k" * count).decode()


OPEN = (("Sec-WebSocket-Accept", ACCEPT), ("Upgrade", "websocket"), ("Connection", "Upgrade"),
        ("Sec-WebSocket-Extensions", None), ("Sec-WebSocket-Protocol", None), ("Content-Length", None))
OTHER_VERSION = (("Sec-WebSocket-Version", "13"), ("Upgrade", "websocket"), ("Sec-WebSocket-Accept", None))
REFUSED = (("Sec-WebSocket-Accept", None), ("Upgrade", None))


def accepted():
    yield Handshake("4.2.2", "a valid handshake is answered with its key", 101, answer=OPEN)
    for value in ("WebSocket", "WEBSOCKET", "h2c, websocket", "websocket,foo/1"):
        yield Handshake("4.2.1", f"Upgrade: {value}", 101, (("Upgrade", value),), OPEN)
    for value in ("upgrade", "UPGRADE", "keep-alive, Upgrade", "Upgrade , keep-alive"):
        yield Handshake("4.2.1", f"Connection: {value}", 101, (("Connection", value),), OPEN)
    yield Handshake("4.2.1", "Connection in two fields", 101, (("Connection", ["keep-alive", "Upgrade"]),), OPEN)
    for value in ("permessage-deflate", "permessage-deflate; client_max_window_bits", "x-webkit-deflate-frame, mux",
                  'foo; bar="a b"; baz, foo'):
        yield Handshake("9.1", f"extension {value} is not negotiated", 101, (("Sec-WebSocket-Extensions", value),), OPEN)
    yield Handshake("9.1", "extensions in two fields are not negotiated", 101,
                    (("Sec-WebSocket-Extensions", ["permessage-deflate", "mux"]),), OPEN)


def versions():
    for value in ("8", "7", "12", "14", "0", "255", "013", "13, 8", "x"):
        yield Handshake("4.4", f"version {value}", 426, (("Sec-WebSocket-Version", value),), OTHER_VERSION)
    yield Handshake("4.4", "no version", 426, (("Sec-WebSocket-Version", None),), OTHER_VERSION)
    yield Handshake("4.2.1", "two versions", 400, (("Sec-WebSocket-Version", ["13", "13"]),), REFUSED)
    yield Handshake("11.3.5", "two versions, another first", 400, (("Sec-WebSocket-Version", ["8", "13"]),), REFUSED)


def refused():
    keys = {"no key": None, "an empty key": [""], "a key of 15 bytes": key_of(15), "a key of 17 bytes": key_of(17),
            "a key of 1 byte": key_of(1), "a key of 24 bytes": key_of(24), "a key without padding": KEY[:-2],
            "a key outside of base64": "!" * 22 + "==", "a key with a blank within": KEY[:8] + " " + KEY[9:],
            "two keys": [KEY, KEY]}
    for rule, value in keys.items():
        yield Handshake("4.2.1", rule, 400, (("Sec-WebSocket-Key", value),), REFUSED)
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH"):
        yield Handshake("4.2.1", f"{method} does not open a WebSocket", 400, answer=REFUSED, method=method)
    yield Handshake("4.2.1", "GET with a body does not open a WebSocket", 400, (("Content-Length", "5"),), REFUSED)
    yield Handshake("4.2.1", "no host", 400, (("Host", [""]),), REFUSED)
    yield Handshake("4.2.2", "another path", 404, answer=REFUSED, path="/other")
    yield Handshake("10.2", "a page of another origin", 403, (("Origin", "https://other.example"),), REFUSED)
    yield Handshake("10.2", "a page without an origin of its own", 403, (("Origin", "null"),), REFUSED)
    yield Handshake("10.2", "any origin where all are allowed", 101, (("Origin", "https://other.example"),), OPEN,
                    path="/chat")


def ordinary():
    """Requests that do not ask for a WebSocket: the test server answers with a text of 6 bytes."""
    plain = (("Sec-WebSocket-Accept", None), ("Upgrade", None), ("Content-Length", "6"))
    yield Handshake("4.2.1", "no Upgrade", 200, (("Upgrade", None),), plain, path="/")
    for value in ("h2c", "websockets", "websocket/13", "web socket"):
        yield Handshake("4.2.1", f"Upgrade: {value}", 200, (("Upgrade", value),), plain, path="/")
    yield Handshake("4.2.1", "no Connection", 200, (("Connection", None),), plain, path="/")
    for value in ("keep-alive", "Upgrades"):
        yield Handshake("4.2.1", f"Connection: {value}", 200, (("Connection", value),), plain, path="/")
    yield Handshake("4.2.1", "HTTP/1.0", 200, answer=plain, version="1.0", path="/")


def subprotocols():
    def chat(rule, offered, chosen):
        answer = [field for field in OPEN if field[0] != "Sec-WebSocket-Protocol"] if chosen else REFUSED
        more = (("Sec-WebSocket-Protocol", chosen),)
        return Handshake("4.2.2", rule, 101 if chosen else 400, (("Sec-WebSocket-Protocol", offered),), (*answer, *more),
                         path="/chat")

    yield chat("one subprotocol", "chat.v1", "chat.v1")
    yield chat("the client's first one is chosen", "chat.v2, chat.v1", "chat.v2")
    yield chat("the first one that is known is chosen", "other, chat.v1 ,chat.v2", "chat.v1")
    yield chat("subprotocols in two fields", ["other", "chat.v2"], "chat.v2")
    yield chat("no known subprotocol", "other", None)
    yield chat("names are compared with case", "CHAT.V1", None)
    yield chat("a blank within a name is not dropped", "chat .v1", None)
    yield chat("a name that a known one begins", "chat.v10", None)
    yield Handshake("4.2.2", "no subprotocol offered", 101, answer=OPEN, path="/chat")
    yield Handshake("4.2.2", "a subprotocol where none is spoken", 400, (("Sec-WebSocket-Protocol", "chat.v1"),), REFUSED)


CASES = [*accepted(), *versions(), *refused(), *ordinary(), *subprotocols()]


def check_answer(case, head):
    """Compares the head of an answer, as text, with what a case wants."""
    first, *lines = head.split("\r\n")
    if not re.match(rf"HTTP/1\.1 {case.status} ", first):
        raise CaseFailed(f"wants {case.status}, got {first}")
    fields = {}
    for line in lines:
        name, value = line.split(":", 1)
        fields.setdefault(name.lower(), []).append(value.strip())
    for name, value in case.answer:
        if fields.get(name.lower()) != (None if value is None else [value]):
            raise CaseFailed(f"wants {name}: {value}, got {fields.get(name.lower())}")
    if case.status == 426 and "upgrade" not in ", ".join(fields.get("connection", [])).lower():
        raise CaseFailed("426 without Connection: Upgrade (RFC 9110 sections 7.8 and 15.5.22)")
    if case.status >= 400 and "close" not in ", ".join(fields.get("connection", [])).lower():
        raise CaseFailed("the connection of a refused handshake is not said to end")


def by_raw(case, port, trust):
    fields = case.fields()
    if not any(name == "Host" for name, _ in fields):
        fields.insert(0, ("Host", f"127.0.0.1:{port}"))
    lines = [f"{case.method} {case.path} HTTP/{case.version}"]
    lines += [f"{name}: {value}" for name, value in fields if (name, value) != ("Host", "")]
    with connect(port, trust) as stream:
        head, _ = raw_head(stream, "\r\n".join([*lines, "", ""]).encode())
        check_answer(case, head.decode())


def by_curl(case, port, root):
    """curl prints the head, and waits for what follows it; it is ended then."""
    base = f"{'https' if root else 'http'}://127.0.0.1:{port}"
    command = ["curl", "-sS", "-D", "-", "-o", "/dev/null", "-m", str(SECONDS), "--noproxy", "*", "-X", case.method,
               # In TLS the one protocol agreed on by name is http/1.1, and curl would ask for http/1.0.
               "--http" + case.version, *(["--no-alpn"] if case.version == "1.0" else []),
               *(["--cacert", root] if root else [])]
    for name, value in case.fields():
        command += ["-H", f"{name}: {value}" if value or name == "Host" else f"{name};"]
    if case.version == "1.1" and not any(name == "Host" for name, _ in case.fields()):
        command += ["-H", f"Host: 127.0.0.1:{port}"]
    with subprocess.Popen([*command, base + case.path], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as curl:
        head = b""
        while not head.endswith(b"\r\n\r\n") and (line := curl.stdout.readline()):
            head += line
        curl.kill()
        said = curl.stderr.read()
    if not head.endswith(b"\r\n\r\n"):
        raise CaseFailed(f"curl got {head}, and says {said}")
    check_answer(case, head[:-4].decode())


def frames_behind_handshake(port, trust):
    """Frames in the same write as the handshake are read (RFC 6455 section 4.1: a client waits, a raw one does not)."""
    with connect(port, trust) as stream:
        fields = Handshake("", "", 101).fields()
        head = "".join(f"{name}: {value}\r\n" for name, value in fields)
        frames = b"".join(Frame(TEXT, text).encode(by_client=True) for text in (b"one", b"two"))
        head, rest = raw_head(stream, f"GET /echo HTTP/1.1\r\nHost: a\r\n{head}\r\n".encode() + frames)
        peer = RawPeer(stream, is_client=True, received=rest)
        got = [peer.receive(), peer.receive()]
        if got != [("text", b"one"), ("text", b"two")]:
            raise CaseFailed(f"got {got}")


async def run(report, port, trust, root):
    kind = "TLS" if trust else "plain"
    for case in CASES:
        report.run("raw handshake", case, lambda: by_raw(case, port, trust))
    early = Handshake("5.1", "frames in the write of the handshake", 101)
    report.run("raw handshake", early, lambda: frames_behind_handshake(port, trust))
    report.say(f"raw handshakes, {kind}", 60)
    for case in CASES:
        report.run("curl handshake", case, lambda: by_curl(case, port, root))
    report.say(f"handshakes of curl, {kind}", 60)
    await by_libraries(report, port, trust, kind)


async def by_libraries(report, port, trust, kind):
    base = f"{'wss' if trust else 'ws'}://127.0.0.1:{port}"
    found = []
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(SECONDS)) as session:
        for protocols in ((), ("chat.v1",), ("other", "chat.v2", "chat.v1")):
            wanted = next((name for name in protocols if name != "other"), None)
            async with session.ws_connect(base + "/chat", protocols=protocols, compress=15, ssl=trust) as peer:
                await peer.send_str("é")
                found.append((f"aiohttp offers {protocols} and compression", (wanted, 0, "é"),
                              (peer.protocol, peer.compress, await peer.receive_str())))
            async with websockets.connect(base + "/chat", subprotocols=protocols or None, ssl=trust, open_timeout=SECONDS,
                                          compression="deflate") as peer:
                await peer.send(["é", "é"])
                found.append((f"websockets offers {protocols} and compression", (wanted, [], "éé"),
                              (peer.subprotocol, peer.protocol.extensions, await peer.recv())))
    for rule, wanted, got in found:
        report.run("libraries", Handshake("9.1", rule, 101), lambda: same(wanted, got))
    report.say(f"handshakes of aiohttp and websockets, {kind}", 6)


def same(wanted, got):
    if wanted != got:
        raise CaseFailed(f"wants {wanted}, got {got}")
