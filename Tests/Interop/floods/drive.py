"""Floods a cloud agent from one source, while clients of other sources use it; prints JSON Lines and fails by the limits below.

Every connection comes over loopback with a header of PROXY protocol version 2 that names its source; with --direct without one from
addresses of this machine, of which each has a larger part. Four floods, one after the other, from one source: WebSockets with unfinished messages, connections that
send a byte of their header now and then, bodies of 1 MB, and again all of these at once. Meanwhile clients of other sources open
connections and get answers. A minute later the resident memory is compared with that before the floods. Then the public listener
is filled, and the operator's one asked.
"""

import argparse
import base64
import json
import os
import resource
import selectors
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time

# The limits: p99 of the others' requests in seconds, resident memory a minute later beside that at the start.
LIMIT_P99 = 0.100
LIMIT_MEMORY = 1.3
FLOODER = "198.51.100.2"
OTHERS = [f"203.0.113.{number}" for number in range(3, 11)]
# With --direct: these addresses of this machine, and no proxy.
OWN_FLOODER = "127.0.0.2"
OWN_OTHERS = [f"127.0.0.{number}" for number in range(3, 11)]
DIRECT = "--direct" in sys.argv
if DIRECT:
    FLOODER, OTHERS = OWN_FLOODER, OWN_OTHERS


def proxy_header(source, port=40000):
    """The header of PROXY protocol version 2 for a TCP connection of version 4."""
    addresses = socket.inet_aton(source) + socket.inet_aton("127.0.0.1") + struct.pack("!HH", port, 443)
    return b"\r\n\r\n\0\r\nQUIT\n" + bytes([0x21, 0x11]) + struct.pack("!H", len(addresses)) + addresses


def connect(port, source, timeout=10):
    own = (source, 0) if source and DIRECT else None
    connection = socket.create_connection(("127.0.0.1", port), timeout=timeout, source_address=own)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if source and not DIRECT:
        connection.sendall(proxy_header(source))
    return connection


def status(connection):
    """The status of the next response, which is read to its end if it has a length; None when there is none."""
    answer = b""
    while b"\r\n\r\n" not in answer:
        more = connection.recv(65536)
        if not more:
            return None
        answer += more
    head, body = answer.split(b"\r\n\r\n", 1)
    length = 0
    for line in head.split(b"\r\n")[1:]:
        name, value = line.split(b":", 1)
        if name.lower() == b"content-length":
            length = int(value)
    while len(body) < length:
        more = connection.recv(65536)
        if not more:
            break
        body += more
    return int(head.split(b" ", 2)[1])


def quantile(times, share):
    return sorted(times)[min(len(times) - 1, int(len(times) * share))] if times else None


class Agent:
    """A running cloud agent."""

    def __init__(self, program, folder, *options):
        self.folder = folder
        proxies = [] if DIRECT else ["--proxies", "127.0.0.1", "--proxy-header", "proxy-protocol"]
        words = [program, "agent", "run", "--json", "--listen", "127.0.0.1:0", "--data", folder,
                 "--admin-listen", "127.0.0.1:0", *proxies, *options]
        self.log = open(folder + ".log", "w")
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=self.log, text=True)
        event = json.loads(self.process.stdout.readline())
        self.port = port_of(event["address"])
        self.admin = port_of(event["admin"].rstrip("/"))

    def resident(self):
        with open(f"/proc/{self.process.pid}/status") as lines:
            return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS:"))

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()


def port_of(address):
    return int(address.rsplit(":", 1)[1])


class Others:
    """Clients of other sources: each asks over a new connection and over one that stays, 20 times a second."""

    def __init__(self, port):
        self.port = port
        self.times = []
        self.failures = []
        self.ended = threading.Event()
        self.threads = [threading.Thread(target=self.run, args=(source, number)) for number, source in enumerate(OTHERS)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        for thread in self.threads:
            thread.join()

    def run(self, source, number):
        request = b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"
        kept = None
        due = time.monotonic() + number * 0.05 / len(OTHERS)
        count = 0
        while not self.ended.is_set():
            time.sleep(max(0, due - time.monotonic()))
            count += 1
            try:
                if count % 2:
                    connection = connect(self.port, source)
                else:
                    # A connection ends after 1,000 requests.
                    if kept is None or count % 1000 == 0:
                        kept = connect(self.port, source)
                    connection = kept
                connection.sendall(request)
                found = status(connection)
                if found != 200:
                    self.failures.append(f"status {found}")
                if connection is not kept:
                    connection.close()
            except OSError as error:
                self.failures.append(str(error))
                kept = None
            # From the time at which the request was due, so that a late one counts all of its delay.
            self.times.append(time.monotonic() - due)
            due = max(due + 0.05, time.monotonic() - 1)
        if kept:
            kept.close()


# Floods. Each is a function that runs until the time given, with blocking or selected sockets of one thread.

def unfinished_messages(port, until, count=259):
    """WebSockets that send 900 kB of a message each and then no more; those that are closed are opened again."""
    key = base64.b64encode(os.urandom(16))
    opening = (b"GET / HTTP/1.1\r\nHost: a.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
               b"Sec-WebSocket-Key: " + key + b"\r\n\r\n")
    # Fragments of 60 kB, the first of them text, none the last.
    payload = bytes(60_000)
    def fragment(kind):
        return bytes([kind, 0xFE]) + struct.pack("!H", len(payload)) + b"\0\0\0\0" + payload
    message = fragment(1) + fragment(0) * 14
    return swarm(port, until, count, lambda: (opening + message, 0, 0))


def slow_headers(port, until, count=3000):
    """Connections that send a byte of their header each second."""
    return swarm(port, until, count, lambda: (b"GET / HTTP/1.1\r\nHost: a.example\r\nX: " + b"a" * 200, 60, 1.0))


def bodies(port, until, count=1000, at_once=64):
    """A thousand requests with a body of 1 MB, spread over the time, and at most 64 at a time."""
    body = b"POST / HTTP/1.1\r\nHost: a.example\r\nContent-Type: application/didcomm-envelope-enc\r\n" \
        b"Content-Length: 1000000\r\nConnection: close\r\n\r\n" + b"{" * 1_000_000
    return swarm(port, until, at_once, lambda: (body, 0, 0), most=count, pace=(until - time.monotonic()) / count)


def swarm(port, until, count, plan, most=None, pace=None):
    """Holds `count` connections that send what `plan` says: bytes, how many of them at once (0 for all that the system takes),
    and the pause in seconds until the next. One that ends is opened again, after a second or at the pace given in seconds for
    each, and at most so many in all. Returns how many were opened."""
    selector = selectors.DefaultSelector()
    held, opened, waiting = {}, 0, []
    # The times from which on connections may be opened.
    start = time.monotonic()
    free = [start + pace * number for number in range(most)] if pace else [start] * count
    def close(connection):
        selector.unregister(connection)
        held.pop(connection, None)
        connection.close()
        if not pace:
            free.append(time.monotonic() + 1)
    while (now := time.monotonic()) < until or pace and (held or free) and now < until + 30:
        # At most 100 new ones in a turn, so that all are served.
        for _ in range(100):
            if not free or free[0] > now or len(held) >= count:
                break
            free.pop(0)
            try:
                connection = connect(port, FLOODER)
            except OSError:
                break
            connection.setblocking(False)
            data, first, pause = plan()
            held[connection] = [memoryview(data), first, pause, 0.0]
            opened += 1
            selector.register(connection, selectors.EVENT_READ | (0 if pause else selectors.EVENT_WRITE))
            if pause:
                waiting.append((now, connection))
        while waiting and waiting[0][0] <= now:
            _, connection = waiting.pop(0)
            state = held.get(connection)
            if state is None or not state[0]:
                continue
            step = state[1] or 1
            state[1] = 1
            try:
                state[0] = state[0][connection.send(state[0][:step]):]
            except OSError:
                close(connection)
                continue
            waiting.append((now + state[2], connection))
        for event, mask in selector.select(0.02):
            connection = event.fileobj
            state = held[connection]
            try:
                if mask & selectors.EVENT_READ:
                    if not connection.recv(65536):
                        close(connection)
                        continue
                if mask & selectors.EVENT_WRITE:
                    state[0] = state[0][connection.send(state[0]):]
                    if not state[0]:
                        selector.modify(connection, selectors.EVENT_READ)
            except BlockingIOError:
                pass
            except OSError:
                close(connection)
    for connection in list(held):
        close(connection)
    return opened


FLOODS = {"unfinished-messages": [unfinished_messages], "slow-headers": [slow_headers], "bodies": [bodies],
          "together": [unfinished_messages, slow_headers, bodies]}


def flooded(program, floods, port, seconds):
    """Runs floods in processes of their own; returns their outputs."""
    running = [subprocess.Popen([sys.executable, __file__, "--flood", flood.__name__, "--port", str(port), "--seconds",
                                 str(seconds)] + (["--direct"] if DIRECT else []), stdout=subprocess.PIPE, text=True)
               for flood in floods]
    return [int(process.communicate(timeout=seconds + 90)[0]) for process in running]


def report(name, **fields):
    print(json.dumps({"flood": name, **fields}), flush=True)


def measure(program, seconds, pause):
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        agent = Agent(program, folder + "/agent")
        try:
            with Others(agent.port) as others:
                time.sleep(seconds)
            start = agent.resident()
            failures += judge("none", others, resident=start)
            for name, floods in FLOODS.items():
                with Others(agent.port) as others:
                    opened = flooded(program, floods, agent.port, seconds)
                failures += judge(name, others, opened=opened, resident=agent.resident())
            time.sleep(pause)
            after = agent.resident()
            ratio = after / start
            report("memory", start=start, after=after, ratio=round(ratio, 3), secondsLater=pause)
            if ratio > LIMIT_MEMORY:
                failures.append(f"a minute later resident memory is {ratio:.2f} times that at the start")
        finally:
            agent.stop()
        failures += full_listener(program, folder + "/full")
    return failures


def judge(name, others, **fields):
    p99 = quantile(others.times, 0.99)
    report(name, requests=len(others.times), failures=len(others.failures), p50=round(statistics.median(others.times), 4),
           p99=round(p99, 4), **fields)
    failures = []
    if others.failures:
        failures.append(f"{name}: {len(others.failures)} requests of others failed, such as by {others.failures[0]}")
    if p99 > LIMIT_P99:
        failures.append(f"{name}: p99 of others is {p99 * 1000:.0f} ms")
    return failures


def full_listener(program, folder):
    """Fills the public listener, and asks the operator's one."""
    agent = Agent(program, folder, "--connections", "300")
    held, failures = [], []
    try:
        for number in range(300):
            held.append(connect(agent.port, f"127.0.2.{1 + number % 200}" if DIRECT else f"198.51.100.{1 + number % 200}"))
        refused = connect(agent.port, OTHERS[-1])
        refused.sendall(b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n")
        try:
            public = status(refused)
        except OSError:
            public = None
        times = []
        for _ in range(50):
            began = time.monotonic()
            operator = connect(agent.admin, None)
            operator.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            found = status(operator)
            operator.close()
            times.append(time.monotonic() - began)
            if found != 200:
                failures.append(f"the operator's listener answers {found} while the public one is full")
                break
        report("full", public=public, p99=round(quantile(times, 0.99), 4), failures=len(failures))
        if public == 200:
            failures.append("the public listener is not full")
        if quantile(times, 0.99) > LIMIT_P99:
            failures.append("the operator's listener is slow while the public one is full")
    finally:
        for connection in held:
            connection.close()
        agent.stop()
    return failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program")
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--pause", type=float, default=60)
    parser.add_argument("--direct", action="store_true", help="from addresses of this machine, without a proxy")
    parser.add_argument("--flood")
    parser.add_argument("--port", type=int)
    options = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if options.flood:
        print(globals()[options.flood](options.port, time.monotonic() + options.seconds))
        return 0
    failures = measure(options.program, options.seconds, options.pause)
    for failure in failures:
        print(f"FAILED: {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
