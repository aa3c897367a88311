"""Foreign servers against our client: each case of the table as far as the server sends it.

Our client connects once for each case, to /0, /1 and so on, and echoes what it hears.
"""

import asyncio
import base64
import hashlib
import socket
import ssl

from aiohttp import web
from websockets.server import ServerProtocol

import messages
from clients import BYTEWISE, CASES, converse_aiohttp
from peers import SECONDS, CaseFailed, LibraryPeer, RawPeer, converse

# The names by which our client reports a refused WebSocket, by the code of the close frame that it sends.
REFUSALS = {1002: "web.socket.violation", 1007: "web.socket.violation", 1009: "web.socket.message-too-large"}

# Behind so many failed cases no further one is run.
MOST_FAILED = 5


def wanted_line(case):
    """Returns the line that our client must print for a case."""
    if not case.closes:
        return "closed 1000"
    if case.refusal:
        return REFUSALS[case.refusal]
    code = case.answers[-1][1]
    if code is None:
        return "closed 0"
    return f"closed {code}" if code in (1000, 1001) or code >= 3000 else "web.socket.closed"


def accept_value(key):
    return base64.b64encode(hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest()).decode()


def read_head(stream):
    """The request of our client; its first line and its fields."""
    received = b""
    while not received.endswith(b"\r\n\r\n"):
        data = stream.recv(1 << 16)
        if not data:
            raise CaseFailed(f"our client ended within its request: {received}")
        received += data
    first, *lines = received[:-4].split(b"\r\n")
    return first, {name.lower(): value.strip() for name, value in (line.split(b":", 1) for line in lines)}


def listen():
    return socket.create_server(("127.0.0.1", 0), backlog=100)


def accept(listener, trust):
    listener.settimeout(SECONDS)
    stream, _ = listener.accept()
    stream.settimeout(SECONDS)
    stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return trust.wrap_socket(stream, server_side=True) if trust else stream


def upgrade(key, more=""):
    return ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Accept: {accept_value(key)}\r\n{more}\r\n").encode()


def raw_open(stream, chop):
    first, fields = read_head(stream)
    if not first.startswith(b"GET /") or fields[b"sec-websocket-version"] != b"13" or b"upgrade" not in fields:
        raise CaseFailed(f"our client asks {first} {fields}")
    if len(base64.b64decode(fields[b"sec-websocket-key"], validate=True)) != 16 or b"sec-websocket-extensions" in fields:
        raise CaseFailed(f"our client asks with {fields}")
    stream.sendall(upgrade(fields[b"sec-websocket-key"]))
    return RawPeer(stream, is_client=False, chop=chop)


def library_open(stream):
    protocol = ServerProtocol(max_size=None)
    peer = LibraryPeer(stream, protocol)
    while not (events := protocol.events_received()):
        protocol.receive_data(stream.recv(1 << 16))
    protocol.send_response(protocol.accept(events[0]))
    peer.flush()
    peer.events += events[1:]
    return peer


class OurClient:
    """The program under test as a client that connects `count` times."""

    def __init__(self, program, roots, count, port):
        scheme = "wss" if roots else "ws"
        self.arguments = [program, "answer", f"{scheme}://server.example:{port}/", "--times", str(count),
                          *(["--roots", roots] if roots else [])]

    async def start(self):
        self.process = await asyncio.create_subprocess_exec(*self.arguments, stdout=asyncio.subprocess.PIPE)

    async def lines(self):
        said, _ = await asyncio.wait_for(self.process.communicate(), SECONDS)
        return [line.split(" ", 1)[1].strip() for line in said.decode().splitlines()]


async def serve_cases(report, title, program, roots, cases, opening, least):
    """Serves one connection after the other, each by a case; `opening` makes a peer of an accepted socket."""
    trust = server_trust(roots)
    with listen() as listener:
        ours = OurClient(program, roots, len(cases), listener.getsockname()[1])
        await ours.start()
        said = asyncio.create_task(ours.lines())
        failures = await asyncio.to_thread(
            serve_each, listener, trust, cases, lambda stream, case: converse(opening(stream), case))
        compare(report, title, cases, failures, await said)
    report.say(title, least)


def not_run(failures):
    """Why a further case is not run: so many failed that each would wait for its deadline."""
    return CaseFailed("not run") if sum(failure is not None for failure in failures) >= MOST_FAILED else None


def serve_each(listener, trust, cases, serve):
    """For each case the failure of `serve(stream, case)` over a connection of its own, or None."""
    failures = []
    for case in cases:
        failure = not_run(failures)
        if not failure:
            try:
                with accept(listener, trust) as stream:
                    serve(stream, case)
            except Exception as error:
                failure = error
        failures.append(failure)
    return failures


def compare(report, title, cases, failures, said):
    for number, (case, failure) in enumerate(zip(cases, failures)):
        line = said[number] if number < len(said) else "nothing"

        def both(failure=failure, line=line, wanted=wanted_line(case)):
            if failure:
                raise failure
            if line.split(maxsplit=1)[-1] != wanted:
                raise CaseFailed(f"our client says {line!r} in place of {wanted!r}")

        report.run(title, case, both)


def server_trust(roots):
    if not roots:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(roots.replace("root.pem", "server.pem"), roots.replace("root.pem", "server.key"))
    return context


async def raw(report, program, roots, kind):
    for chop in (None,) if roots else (None, 1, 997):
        title = f"raw server, {kind}, {'whole writes' if chop is None else f'writes of {chop}'}"
        cases = [case for case in CASES if chop != 1 or case.size < BYTEWISE]
        await serve_cases(report, title, program, roots, cases, lambda stream: raw_open(stream, chop), 600)


async def library(report, program, roots, kind):
    cases = [case for case in CASES if case.is_sent_by_websockets]
    await serve_cases(report, f"server websockets, {kind}", program, roots, cases, library_open, 300)


async def with_aiohttp(report, program, roots, kind):
    cases = [case for case in CASES if case.is_sent_by_aiohttp]
    failures = [CaseFailed("our client never came")] * len(cases)

    async def handle(request):
        number = int(request.path[1:])
        peer = web.WebSocketResponse(autoping=False, autoclose=False, max_msg_size=0, timeout=SECONDS)
        try:
            await peer.prepare(request)
            await converse_aiohttp(peer, cases[number])
            failures[number] = None
        except Exception as error:
            failures[number] = error
        return peer

    app = web.Application()
    app.router.add_get("/{number}", handle)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=server_trust(roots))
    await site.start()
    ours = OurClient(program, roots, len(cases), site._server.sockets[0].getsockname()[1])
    await ours.start()
    said = await ours.lines()
    await runner.cleanup()
    compare(report, f"server aiohttp, {kind}", cases, failures, said)
    report.say(f"server aiohttp, {kind}", 100)
