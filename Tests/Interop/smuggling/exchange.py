"""One run of one case: a client, a front or none, a relay that records, and the server.

    client -> front -> relay -> server

Client and relay are in this process and take turns in one loop, so that a run is over when all ends are.
"""

import secrets
import select
import socket
import time

from reading import count_requests

LIMIT = 10.0      # seconds without any event after which a run counts as hanging
QUIET = 0.0005    # seconds without any event after which the client closes its half
IDLE = 0.002      # seconds that the relay waits for late bytes of a front before the next user's request
LATE = 0.25       # the same in seconds where the front has left a request unfinished and is about to close
ALL = 1 << 20


def connect(address):
    """Connects to a pair of address and port, or to the path of a socket."""
    if isinstance(address, tuple):
        return socket.create_connection(address)
    sock = socket.socket(socket.AF_UNIX)
    sock.connect(address)
    return sock


class Side:
    """One socket of an exchange, with what came from it and what waits for it."""

    def __init__(self, sock):
        sock.setblocking(False)
        if sock.family == socket.AF_INET:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sock = sock
        self.received = bytearray()
        self.waiting = bytearray()
        self.ended = False        # the other end has closed its half
        self.shut = False         # this end has closed its half, or does so when nothing waits
        self.reset = False

    def read(self):
        try:
            data = self.sock.recv(1 << 18)
        except BlockingIOError:
            return b""
        except OSError:
            self.reset = True
            data = b""
        self.ended = self.ended or not data
        self.received += data
        return data

    def write(self, limit=ALL):
        try:
            del self.waiting[:self.sock.send(self.waiting[:limit])]
        except BlockingIOError:
            return
        except OSError:
            self.waiting.clear()
        if not self.waiting and self.shut:
            self.close_half()

    def close_half(self):
        self.shut = True
        if not self.waiting:
            try:
                self.sock.shutdown(socket.SHUT_WR)
            except OSError:
                pass

    @property
    def events(self):
        return (0 if self.ended else select.POLLIN) | (select.POLLOUT if self.waiting else 0)


class Link:
    """A connection of the front, and the relay's own to the server."""

    def __init__(self, front, server):
        self.front, self.server = Side(front), Side(server)
        self.probe = None         # the secret word of the next user's request, where one was sent

    @property
    def forwarded(self):
        return bytes(self.front.received)


class Exchange:
    """Sends a case and records all that is said."""

    def __init__(self, address, server, word, listener=None):
        self.address, self.server, self.word, self.listener = address, server, word, listener
        self.client = None
        self.links = []
        self.hangs = False

    def run(self, raw, bytewise, cut):
        self.client = Side(connect(self.address))
        try:
            self.converse(raw, 1 if bytewise else ALL, cut)
            if self.listener:
                self.finish()
        finally:
            for side in self.sides:
                side.sock.close()

    @property
    def sides(self):
        return [self.client, *(side for link in self.links for side in (link.front, link.server))]

    @property
    def is_open(self):
        return any(not side.ended for side in self.sides[1:])

    def converse(self, raw, limit, cut):
        """Sends the case, closes the client's half when all is quiet (at once if `cut`), and reads to the end."""
        self.client.waiting += raw
        while not self.client.ended:
            moved = self.turn(LIMIT if self.client.shut else QUIET, limit)
            if not self.client.waiting and not self.client.shut and (cut or not moved):
                self.client.close_half()
            elif not moved and self.client.shut:
                self.hangs = True
                return

    def turn(self, patience, limit=ALL):
        """Waits for events and handles them; false when none came."""
        poll = select.poll()
        sides = {side.sock.fileno(): side for side in self.sides if side.events}
        for side in sides.values():
            poll.register(side.sock, side.events)
        if self.listener:
            poll.register(self.listener, select.POLLIN)
        ready = poll.poll(patience * 1000)
        for number, event in ready:
            if number not in sides:
                self.links.append(Link(self.listener.accept()[0], connect(self.server)))
                continue
            side = sides[number]
            if event & select.POLLOUT:
                side.write(limit if side is self.client else ALL)
            if event & ~select.POLLOUT:
                self.relay(side, side.read())
            if limit == 1:
                time.sleep(0)
        return bool(ready)

    def relay(self, side, data):
        for link in self.links:
            other = link.server if side is link.front else link.front if side is link.server else None
            if other:
                other.waiting += data
                if other.waiting:
                    other.write()
                if side.ended:
                    other.close_half()

    def finish(self):
        """After the client: waits for what is still to come, and sends the next user's request where both ends kept
        the connection."""
        kept = [link for link in self.links if not link.front.ended or not link.server.ended]
        whole = all(count_requests(link.forwarded)[1] == "whole" for link in kept)
        while self.is_open and self.turn(IDLE if whole else LATE):
            pass
        for link in self.links:
            front, server = link.front, link.server
            if not front.ended and not server.ended and not server.reset and not self.hangs:
                link.probe = b"%s-probe%s" % (self.word, secrets.token_hex(4).encode())
                server.waiting += b"GET /probe HTTP/1.1\r\nHost: probe\r\nX-Front-Tag: %s\r\n\r\n" % link.probe
                server.write()
            server.close_half()
            front.close_half()
        while self.is_open:
            if not self.turn(LIMIT):
                self.hangs = self.hangs or any(not link.server.ended for link in self.links)
                return
