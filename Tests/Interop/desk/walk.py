"""A stranger's way with phones, in a root where the package is installed: `walk.py ROOT`.

Four commands, each a process: make a licence for tests, trust its authority, start the desk, show the licence. The page is done
here; the desk must find the licence genuine, and the phone must end well.
"""

import json
import os
import re
import subprocess
import sys
import time

from page import Page

LICENCE = "/tmp/phone"


class Place:
    """What the page needs to know of a desk that a person started."""

    def __init__(self, port):
        self.port = port


def main():
    inside = ["chroot", sys.argv[1], "symbolon"]
    began = time.time()
    subprocess.run([*inside, "mdoc", "make", "--out", LICENCE, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([*inside, "trust", "add", LICENCE + "/authority.pem", "--for", "mdoc", "--yes", "--quiet"], check=True,
                   stdout=subprocess.DEVNULL)
    desk = subprocess.Popen([*inside, "desk", "--port", "0", "--radio", "virtual"], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)
    phone = None
    try:
        port = int(re.search(r":(\d+)/", desk.stdout.readline()).group(1))
        code = next(found.group(1) for line in desk.stderr if (found := re.search(r"opens the page:\s+(\S+)", line)))
        page = Page(Place(port), code)
        page.until(lambda m: m["type"] == "state" and m.get("code"), 30)
        phone = subprocess.Popen([*inside, "send", LICENCE + "/licence.mdoc", "--show", "--yes", "--radio", "virtual"],
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        page.send({"do": "explain", "text": phone.stdout.readline().strip()})
        met = page.until(lambda m: m["type"] == "state" and (m.get("shown") or {"session": 0})["session"] < 0, 60)
        word = met[-1]["shown"]["result"]
        status = phone.wait(30)
    finally:
        for process in (desk, phone):
            if process and process.poll() is None:
                process.terminate()
    print(json.dumps({"walk": "phones", "result": word, "status": status, "seconds": round(time.time() - began, 1)}), flush=True)
    return 0 if word == "genuine" and status == 0 and desk.wait(30) == 0 else 1


if __name__ == "__main__":
    os.environ["LC_ALL"] = "C.UTF-8"
    sys.exit(main())
