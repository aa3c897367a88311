"""Cases of RFC 6455 and RFC 9112 between the program under test and foreign peers, in both directions.

run.py WEB-PEER FOLDER: the program, and the folder with the certificates that Tests/Interop/web/drive.py made.
"""

import asyncio
import os
import ssl
import subprocess
import sys
import threading

import clients
import handshakes
import http_rules
import random_frames
import responses
import servers
from peers import SECONDS
from report import Report

PEER, FOLDER = sys.argv[1], sys.argv[2]


class OurServer:
    """The server under test; it ends with its standard input."""

    def __init__(self, is_secure):
        patience = ["--header-seconds", str(SECONDS), "--idle-seconds", str(SECONDS)]
        files = ["--cert", os.path.join(FOLDER, "server.pem"), "--key", os.path.join(FOLDER, "server.key")]
        self.process = subprocess.Popen([PEER, "serve", *patience, *(files if is_secure else [])],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline().split()[-1])
        # The log is read, so that no full pipe stops the program.
        self.log = threading.Thread(target=self.process.stdout.read, daemon=True)
        self.log.start()

    def __enter__(self):
        return self.port

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()


async def main():
    report = Report()
    for is_secure in (False, True):
        kind = "TLS" if is_secure else "plain"
        roots = os.path.join(FOLDER, "root.pem") if is_secure else None
        trust = ssl.create_default_context(cafile=roots) if is_secure else None
        with OurServer(is_secure) as port:
            clients.raw(report, port, trust, kind)
            clients.library(report, port, trust, kind)
            await clients.with_aiohttp(report, port, trust, kind)
            await handshakes.run(report, port, trust, roots)
            await http_rules.run(report, port, trust, roots)
            random_frames.run(report, port, trust, kind)
        for part in (servers.raw, servers.library, servers.with_aiohttp, responses.run):
            await part(report, PEER, roots, kind)


asyncio.run(main())
