"""The surroundings of the runs: samples, vaults, small disks, buses, other sites."""

import base64
import contextlib
import fcntl
import glob
import http.server
import json
import os
import socket
import subprocess
import threading
import time

import hostile


def folder(name, usual):
    found = os.environ.get(name, usual)
    return found if os.path.isdir(found) else None


def shared():
    return os.path.dirname(os.environ.get("SYMBOLON_VECTORS", "../shared/vectors"))


def samples():
    """The sample credentials and those of deployed wallets, or else the one of the examples."""
    own = folder("SAMPLES", os.path.join(shared(), "credentials"))
    inji = folder("INJI", os.path.join(shared(), "vectors", "credentials", "inji"))
    found = sorted(glob.glob(f"{own}/*.j*") + glob.glob(f"{own}/*.sd-jwt")) if own else []
    if inji:
        found += sorted(glob.glob(f"{inji}/ldp_vc/*.json") + glob.glob(f"{inji}/sd-jwt_vc/*.txt"))
    found = found or ["Examples/credentials/national-id.json"]
    return found + [os.path.join(KIT, "mdoc/good-a-whole-document.cbor"), *sorted(glob.glob(f"{KIT}/cwt/good-*"))[:1]]


KIT = "Vectors/credentials"


def kit(every):
    """The files of the kit of credentials, one of `every`; not the one without a byte, nor texts of codes, which no wallet sends."""
    with open(os.path.join(KIT, "manifest.json")) as file:
        paths = [os.path.join(KIT, case["file"]) for case in json.load(file)["cases"] if case["format"] != "code"]
    return [path for path in paths if os.path.getsize(path)][::every]


def named(name):
    return next((path for path in samples() if os.path.basename(path) == name), None)


def issuer():
    own = folder("SAMPLES", os.path.join(shared(), "credentials"))
    path = own and os.path.join(own, "issuer.txt")
    return open(path).read().strip() if path and os.path.exists(path) else None


def large(work):
    path = os.path.join(work, "large.json")
    noise = base64.b64encode(os.urandom(300_000)).decode()
    with open(path, "wb") as file:
        file.write(hostile.credential({"name": "Large", "note": noise}))
    return path


def portrait():
    """A picture that does not compress: each wallet brings its own bytes."""
    import zlib
    rows = b"".join(b"\0" + os.urandom(20) for _ in range(160))
    return hostile.picture(hostile.png(160, 160, zlib.compress(rows)))


def write_credential(path, name, extra=None):
    with open(path, "wb") as file:
        file.write(hostile.credential({"fullName": name, "dateOfBirth": "1990-05-17", **(extra or {})}))


def slow_link():
    return "phone-4.2"


class OtherKey:
    """An air in between that shows one wallet a key of another code in place of the desk's: its wallet identifies itself
    to the desk, and seals for that other key."""

    def __init__(self, work, air, code):
        self.path = os.path.join(work, f"between-{time.time_ns()}.sock")
        self.air = air
        self.key = bytes.fromhex(code.split("key=")[1][:64])
        self.other = bytes(byte ^ 0x5A for byte in self.key)
        self.code = code.replace(self.key.hex(), self.other.hex())

    def __enter__(self):
        # Only a socket beside a held lock is taken for that of a living host.
        self.lock = open(self.path + ".lock", "w")
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen()
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def _serve(self):
        with contextlib.suppress(OSError):
            while True:
                wallet = self.listener.accept()[0]
                air = socket.socket(socket.AF_UNIX)
                air.connect(self.air)
                threading.Thread(target=self._copy, args=(wallet, air, False), daemon=True).start()
                threading.Thread(target=self._copy, args=(air, wallet, True), daemon=True).start()

    def _copy(self, source, target, changes):
        """Copies frames; an advertisement holds the first five bytes of the key, its scan response the others."""
        rest = b""
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                rest += data
                while len(rest) >= 4 and len(rest) >= 4 + int.from_bytes(rest[:4], "little"):
                    end = 4 + int.from_bytes(rest[:4], "little")
                    frame, rest = rest[:end], rest[end:]
                    if changes:
                        frame = frame.replace(self.key[:5], self.other[:5]).replace(self.key[5:], self.other[5:])
                    target.sendall(frame)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_RDWR)

    def __exit__(self, *_):
        self.listener.close()
        os.unlink(self.path)
        self.lock.close()


def unset_clock(work):
    """An environment in which the clock shows the day of 1970 on which machines without a battery begin."""
    path = os.path.join(work, "clock.so")
    source = os.path.join(work, "clock.c")
    with open(source, "w") as file:
        file.write(
            "#define _GNU_SOURCE\n#include <time.h>\n#include <unistd.h>\n#include <sys/syscall.h>\n"
            "int clock_gettime(clockid_t id, struct timespec *at) {\n"
            "    long result = syscall(SYS_clock_gettime, id, at);\n"
            "    if (!result && id == CLOCK_REALTIME) at->tv_sec %= 86400;\n    return (int)result;\n}\n")
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", path, source], check=True)
    return {"LD_PRELOAD": path}


class Bus:
    """A bus of D-Bus that lets no one speak with bluetoothd."""

    def __init__(self, work):
        self.work = work
        self.address = f"unix:path={work}/bus"

    def __enter__(self):
        path = os.path.join(self.work, "bus.conf")
        with open(path, "w") as file:
            file.write(
                '<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" '
                '"http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd"><busconfig><type>system</type>'
                f'<listen>{self.address}</listen><auth>EXTERNAL</auth><policy context="default"><allow user="*"/>'
                '<allow own="org.bluez"/><allow send_destination="*"/><allow receive_sender="*"/>'
                '<deny send_destination="org.bluez"/></policy></busconfig>')
        self.daemon = subprocess.Popen(["dbus-daemon", f"--config-file={path}", "--nofork"])
        for _ in range(100):
            if os.path.exists(f"{self.work}/bus"):
                break
            time.sleep(0.05)
        self.owner = subprocess.Popen(["python3", "-c", OWNER, self.address])
        time.sleep(0.5)
        return self

    def __exit__(self, *_):
        self.owner.kill()
        self.owner.wait()
        self.daemon.terminate()
        self.daemon.wait()


# Owns the name of bluetoothd: a message to it is then refused by the bus, not by its absence.
OWNER = r"""
import os, socket, struct, sys, time
link = socket.socket(socket.AF_UNIX)
link.connect(sys.argv[1].split("path=")[1])
link.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
link.recv(1000)
link.sendall(b"BEGIN\r\n")
def text(value): return struct.pack("<I", len(value)) + value.encode() + b"\0"
def padded(data, to): return data + b"\0" * (-len(data) % to)
def call(serial, member, signature, body):
    fields = b""
    for code, kind, value in ((1, "o", "/org/freedesktop/DBus"), (6, "s", "org.freedesktop.DBus"),
                              (2, "s", "org.freedesktop.DBus"), (3, "s", member)):
        fields = padded(fields, 8) + bytes([code, 1]) + kind.encode() + b"\0" + text(value)
    if signature:
        fields = padded(fields, 8) + bytes([8, 1]) + b"g\0" + bytes([len(signature)]) + signature.encode() + b"\0"
    head = b"l\1\0\1" + struct.pack("<II", len(body), serial) + struct.pack("<I", len(fields)) + fields
    link.sendall(padded(head, 8) + body)
call(1, "Hello", "", b"")
name = padded(text("org.bluez"), 4) + struct.pack("<I", 0)
call(2, "RequestName", "su", name)
while link.recv(4096): pass
"""


def vault(program, work):
    path, key = os.path.join(work, f"vault-{time.time_ns()}"), os.path.join(work, f"key-{time.time_ns()}")
    subprocess.run([program, "vault", "create", path, "--new-key-file", key, "--label", "desk"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return path, key


class SmallDisk:
    """A file system of a few megabytes; without a path where no user may mount one."""

    def __init__(self, work):
        self.place = os.path.join(work, "disk")
        self.path = None

    def __enter__(self):
        os.makedirs(self.place, exist_ok=True)
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=3m,mode=700", "tmpfs", self.place], stderr=subprocess.DEVNULL)
        if done.returncode == 0:
            self.path = self.place
        return self

    def vault(self, program):
        return vault(program, self.place)

    def fill(self):
        with contextlib.suppress(OSError), open(os.path.join(self.place, "filler"), "wb", 0) as file:
            while file.write(b"\0" * 4096):
                pass

    def free(self):
        os.remove(os.path.join(self.place, "filler"))

    def __exit__(self, *_):
        if self.path:
            subprocess.run(["umount", "-l", self.place])


def codes(own):
    """Codes that phones show, with words of what the page says of them."""
    other = "OPENID4VP://connect?name=Elsewhere&key=" + "ab" * 32
    invitation = base64.urlsafe_b64encode(json.dumps({
        "@type": "https://didcomm.org/connections/1.0/invitation", "@id": "1", "label": "Faber",
        "recipientKeys": ["8HH5gYEeNc3z7PYXmd54d4x6qAfCNrqQqEB3nS7Zfu7K"],
        "serviceEndpoint": "https://faber.example"}).encode()).decode().rstrip("=")
    return [
        (own, "the code of this desk"), (other, "another verifier desk"), (other, "Elsewhere"),
        ("https://faber.example?c_i=" + invitation, "an invitation to connect"),
        ("openid-credential-offer://?credential_offer=%7B%22credential_issuer%22%3A%22https%3A%2F%2Fissuer.example%22%2C"
         "%22credential_configuration_ids%22%3A%5B%22Degree%22%5D%7D", "an offer of a credential"),
        ("openid4vp://authorize?client_id=other.example", "another verifier"),
        ("https://example.org/page", "a link to a page"), ("4006381333931", "no kind that is known"),
    ]


class Site:
    """A page of another site, which may be framed and asked."""

    def __init__(self, work):
        self.work = work

    def __enter__(self):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = b"<!doctype html><title>other</title><body>other"
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()


def cross_site(port):
    """A script in which another page tries to read, to open the socket, to frame, to load the script, and to post."""
    return """(async () => {
      const at = 'http://127.0.0.1:%d', result = {};
      const wait = (ms) => new Promise((done) => setTimeout(done, ms));
      try { await (await fetch(at + '/')).text(); result.read = 'read'; } catch { result.read = 'refused'; }
      try { const r = await fetch(at + '/', {mode: 'no-cors'}); result.blind = r.type === 'opaque' ? 'opaque' : 'read'; }
      catch { result.blind = 'refused'; }
      try { const r = await fetch(at + '/1', {method: 'POST', body: '{}', mode: 'no-cors'}); result.post = r.type === 'opaque' ? 'opaque' : 'read'; }
      catch { result.post = 'refused'; }
      result.socket = await new Promise((done) => {
        const socket = new WebSocket('ws://127.0.0.1:%d/1/events');
        socket.onopen = () => done('opened'); socket.onerror = () => done('refused'); socket.onclose = () => done('refused');
        setTimeout(() => done('nothing'), 5000);
      });
      const frame = document.createElement('iframe');
      frame.src = at + '/'; document.body.append(frame); await wait(700);
      try { result.frame = frame.contentDocument ? (frame.contentDocument.body.innerHTML ? 'read' : 'refused') : 'refused'; }
      catch { result.frame = 'refused'; }
      result.script = await new Promise((done) => {
        const script = document.createElement('script');
        script.src = at + '/assets/desk.js'; script.onload = () => done('loaded'); script.onerror = () => done('refused');
        document.head.append(script);
      });
      result.style = await new Promise((done) => {
        const link = document.createElement('link');
        link.rel = 'stylesheet'; link.href = at + '/assets/desk.css'; link.onload = () => done('loaded'); link.onerror = () => done('refused');
        document.head.append(link);
      });
      return JSON.stringify(result);
    })()""" % (port, port)


def from_outside(port):
    """The addresses of this machine, but for loopback, at which the port answers."""
    found = []
    output = subprocess.run(["hostname", "-I"], capture_output=True, text=True).stdout.split()
    for address in output:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        with socket.socket(family) as link:
            link.settimeout(2)
            with contextlib.suppress(OSError):
                link.connect((address, port))
                found.append(address)
    return found


def raw_sockets(port):
    """WebSockets opened without a browser: with another origin, another host, without an origin, without a code."""
    own = f"127.0.0.1:{port}"
    cases = {
        "another origin": (own, "http://evil.example"), "another port": (own, "http://127.0.0.1:1"),
        "another host": ("evil.example", "http://evil.example"), "no origin": (own, None), "null origin": (own, "null"),
        "no code": (own, f"http://{own}"),
    }
    return {name: raw_socket(port, *case) for name, case in cases.items()}


def raw_socket(port, host, origin):
    head = (f"GET /1/events HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
            + (f"Origin: {origin}\r\n" if origin else "") + "\r\n")
    with socket.create_connection(("127.0.0.1", port), 5) as link:
        link.sendall(head.encode())
        answer = link.recv(4096)
        if b" 101 " not in answer.split(b"\r\n")[0]:
            return answer.split(b"\r\n")[0].decode()
        body = b'{"do":"accept","session":1}'
        mask = b"\1\2\3\4"
        frame = bytes([0x81, 0x80 | len(body)]) + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(body))
        link.settimeout(5)
        with contextlib.suppress(OSError):
            link.sendall(frame)
        rest = answer.split(b"\r\n\r\n", 1)[1]
        with contextlib.suppress(OSError):
            while more := link.recv(4096):
                rest += more
        return "opened" if b"token" in rest or b'"state"' in rest else "closed"
