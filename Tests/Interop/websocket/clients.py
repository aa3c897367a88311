"""Foreign clients against our server: each case of the table as far as the client sends it."""

import base64
import os
import socket
import ssl

import aiohttp
from websockets.client import ClientProtocol
from websockets.uri import parse_uri

import control
import messages
from frames import BINARY, CLOSE, PING, PONG, TEXT
from peers import SECONDS, CaseFailed, LibraryPeer, RawPeer, converse, judge
from table import close_code, is_utf8

CASES = [*messages.all_cases(), *control.all_cases()]
# The most bytes of a case that is sent byte by byte.
BYTEWISE = 70_000


def connect(port, trust):
    stream = socket.create_connection(("127.0.0.1", port), SECONDS)
    stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return trust.wrap_socket(stream, server_hostname="127.0.0.1") if trust else stream


def raw_head(stream, head):
    """Sends the head of a request; the head of the answer and what came behind it."""
    stream.settimeout(SECONDS)
    stream.sendall(head)
    received = b""
    while b"\r\n\r\n" not in received:
        data = stream.recv(1 << 16)
        if not data:
            raise CaseFailed(f"the connection ended within a head: {received}")
        received += data
    return received.split(b"\r\n\r\n", 1)


def raw_open(port, trust, chop=None, path="/echo"):
    stream = connect(port, trust)
    key = base64.b64encode(os.urandom(16)).decode()
    head, rest = raw_head(stream, (
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n").encode())
    if not head.startswith(b"HTTP/1.1 101 "):
        raise CaseFailed(f"the handshake is answered with {head}")
    return RawPeer(stream, is_client=True, received=rest, chop=chop)


def library_open(port, trust):
    stream = connect(port, trust)
    protocol = ClientProtocol(parse_uri(f"ws://127.0.0.1:{port}/echo"), max_size=None)
    protocol.send_request(protocol.connect())
    peer = LibraryPeer(stream, protocol)
    peer.flush()
    while not (events := protocol.events_received()):
        protocol.receive_data(stream.recv(1 << 16))
    if protocol.handshake_exc:
        raise protocol.handshake_exc
    peer.events += events[1:]
    return peer


def with_peer(opening, case):
    peer = opening()
    try:
        converse(peer, case)
    finally:
        peer.end()


def raw(report, port, trust, kind):
    for chop in (None,) if trust else (None, 1, 997):
        title = f"raw client, {kind}, {'whole writes' if chop is None else f'writes of {chop}'}"
        for case in CASES:
            if chop is None or case.size < BYTEWISE or chop > 1 and case.size < 2 * messages.LIMIT:
                report.run(title, case, lambda: with_peer(lambda: raw_open(port, trust, chop), case))
        report.say(title, 600)


def library(report, port, trust, kind):
    for case in CASES:
        if case.is_sent_by_websockets:
            report.run("client websockets", case, lambda: with_peer(lambda: library_open(port, trust), case))
    report.say(f"client websockets, {kind}", 300)


async def with_aiohttp(report, port, trust, kind):
    url = f"{'wss' if trust else 'ws'}://127.0.0.1:{port}/echo"
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(SECONDS)) as session:
        for case in CASES:
            if case.is_sent_by_aiohttp:
                failure = None
                try:
                    async with session.ws_connect(url, ssl=trust, autoping=False, autoclose=False, max_msg_size=0) as peer:
                        await converse_aiohttp(peer, case)
                except Exception as error:
                    failure = error
                report.run("client aiohttp", case, lambda: raise_if(failure))
    report.say(f"client aiohttp, {kind}", 100)


def raise_if(error):
    if error:
        raise error


EVENTS = {aiohttp.WSMsgType.TEXT: "text", aiohttp.WSMsgType.BINARY: "binary", aiohttp.WSMsgType.PONG: "pong",
          aiohttp.WSMsgType.CLOSE: "close", aiohttp.WSMsgType.CLOSED: "end", aiohttp.WSMsgType.CLOSING: "end"}


async def receive_aiohttp(peer):
    message = await peer.receive(SECONDS)
    kind = EVENTS.get(message.type, message.type)
    if kind == "close":
        return kind, message.data or None
    return kind, message.data.encode() if kind == "text" else bytes(message.data or b"")


async def converse_aiohttp(peer, case):
    """As `converse`, by the methods of an aiohttp WebSocket, of a client or a server."""
    for frame in case.frames:
        if frame.opcode == TEXT:
            await peer.send_str(frame.payload.decode())
        elif frame.opcode == BINARY:
            await peer.send_bytes(frame.payload)
        elif frame.opcode == PING:
            await peer.ping(frame.payload)
        elif frame.opcode == PONG:
            await peer.pong(frame.payload)
        else:
            await peer.close(code=close_code(frame.payload), message=frame.payload[2:])
            if peer.close_code != case.answers[-1][1]:
                raise CaseFailed(f"wants {case.answers}, got {peer.close_code}")
            return
    events = []
    while len(events) < len(case.answers) and not (events and events[-1][0] in ("end", "close")):
        events.append(await receive_aiohttp(peer))
    judge(case, events)
    if not case.closes:
        await peer.ping(b"last")
        if (got := await receive_aiohttp(peer)) != ("pong", b"last"):
            raise CaseFailed(f"wants the last pong, got {got}")
        await peer.close(code=1000, message=b"done")
        if peer.close_code != 1000:
            raise CaseFailed(f"wants 1000 at the end, got {peer.close_code}")
