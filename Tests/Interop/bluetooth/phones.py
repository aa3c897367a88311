#!/usr/bin/env python3
"""Runs in the machine of Scripts/bluez-machine.sh with two adapters on the air of air.py: `phones.py SYMBOLON TIMES [LINKS]`.

`symbolon send --show` on hci1 shows a licence to `symbolon receive --phone` on hci0, as often as said in each mode, one after
the other, with bluetoothd as Debian sets it (it stores services) but for an MTU of 513: before 5.69 it loses what a phone writes at 517.
The last ones, of 30 kB, are with 517 and any mode. A line of JSON for each run: the sessions, those that were genuine at the first try, and
the seconds from the code to the connection and to the verdict, median and longest. With LINKS the phone connects each time, and does not begin
before so many other devices are connected to the reader, from where the seconds count; with more than 0 again without waiting for them.
At the end none of the services' UUIDs may be in bluetoothd's storage, but for its cache of devices with public addresses, as
controllers of air.py have and phones have not. The portrait of the last ones may be in no file that was written meanwhile, and
in the memory neither of the reader, which waits for the next code, nor of bluetoothd. Fails when one session did.
"""

import base64
import json
import os
import queue
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "desk"))
from station import found_in_memory  # noqa: E402

STORAGE = "/var/lib/bluetooth"
SETTINGS = "[General]\nName = symbolon-ble\n[GATT]\nChannels = 1\nExchangeMTU = %d\n"
SESSION_LIMIT = 90
FORGETTING = 45
MARK = "Zyxwvut%dPortrait" % time.time_ns()
BEGAN = time.time()


def bluetoothd():
    with open("/run/bluetoothd.pid", encoding="ascii") as file:
        return int(file.read())


def restart_bluetoothd(mtu):
    """Starts bluetoothd anew with an MTU, and waits for both adapters."""
    with open("/etc/bluetooth/main.conf", "w", encoding="utf-8") as file:
        file.write(SETTINGS % mtu)
    os.kill(bluetoothd(), 15)
    time.sleep(1)
    log = open("/run/share/bluetoothd.log", "ab")
    daemon = subprocess.Popen(["/run/bluetoothd"], stdout=log, stderr=log)
    with open("/run/bluetoothd.pid", "w", encoding="ascii") as file:
        file.write(str(daemon.pid))
    for adapter in ("hci0", "hci1"):
        ask = ["busctl", "get-property", "org.bluez", "/org/bluez/" + adapter, "org.bluez.Adapter1", "Powered"]
        for _ in range(200):
            if b"true" in subprocess.run(ask, capture_output=True, check=False).stdout:
                break
            time.sleep(0.1)
        else:
            raise SystemExit("phones: %s is not on" % adapter)


class Program:
    """A program that writes events; its lines come with the time at which they did."""

    def __init__(self, command, **options):
        self.events = queue.Queue()
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.errors, **options)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            if line.startswith(b"{"):
                self.events.put((time.monotonic(), json.loads(line)))
        self.events.put((time.monotonic(), None))

    def wait_for(self, fits, until):
        """The time and the first event that fits; None when the program ended or the time is over."""
        while True:
            try:
                at, event = self.events.get(timeout=max(0.01, until - time.monotonic()))
            except queue.Empty:
                return None
            if event is None:
                return None
            if fits(event):
                return at, event

    def end(self, seconds):
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()

    def said(self):
        self.errors.seek(0)
        text = self.errors.read().decode(errors="replace")
        return " / ".join(line for line in text.splitlines() if not line.startswith("\u2588"))[-600:]


def is_verdict(event):
    return event.get("event") in ("mobile-document", "error")


def is_step(event):
    return event.get("state") == "ready" or is_verdict(event)


def services_in(code):
    """The UUIDs of the services that a code names: byte strings of 16 bytes behind the keys 10 and 11."""
    text = code.split(":", 1)[1]
    engagement = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return [found.hex() for found in re.findall(rb"[\x0a\x0b]\x50(.{16})", engagement, re.DOTALL)]


def wait_for_links(count, until):
    """Waits for so many links of the reader's adapter."""
    call = ["busctl", "--json=short", "call", "org.bluez", "/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects"]
    while time.monotonic() < until:
        objects = json.loads(subprocess.run(call, capture_output=True, check=True).stdout)["data"][0]
        devices = [one.get("org.bluez.Device1", {}) for path, one in objects.items() if path.startswith("/org/bluez/hci0/")]
        if sum(one.get("Connected", {}).get("data") is True for one in devices) >= count:
            return
        time.sleep(0.1)
    print("phones: there are not %d links" % count, flush=True)


def run(symbolon, place, name, times, mode, document, services, links=None):
    """Reads the phone so many times with one reader, each time after so many links of others; returns what came of it."""
    reader = Program(
        [symbolon, "receive", "--phone", "-", "--count", str(times + 1), "--mode", mode, "--ask", "driving"]
        + ["--trust", place + "/trust.txt", "--radio", "bluez:hci0", "--json"],
        stdin=subprocess.PIPE,
    )
    ready, seconds, bad = [], [], 0
    for _ in range(times):
        command = [symbolon, "send", document, "--show", "--yes", "--mode", mode, "--radio", "bluez:hci1", "--json"]
        phone = Program(command)
        offered = phone.wait_for(lambda event: event.get("state") == "offered", time.monotonic() + SESSION_LIMIT)
        if offered is None:
            print("phones: nothing was shown: " + phone.said(), flush=True)
            bad += 1
            continue
        code = offered[1]["uri"]
        services += services_in(code)
        if links is not None:
            phone.process.send_signal(signal.SIGSTOP)
        began = time.monotonic()
        reader.process.stdin.write(code.encode() + b"\n")
        reader.process.stdin.flush()
        if links is not None:
            time.sleep(2)
            wait_for_links(links, began + 30)
            phone.process.send_signal(signal.SIGCONT)
            began = time.monotonic()
        step = reader.wait_for(is_step, began + SESSION_LIMIT)
        is_ready = step is not None and not is_verdict(step[1])
        verdict = reader.wait_for(is_verdict, began + SESSION_LIMIT) if is_ready else step
        status = phone.end(30)
        if verdict is not None and verdict[1].get("result") == "genuine" and status == 0:
            ready.append(step[0] - began)
            seconds.append(verdict[0] - began)
        else:
            bad += 1
            print("phones: not genuine: %s, the phone's status %d: %s" % (verdict and verdict[1], status, phone.said()), flush=True)
    time.sleep(1)
    left = {}
    for process, pid in (("reader", reader.process.pid), ("bluetoothd", bluetoothd())):
        left[process] = found_in_memory(pid, [MARK]).get(MARK, [])
    for process, places in left.items():
        bad += bool(places)
        for one in places[:5]:
            print("phones: a portrait is in the memory of the %s: %s" % (process, one), flush=True)
    reader.process.stdin.close()
    reader.end(60)
    result = {"phones": name, "mode": mode, "sessions": times, "genuine": len(seconds), "left in memory": sum(map(len, left.values()))}
    if links is not None:
        result["links before"] = links
    for name, values in (("connected", ready), ("verdict", seconds)):
        if values:
            result[name] = [round(statistics.median(values), 1), round(max(values), 1)]
    print(json.dumps(result), flush=True)
    return bad


def left_behind(services):
    """The files of bluetoothd's storage that name one of the services, in whatever form, or a device of a session."""
    found = []
    for folder, _, names in os.walk(STORAGE):
        # bluetoothd keeps what it cached of a device with a public address, which phones have not.
        for name in names if os.path.basename(folder) != "cache" else []:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                text = file.read().decode(errors="replace").replace("-", "").lower()
            backwards = ["".join(reversed(re.findall("..", one))) for one in services]
            if any(one in text for one in services + backwards):
                found.append(path)
    return found


def written_with_mark(place):
    """The files outside of `place` that were written since the beginning and hold the mark."""
    found = []
    # The folder of temporary files has those of the machine around this one too, which are older.
    new = [one.path for one in os.scandir(tempfile.gettempdir()) if one.stat(follow_symlinks=False).st_mtime >= BEGAN - 1]
    for top in ("/etc/bluetooth", "/run", "/var/lib/bluetooth", "/var/log", *new):
        for folder, folders, names in os.walk(top):
            folders[:] = [one for one in folders if os.path.join(folder, one) != place]
            for path in (os.path.join(folder, name) for name in names if not folder.startswith(place)):
                try:
                    if os.path.isfile(path) and os.stat(path).st_mtime >= BEGAN - 1:
                        with open(path, "rb") as file:
                            if MARK.encode() in file.read():
                                found.append(path)
                except OSError:
                    continue
    return found


def main():
    symbolon, times = sys.argv[1], int(sys.argv[2])
    place = tempfile.mkdtemp()
    with open(place + "/portrait.jpg", "wb") as file:
        file.write(b"\xff\xd8\xff\xe0" + MARK.encode() + os.urandom(29000 - 6 - len(MARK)) + b"\xff\xd9")
    for name, more in (("small", []), ("large", ["--portrait", place + "/portrait.jpg"])):
        subprocess.run([symbolon, "mdoc", "make", "--out", place + "/" + name, "--quiet"] + more, check=True)
        authority = [symbolon, "trust", "add", place + "/" + name + "/authority.pem", "--for", "mdoc", "--yes"]
        subprocess.run(authority + ["--trust", place + "/trust.txt", "--quiet"], stdout=subprocess.DEVNULL, check=True)
    bad, services = 0, []
    small, large = (place + "/" + name + "/licence.mdoc" for name in ("small", "large"))
    restart_bluetoothd(513)
    if sys.argv[3:]:
        links = int(sys.argv[3])
        for before in (links, None) if links else (links,):
            bad += run(symbolon, place, "small", times, "central", small, services, before)
    else:
        for mode in ("central", "peripheral"):
            bad += run(symbolon, place, "small", times, mode, small, services)
        restart_bluetoothd(517)
        bad += run(symbolon, place, "30 kB at 517", max(1, times // 10), "auto", large, services)
    # A device is forgotten after its link.
    until = time.monotonic() + FORGETTING
    while left_behind(services) and time.monotonic() < until:
        time.sleep(1)
    left = left_behind(services)
    written = written_with_mark(place)
    print(json.dumps({"services": len(services), "left": len(left), "files with a portrait": len(written)}))
    left += written
    for path in left:
        print("phones: left behind in " + path)
    sys.exit(1 if bad or left else 0)


if __name__ == "__main__":
    main()
