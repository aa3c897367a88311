"""A desk on BlueZ: `bluez.py PROGRAM` in the machine of Scripts/bluez-machine.sh, whose adapters are hci0 and hci1.

The desk advertises on hci0; the wallet, a second process, scans and sends on hci1. What a page does is done here: it opens the
desk's WebSocket with the one-time code, sees the states, the credential and the verdict, and accepts or rejects. Before the
first wallet and after the last, while the code for the next is shown, a phone of each mode shows a licence to the same adapter.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

import places
from page import Page
from station import Desk


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
