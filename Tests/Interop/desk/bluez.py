"""A desk on BlueZ: `bluez.py PROGRAM` in the machine of Scripts/bluez-machine.sh, whose adapters are hci0 and hci1.

The desk advertises on hci0; the wallet, a second process, scans and sends on hci1. What a page does is done here: it opens the
desk's WebSocket with the one-time code, sees the states, the credential and the verdict, and accepts or rejects. Before the
first wallet and after the last, while the code for the next is shown, a phone of each mode shows a licence to the same adapter.
"""

import base64
import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import time

import places
from station import Desk


class Page:
    """The WebSocket of a page, without a browser."""

    def __init__(self, desk, code):
        self.link = socket.create_connection(("127.0.0.1", desk.port), 10)
        own = f"127.0.0.1:{desk.port}"
        key = base64.b64encode(os.urandom(16)).decode()
        self.link.sendall((f"GET /1/events HTTP/1.1\r\nHost: {own}\r\nOrigin: http://{own}\r\nUpgrade: websocket\r\n"
                           f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
        self.rest = b""
        while b"\r\n\r\n" not in self.rest:
            self._more()
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        assert b" 101 " in head.split(b"\r\n")[0], head
        self.send({"do": "open", "code": code})

    def _more(self):
        data = self.link.recv(1 << 16)
        if not data:
            raise ConnectionError("the desk closed the page")
        self.rest += data

    def _take(self, count):
        while len(self.rest) < count:
            self._more()
        taken, self.rest = self.rest[:count], self.rest[count:]
        return taken

    def send(self, value):
        body = json.dumps(value).encode()
        head = bytes([0x81, 0x80 | len(body)]) if len(body) < 126 else bytes([0x81, 0xFE]) + struct.pack(">H", len(body))
        mask = os.urandom(4)
        self.link.sendall(head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(body)))

    def message(self):
        """The next message, of as many frames as it has."""
        whole = b""
        while True:
            first, second = self._take(2)
            count = second & 127
            if count == 126:
                count = struct.unpack(">H", self._take(2))[0]
            elif count == 127:
                count = struct.unpack(">Q", self._take(8))[0]
            body = self._take(count)
            if first & 15 == 9:
                mask = os.urandom(4)
                self.link.sendall(bytes([0x8A, 0x80 | len(body)]) + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(body)))
                continue
            if first & 15 == 8:
                raise ConnectionError("the desk closed the page")
            whole += body
            if first & 128:
                return json.loads(whole)

    def until(self, fits, seconds, is_lost=lambda: False):
        """The first message that fits, and all before it; gives up after the time, and a second after it is lost."""
        met = []
        end = time.time() + seconds
        while time.time() < end:
            if is_lost():
                end = min(end, time.time() + 1)
            # A message that is not whole yet is waited for: only its beginning may time out.
            self.link.settimeout(0.5)
            try:
                if not self.rest:
                    self._more()
            except TimeoutError:
                continue
            self.link.settimeout(30)
            met.append(self.message())
            if fits(met[-1]):
                return met
        raise AssertionError(f"nothing came that fits, in {seconds} s; the last was {json.dumps(met[-1])[:300] if met else None}")


def phones(program, work, page):
    """Shows a licence to the desk in each mode; returns the number of faults."""
    faults = 0
    for mode in ("central", "peripheral"):
        began = time.time()
        phone = subprocess.Popen(
            [program, "send", os.path.join(work, "licence", "licence.mdoc"), "--show", "--yes", "--mode", mode,
             "--radio", "bluez:hci1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        page.send({"do": "explain", "text": phone.stdout.readline().strip()})
        said = ""
        try:
            met = page.until(lambda m: m["type"] == "state" and (m.get("shown") or {"session": 0})["session"] < 0, 90,
                             lambda: phone.poll() not in (None, 0))
            page.send({"do": "accept", "session": met[-1]["shown"]["session"]})
            page.send({"do": "erase"})
            page.until(lambda m: m["type"] == "state" and not m.get("shown"), 10)
            word = met[-1]["shown"]["result"]
        except (AssertionError, OSError) as error:
            phone.kill()
            word, said = "nothing", str(error)
        said += phone.communicate(timeout=60)[1][-400:]
        right = word == "genuine" and phone.returncode == 0
        faults += not right
        print(f"desk-bluez: {'' if right else 'FAULT: '}a phone with --mode {mode}: {word}, {time.time() - began:.1f} s"
              + ("" if right else f": {said}"), flush=True)
    return faults


def main():
    program = os.path.abspath(sys.argv[1])
    work = tempfile.mkdtemp(prefix="desk-")
    trust = os.path.join(work, "trust.txt")
    with open(trust, "w") as file:
        file.write("method did:key\n" + (f"issuer {places.issuer()}\n" if places.issuer() else ""))
    subprocess.run([program, "mdoc", "make", "--out", os.path.join(work, "licence")], check=True, capture_output=True)
    authority = [program, "trust", "add", os.path.join(work, "licence", "authority.pem"), "--for", "mdoc", "--yes"]
    subprocess.run([*authority, "--trust", trust], check=True, capture_output=True)
    desk = Desk(program, work, ("--trust", trust), radio="bluez:hci0")
    page = Page(desk, desk.code())
    page.until(lambda m: m["type"] == "state" and m.get("code"), 60)
    faults = phones(program, work, page)
    again = 0
    for path in places.samples():
        expected = json.loads(subprocess.run(
            [program, "verify", path, "--trust", trust, "--json"], capture_output=True, text=True).stdout.splitlines()[0])["result"]
        for attempt in (1, 2):
            waiting = page.until(lambda m: m["type"] == "state" and m.get("code"), 60)[-1]
            session, code = waiting["session"], waiting["code"]["text"]
            began = time.time()
            wallet = subprocess.Popen(
                [program, "send", path, "--to", code, "--yes", "--radio", "bluez:hci1", "--json"],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            try:
                met = page.until(lambda m: m["type"] == "state" and m.get("shown") and m["session"] == session, 120,
                                 lambda: wallet.poll() is not None)
                break
            except (AssertionError, OSError) as error:
                wallet.kill()
                said = wallet.communicate()[0][-500:]
                print(f"desk-bluez: {'tried again' if attempt == 1 else 'FAULT'}: {os.path.basename(path)}: {error}: {said}", flush=True)
                if attempt == 2:
                    return 1
                again += 1
                # The unused code is given up, so that the next one is shown.
                page.send({"do": "renew"})
        word = met[-1]["shown"]["result"]
        steps = list(dict.fromkeys(m["step"] for m in met if m["type"] == "state"))
        page.send({"do": "accept" if word == "genuine" else "reject", "session": session})
        said = wallet.communicate(timeout=60)[0]
        right = word == expected and wallet.returncode == (0 if word == "genuine" else 4)
        faults += not right
        print(f"desk-bluez: {'' if right else 'FAULT: '}{os.path.basename(path)}: {word}, {os.path.getsize(path)} bytes, "
              f"{time.time() - began:.1f} s, {' '.join(steps)}" + ("" if right else f": {said[-400:]}"), flush=True)
    page.until(lambda m: m["type"] == "state" and m.get("code"), 60)
    faults += phones(program, work, page)
    faults += desk.stop() != 0
    print(f"desk-bluez: {len(places.samples())} credentials, {again} tried again, {faults} faults", flush=True)
    return 1 if faults else 0


sys.exit(main())
