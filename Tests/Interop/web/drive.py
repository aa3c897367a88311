"""Foreign clients and servers against ours, on this machine alone, plain and over TLS.

drive.py WEB-PEER FOLDER: the program under test, and an empty folder for certificates. Every step says "ok" or "SKIPPED"
with its reason; what is not as it should be ends the run with status 1.
"""

import asyncio
import hashlib
import json
import os
import resource
import shutil
import ssl
import subprocess
import sys

import aiohttp
import websockets
from aiohttp import web

PEER, FOLDER = sys.argv[1], sys.argv[2]
HERE = os.path.dirname(os.path.abspath(__file__))
NAME = "server.example"
ROOT, CHAIN, KEY = (os.path.join(FOLDER, name) for name in ("root.pem", "server.pem", "server.key"))
LIMIT = 120
# Idle sockets that are measured, those before them, and what else a process has open at a time.
IDLE, WARM, OTHER_FILES = 1000, 200, 300


def say(*words):
    print("interop-web:", *words, flush=True)


def idle_sockets():
    """Returns the number of idle sockets that the machine permits a process; raises the soft limit as needed and permitted."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = IDLE + WARM + OTHER_FILES
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return IDLE
    possible = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (possible, hard))
    count = possible - WARM - OTHER_FILES
    check(count > 0, "no process may open more than", possible, "files; idle sockets take more")
    if count < IDLE:
        say("idle sockets:", count, "only, because no process may open more than", possible, "files")
    return count


def check(holds, *words):
    if not holds:
        say("FAILED:", *words)
        sys.exit(1)


def make_certificates():
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], cwd=FOLDER, check=True, capture_output=True, timeout=LIMIT)

    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    openssl("req", "-x509", *curve, "-keyout", "root.key", "-out", "root.pem", "-days", "2", "-subj", "/CN=Root of a test",
            "-addext", "keyUsage=critical,keyCertSign,cRLSign")
    openssl("req", *curve, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=" + NAME)
    with open(os.path.join(FOLDER, "server.ext"), "w", encoding="ascii") as file:
        file.write(f"subjectAltName=DNS:{NAME},IP:127.0.0.1\nbasicConstraints=CA:FALSE\n"
                   "authorityKeyIdentifier=keyid\nsubjectKeyIdentifier=hash\nextendedKeyUsage=serverAuth\n")
    openssl("x509", "-req", "-in", "server.csr", "-CA", "root.pem", "-CAkey", "root.key", "-CAcreateserial", "-out",
            "server.pem", "-days", "2", "-extfile", "server.ext")


class Server:
    """Our server, or one of Node; ends with its standard input."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline().split()[-1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()

    def residentBytes(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return int(next(line for line in file if line.startswith("VmRSS")).split()[1]) * 1024


def patient_socket(url, **options):
    """A client's socket whose deadlines no busy machine reaches."""
    return websockets.connect(url, open_timeout=LIMIT, close_timeout=LIMIT, ping_interval=None, **options)


def ours(isSecure):
    # Deadlines that no busy machine reaches; the tests of the server are about the real ones.
    patience = ["--header-seconds", str(LIMIT), "--idle-seconds", str(LIMIT)]
    return Server(PEER, "serve", *patience, *(["--cert", CHAIN, "--key", KEY] if isSecure else []))


def run(*command, env=None, status=0):
    done = subprocess.run(command, capture_output=True, timeout=LIMIT, env={**os.environ, **(env or {})})
    check(done.returncode == status, command, done.returncode, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout


def client(*arguments, status=0, env=None):
    return run(PEER, *arguments, status=status, env=env).decode()


def with_curl(port, isSecure):
    base = f"{'https' if isSecure else 'http'}://{NAME}:{port}"
    common = ["curl", "-sS", "-m", "100", "--noproxy", "*", "--resolve", f"{NAME}:{port}:127.0.0.1", "--cacert", ROOT]
    form = ["-o", "/dev/null", "-w", "%{http_code} %{http_version} %{size_download} %{num_connects}"]

    def curl(*arguments):
        return run(*common, *arguments).decode()

    check(curl(base + "/") == "hello\n", "curl: a text")
    if isSecure:
        check(curl("--http2", *form, base + "/") == "200 1.1 6 1", "curl: HTTP/2 is not agreed on")
    check(curl(*form, base + "/", base + "/").endswith("0"), "curl: the second request uses the first connection")
    for count in (0, 1, 1_000_000):
        check(len(curl(f"{base}/size/{count}")) == count, "curl: sizes")
    large = os.path.join(FOLDER, "large")
    for count, answer in ((1 << 20, "200 1.1 1048576 1"), ((1 << 20) + 1, "413 1.1 23 1")):
        with open(large, "wb") as file:
            file.write(b"a" * count)
        check(curl(*form, "--data-binary", "@" + large, base + "/echo") == answer, "curl: a body of", count, "bytes")
        chunks = ["-H", "Transfer-Encoding: chunked", "--data-binary", "@" + large, base + "/echo"]
        check(curl(*form, *chunks) == answer, "curl: a body in chunks of", count, "bytes")
    check(curl("-I", base + "/").count("Content-Length: 6") == 1, "curl: HEAD")
    check(curl("-X", "DELETE", *form, base + "/thing").startswith("204 "), "curl: DELETE")
    check(curl("-H", "X-Test: seen", base + "/header") == "seen", "curl: a field that the server was told to keep")
    check(curl(*form, base + "/redirect").startswith("302"), "curl: a redirect")
    say("curl", "over TLS" if isSecure else "plain", "ok")


def with_node(port, isSecure):
    if not shutil.which("node"):
        return say("node SKIPPED: there is none")
    flags = subprocess.run(["node", "--help"], capture_output=True, text=True, timeout=LIMIT).stdout
    flag = ["--experimental-websocket"] if "--experimental-websocket" in flags else []
    base = f"{'https' if isSecure else 'http'}://127.0.0.1:{port}"
    print(run("node", *flag, os.path.join(HERE, "node-client.mjs"), base,
              env={"NODE_EXTRA_CA_CERTS": ROOT, "NODE_NO_WARNINGS": "1"}).decode(), end="")


async def with_aiohttp(port, isSecure):
    trust = ssl.create_default_context(cafile=ROOT) if isSecure else None
    base = f"{'https' if isSecure else 'http'}://127.0.0.1:{port}"
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(LIMIT)) as session:
        async with session.get(base + "/", ssl=trust) as answer:
            check(answer.status == 200 and await answer.text() == "hello\n", "aiohttp: a text")

        async def echo(number):
            body = hashlib.sha256(str(number).encode()).digest() * (number * 10)
            async with session.post(base + "/echo", data=body, ssl=trust) as answer:
                check(await answer.read() == body, "aiohttp: an echo of", len(body), "bytes")

        await asyncio.gather(*(echo(number) for number in range(200)))

        async def parts():
            yield b"in "
            yield b"chunks"

        async with session.post(base + "/echo", data=parts(), ssl=trust) as answer:
            check(await answer.read() == b"in chunks", "aiohttp: a body in chunks")
        async with session.ws_connect(base + "/chat", protocols=["chat.v2"], ssl=trust) as socket:
            check(socket.protocol == "chat.v2", "aiohttp: the protocol")
            await socket.send_str("é")
            check(await socket.receive_str() == "é", "aiohttp: a text")
            await socket.send_bytes(b"b" * 100_000)
            check(await socket.receive_bytes() == b"b" * 100_000, "aiohttp: bytes")
            await socket.ping()
    say("aiohttp", "over TLS" if isSecure else "plain", "ok")


async def with_websockets(port, isSecure):
    trust = ssl.create_default_context(cafile=ROOT) if isSecure else None
    base = f"{'wss' if isSecure else 'ws'}://127.0.0.1:{port}"
    async with patient_socket(base + "/echo", ssl=trust, max_size=None) as socket:
        for count in (0, 1, 125, 126, 65535, 65536, 1 << 20):
            await socket.send(b"a" * count)
            check(await socket.recv() == b"a" * count, "websockets: bytes", count)
            await socket.send("é" * (count // 2))
            check(await socket.recv() == "é" * (count // 2), "websockets: a text", count)
        await socket.send(["in ", "several ", "frames"])
        check(await socket.recv() == "in several frames", "websockets: frames become one message")
        await asyncio.wait_for(await socket.ping(), LIMIT)
        began = asyncio.get_running_loop().time()
        for number in range(2000):
            await socket.send(str(number))
            await socket.recv()
        rate = 2000 / (asyncio.get_running_loop().time() - began)
    # A client that is cut off while it still sends may not learn why, so it tries again; no such request is ever answered.
    reasons = [await too_large(base, trust)]
    while reasons[-1] is None and len(reasons) < 10:
        reasons.append(await too_large(base, trust))
    check(reasons[-1] == 1009, "websockets: the status of a message too large", reasons)
    for code in (1000, 1001, 1008, 1011, 1013, 3000, 4999):
        async with patient_socket(f"{base}/close/{code}", ssl=trust) as socket:
            await socket.wait_closed()
            check(socket.close_code == code and socket.close_reason == "as asked", "websockets: status", code)
    for path, status in (("/nowhere", 404), ("/chat", 400)):
        try:
            async with patient_socket(base + path, ssl=trust, subprotocols=["unknown"]):
                check(False, "websockets: a socket that should be refused is open")
        except websockets.InvalidStatus as refused:
            check(refused.response.status_code == status, "websockets: the refusal of", path)
    await feed(base, trust)
    say("websockets", "over TLS" if isSecure else "plain", "ok,", round(rate), "echoes/s of one client")


async def too_large(base, trust):
    """The status with which a socket is closed that sends too much; None where that was not heard."""
    async with patient_socket(base + "/echo", ssl=trust, max_size=None) as socket:
        try:
            await socket.send(b"a" * ((1 << 20) + 1))
            await asyncio.wait_for(socket.recv(), LIMIT)
            check(False, "websockets: a message too large passed")
        except websockets.ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd else None


async def feed(base, trust):
    """One publisher, fifty readers."""
    readers = [await patient_socket(base + "/feed", ssl=trust) for _ in range(50)]
    async with aiohttp.ClientSession() as session:
        for number in range(10):
            await session.post(base.replace("ws", "http", 1) + "/publish", data=str(number), ssl=trust)
    for reader in readers:
        heard = [await asyncio.wait_for(reader.recv(), LIMIT) for _ in range(10)]
        check(heard == [str(number) for number in range(10)], "websockets: what is published comes in order")
        await reader.close()


async def our_client(isSecure):
    """Our client against servers of aiohttp and websockets."""
    trust = None
    if isSecure:
        trust = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        trust.load_cert_chain(CHAIN, KEY)

    async def answer(request):
        if request.path == "/chunks":
            response = web.StreamResponse()
            response.enable_chunked_encoding()
            await response.prepare(request)
            for _ in range(10):
                await response.write(b"x" * 1000)
            await response.write_eof()
            return response
        if request.path == "/moved":
            raise web.HTTPFound("/")
        return web.Response(body=await request.read())

    async def echo(request):
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        async for message in socket:
            if message.type == aiohttp.WSMsgType.TEXT:
                await socket.send_str(message.data)
            else:
                await socket.send_bytes(message.data)
        return socket

    app = web.Application(client_max_size=1 << 26)
    app.router.add_get("/echo", echo)
    app.router.add_route("*", "/{rest:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=trust)
    await site.start()
    port = site._server.sockets[0].getsockname()[1]
    roots = ["--roots", ROOT] if isSecure else []
    base = f"{'https' if isSecure else 'http'}://{NAME}:{port}"

    async def ask(*arguments, status=0, env=None):
        return await asyncio.to_thread(client, *arguments, status=status, env=env)

    check("bytes 10000" in await ask("get", base + "/chunks", *roots), "our client: chunks of aiohttp")
    check("status 302" in await ask("get", base + "/moved", *roots), "our client: a redirect is not followed")
    proxy = {"http_proxy": "127.0.0.1:1", "https_proxy": "127.0.0.1:1"}
    check("status 200" in await ask("get", base + "/", *roots, env=proxy), "our client: a proxy is not obeyed")
    check("bytes 3000000" in await ask("post", base + "/", *roots, "--body-bytes", "3000000"), "our client: a large body")
    sockets = base.replace("http", "ws", 1)
    check("closed" in await ask("socket", sockets + "/echo", *roots, "--count", "50"), "our client: sockets of aiohttp")
    if isSecure:
        check("web.tls.untrusted" in await ask("get", base + "/", status=1), "our client: an unknown root")
        other = base.replace(NAME, "other.example")
        check("web.tls.untrusted" in await ask("get", other + "/", *roots, status=1), "our client: another name")
    await runner.cleanup()

    async def handler(socket):
        async for message in socket:
            await socket.send(message)

    async with websockets.serve(handler, "127.0.0.1", 0, ssl=trust, subprotocols=["p"], max_size=None) as server:
        port = server.sockets[0].getsockname()[1]
        sockets = f"{'wss' if isSecure else 'ws'}://{NAME}:{port}/"
        said = await ask("socket", sockets, *roots, "--count", "50", "--bytes", "300000", "--protocol", "p")
        check("open p" in said and "closed" in said, "our client: sockets of websockets", said)
    say("our client against aiohttp and websockets,", "over TLS" if isSecure else "plain", "ok")


def our_client_to_node():
    if not shutil.which("node"):
        return
    with Server("node", os.path.join(HERE, "node-server.mjs")) as server:
        base = f"http://127.0.0.1:{server.port}"
        check("text one two" in client("get", base + "/chunks"), "our client: chunks of Node")
        check("status 307" in client("get", base + "/moved"), "our client: a redirect of Node")
        check("bytes 100000" in client("post", base + "/", "--body-bytes", "100000"), "our client: a body for Node")
    say("our client against Node ok")


def requests_per_second(port, isSecure):
    if not shutil.which("wrk"):
        return None
    url = f"{'https' if isSecure else 'http'}://127.0.0.1:{port}/"
    said = run("wrk", "-t1", "-c64", "-d5s", "--timeout", "60s", url).decode()
    check("Non-2xx" not in said and "Socket errors" not in said, "wrk:", said)
    return round(float(said.split("Requests/sec:")[1].split()[0]))


async def idle_bytes(server, isSecure, count):
    """Returns the bytes of server memory for one more idle WebSocket."""
    trust = ssl.create_default_context(cafile=ROOT) if isSecure else None
    url = f"{'wss' if isSecure else 'ws'}://127.0.0.1:{server.port}/echo"

    async def open_some(number):
        gate = asyncio.Semaphore(50)

        async def one():
            async with gate:
                return await patient_socket(url, ssl=trust)

        return await asyncio.gather(*(one() for _ in range(number)))

    sockets = await open_some(WARM)
    await asyncio.sleep(1)
    before = server.residentBytes()
    sockets += await open_some(count)
    await asyncio.sleep(1)
    after = server.residentBytes()
    # Sockets that idle are still there.
    for socket in (sockets[0], sockets[-1]):
        await socket.send("still")
        check(await asyncio.wait_for(socket.recv(), LIMIT) == "still", "an idle socket is gone")
    await asyncio.gather(*(socket.close() for socket in sockets))
    return (after - before) // count


async def main():
    count = idle_sockets()
    make_certificates()
    figures = {}
    for isSecure in (False, True):
        with ours(isSecure) as server:
            with_curl(server.port, isSecure)
            with_node(server.port, isSecure)
            await with_aiohttp(server.port, isSecure)
            await with_websockets(server.port, isSecure)
        await our_client(isSecure)
    our_client_to_node()
    for isSecure in (False, True):
        kind = "tls" if isSecure else "plain"
        with ours(isSecure) as server:
            figures[f"{kind}_idle_socket_bytes"] = await idle_bytes(server, isSecure, count)
        with ours(isSecure) as server:
            figures[f"{kind}_requests_per_second"] = requests_per_second(server.port, isSecure)
    say("figures:", json.dumps(figures))


asyncio.run(main())
