"""Sends random pipelines of requests in random pieces: the answers must be the same wherever the pieces are cut.

pipelines.py --server WEB-PEER [--rounds N] [--seed N]: in a round several valid requests, behind which stands
nothing, a part of a request, an invalid one or a last one. They are sent in one piece, in pieces with and without a pause, and
every tenth time byte by byte. Prints one JSON line, before it one for each round with a fault; ends with status 1 if there is one.
"""

import argparse
import json
import random
import re
import socket
import subprocess
import sys
import time

from messages import CRLF, request

INVALID_ENDS = [
    request(fields=(b"Host: a", b"X : y")), request(b"TRACE / HTTP/1.1"), b"GET /\n\n",
    request(b"POST / HTTP/1.1", (b"Host: a", b"Content-Length: 1", b"Content-Length: 1"), b"x"),
]
EXTENSIONS = [b"", b";a", b";a=b", b' ; a="x;y"']
LAST_CHUNKS = [b"0\r\n\r\n", b"000\r\n\r\n", b"0\r\nX: y\r\n\r\n"]
# Bytes that a server which loses its place would take for requests.
BODY_BYTES = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n0"


class Pipelines:
    """Makes the rounds of a seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def body(self):
        return bytes(self.random.choice(BODY_BYTES) for _ in range(self.random.randint(0, 40)))

    def chunked(self, body):
        out = b""
        while body:
            size = self.random.randint(1, len(body))
            out += b"%x%s\r\n%s\r\n" % (size, self.random.choice(EXTENSIONS), body[:size])
            body = body[size:]
        return out + self.random.choice(LAST_CHUNKS)

    def request(self, number):
        body = self.body()
        fields = [b"Host: " + self.random.choice([b"a", b"b:80", b"[::1]"]), b"X-Front-Tag: t%d" % number]
        length = b"Content-Length: %d" % len(body)
        shapes = [
            (b"OPTIONS *", [], b""), (b"GET /x", [], b""), (b"GET http://q/x?y=%41", [], b""), (b"HEAD /x", [], b""),
            (b"POST /x", [length], body), (b"PUT /x", [length], body), (b"OPTIONS /x", [], b""),
            (b"POST /x", [b"Expect: 100-continue", length], body),
            (b"PATCH /x", [b"Transfer-Encoding: chunked"], self.chunked(body)),
        ]
        line, more, sent = self.random.choice(shapes)
        empty = CRLF if number and self.random.random() < 0.1 else b""
        return empty + request(line + b" HTTP/1.1", [*fields, *more], sent)

    def round(self):
        """The bytes of a round, and how many answers of success they get."""
        count = self.random.randint(1, 7)
        raw = b"".join(self.request(number) for number in range(count))
        end = self.random.randrange(4)
        if end == 0:
            return raw, count
        if end == 1:
            return raw + self.request(count)[:self.random.randint(3, 30)], count
        if end == 2:
            return raw + self.random.choice(INVALID_ENDS), count
        return raw + request(fields=(b"Host: a", b"Connection: close")), count + 1

    def cuts(self, raw):
        return sorted(self.random.sample(range(1, len(raw)), self.random.randint(1, 6)))


def exchange(port, raw, cuts, pause):
    """The answers to bytes that are sent in pieces, without what changes from one time to the next."""
    heard = b""
    with socket.create_connection(("127.0.0.1", port)) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.settimeout(60)
        try:
            for start, end in zip([0, *cuts], [*cuts, len(raw)]):
                sock.sendall(raw[start:end])
                time.sleep(pause)
            sock.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # The server has refused and closed; its answer is read below.
        try:
            while piece := sock.recv(1 << 16):
                heard += piece
        except OSError as error:
            heard += b"!" + str(error).encode()
    return re.sub(rb"Date: [^\r]*\r\n", b"", heard).replace(b"HTTP/1.1 100 Continue\r\n\r\n", b"")


def run(port, rounds, seed):
    made = Pipelines(seed)
    faults = sent = 0
    for number in range(rounds):
        raw, expected = made.round()
        ways = [([], 0), (made.cuts(raw), 0), (made.cuts(raw), 0.001), (made.cuts(raw), 0)]
        if number % 10 == 0:
            ways.append((list(range(1, len(raw))), 0))
        first = None
        for cuts, pause in ways:
            heard = exchange(port, raw, cuts, pause)
            sent += 1
            first = heard if first is None else first
            good = len(re.findall(rb"HTTP/1\.1 2\d\d ", heard))
            if heard == first and good == expected:
                continue
            faults += 1
            print(json.dumps({
                "pipeline": number, "cuts": cuts[:20], "expected": expected, "answered": good,
                "sent": raw.decode("latin-1"), "heard": heard[-600:].decode("latin-1")}), flush=True)
            break
    print(json.dumps({"pipelines": rounds, "seed": seed, "sent": sent, "faults": faults}), flush=True)
    return 1 if faults else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--server", required=True, help="the program web-peer")
    parser.add_argument("--rounds", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    server = subprocess.Popen([options.server, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        words = server.stdout.readline().split()
        if words[:1] != [b"listening"]:
            raise SystemExit("pipelines: %s does not serve." % options.server)
        status = run(int(words[1]), options.rounds, options.seed)
        if server.poll() is not None:
            print("pipelines: FAILED: the server ended with %d" % server.returncode, file=sys.stderr)
            return 1
        return status
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    sys.exit(main())
