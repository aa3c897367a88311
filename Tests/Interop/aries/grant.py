"""A mediator of ACA-Py that grants by its own way: to the address at which our wallet listens, and once for each connection.

drive.py runs these cases; GRANTS says how often mediation is asked for while `listen` runs at the advertised address (100), and
KILLS how often after the first `mediator use` was killed (16), each fourth time as soon as it had asked.
"""

import json
import os
import random
import signal
import subprocess
import time

from mediated import MEDIATION
from peers import Failed, Peer
from tool import Tool, only

# A grant that came takes less, and so does a mediator that does not go on with the first connection; one that is waited for in vain
# takes the whole time of a repetition.
SOON = 8


class Grants:
    def __init__(self, mediator, folder, seed):
        self.mediator, self.folder, self.chance, self.number, self.seconds = mediator, folder, random.Random(seed), 0, []

    def wallet(self):
        self.number += 1
        return Tool(self.folder, f"wallet-{self.number}")

    def invited(self):
        return self.mediator.invite("out-of-band", ["didexchange/1.1", "connections/1.0"], True)[1]["invitation_url"]

    def use(self, tool, link, *options):
        """Has the mediator granted; how long that took."""
        began = time.monotonic()
        shown = only(tool.on("mediator", "use", "", link, "--allow-private", "--timeout", "15s", *options), "mediator")
        took = time.monotonic() - began
        if shown["stage"] != "granted":
            raise Failed(f"not granted: {shown}")
        return took

    def race(self):
        """The connection has the address of `listen`, so the grant goes there."""
        tool, link = self.wallet(), self.invited()
        listener = tool.listen()
        try:
            tool.accept(link, "--endpoint", listener.endpoint)
            took = self.use(tool, link)
            self.seconds.append(took)
            requests = [e for e in tool.on("requests", "list", "") if e["event"] == "request"]
            if requests or listener.find("request", lambda _: True):
                raise Failed(f"a message of mediation is kept as a request: {requests}")
            if took > SOON:
                raise Failed(f"granted after {took:.1f} s")
        finally:
            tool.stop()

    def kill(self, isAsking):
        """The first command is killed, at the stage `asking` or at any moment; the second one is granted at once."""
        tool, link = self.wallet(), self.invited()
        command = [tool.binary, "mediator", "use", tool.vault, "--key-file", tool.key, link, "--allow-private", "--json"]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True) as first:
            if isAsking:
                for line in first.stdout:
                    if json.loads(line).get("stage") == "asking":
                        break
            else:
                time.sleep(self.chance.uniform(0, 1))
            first.send_signal(signal.SIGKILL)
        took = self.use(tool, link)
        if took > SOON:
            raise Failed(f"granted after {took:.1f} s")


def grants(report, venv, folder, hooks):
    """All cases; the figures of the run."""
    races, kills = int(os.environ.get("GRANTS") or 100), int(os.environ.get("KILLS") or 16)
    mediator = Peer("granting", venv, folder, hooks, *MEDIATION[:1], prefersSocket=True)
    try:
        mediator.awaitReady()
        found = Grants(mediator, folder, os.environ.get("SEED", "1"))
        for number in range(races):
            report.group("grant, asked while listen has the address")(f"{number + 1} of {races}", found.race)
        for number in range(kills):
            isAsking = number % 4 == 0
            report.group("grant, asked again after a kill" + (" at the stage asking" if isAsking else ""))(
                f"{number + 1} of {kills}", lambda a=isAsking: found.kill(a))
    finally:
        mediator.stop()
    took = sorted(found.seconds)
    return {"grants": len(took), "grantMedianSeconds": round(took[len(took) // 2], 2) if took else None}
