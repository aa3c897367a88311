"""Live agents of ACA-Py, foreign clients and our wallet around our cloud agent, on this machine alone.

drive.py SYMBOLON MESSAGES SEED: the program under test, how many messages go each way in each case, and what decides the moments
at which receivers go away. A line for each case with its figures, and in the end a line of JSON; status 1 when a count is off.
"""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "aries"))

# pylint: disable=wrong-import-position
import signal
import tempfile

from beside import Beside
from conversation import MODES, Conversation
from eager import eager
from ends import AcaEnd, WalletEnd
from gate import Gate
from peers import Failed, Hooks, eventually
from quirks import Quirks
from report import Report
from scripts import SCRIPTS, Scripted
from server import CloudAgent, Postgres
from numbered import require
from tool import Tool

PLACE = os.environ.get("SYMBOLON_PEERS", ".build-interop")


class Run:
    """One cloud agent with all its clients and senders."""

    def __init__(self, report, conversation, folder, hooks, store=None):
        self.report, self.conversation, self.folder, self.hooks = report, conversation, folder, hooks
        self.kind = "PostgreSQL" if store else "SQLite"
        self.gate = Gate()
        self.agent = CloudAgent("agent-" + self.kind, folder, self.gate, store)
        self.ends = []

    def version(self, name):
        return os.path.join(PLACE, "venv-" + name)

    def aca(self, version):
        """An agent of ACA-Py that our agent mediates for."""
        end = AcaEnd(f"aca-{version}-{self.kind}", self.version(version), self.folder, self.hooks)
        self.ends.append(end)

        end.peer.awaitReady()
        end.use(self.agent.link, self.gate.address)
        end.invite(self.gate.address)
        eventually("a key being made known", end.keys)
        self.report.say("ok", f"{self.kind}: ACA-Py {version} is granted mediation, makes keys known and invites at our agent")
        return end

    def wallet(self, name, pickup=None):
        end = WalletEnd(f"{name}-{self.kind}", self.folder, self.agent.link, pickup)
        self.ends.append(end)
        return end

    def connect(self, wallet, aca):
        found, made = aca.invite(self.gate.address)
        wallet.accept(made["invitation_url"])
        aca.connected(found, self.gate)

    def all(self):
        """Every arrangement, every mode."""
        run, aca = self.conversation.run, self.aca("0.12")
        for name, pickup in (("live", None), ("pickup 2.0", "2.0"), ("pickup 1.0", "1.0")):
            wallet = self.wallet("wallet-" + name.replace(" ", "-"), pickup)
            self.connect(wallet, aca)
            run(f"{self.kind}, ACA-Py to our wallet, {name}", aca, wallet)
            if pickup is None:
                run(f"{self.kind}, our wallet to ACA-Py, at its address", wallet, aca)
                self.conversation.both(f"{self.kind}, our wallet and ACA-Py", wallet, aca)
            self.leave(wallet)
        for name, kind in SCRIPTS:
            run(f"{self.kind}, a script, {name}", *Scripted.both(kind, self.agent))
        if os.path.exists(os.path.join(self.version("1.4"), "installed")):
            self.modern()
        else:
            self.report.skip("acapy-agent 1.4.0: there is no Python of 3.12 or 3.13")

    def modern(self):
        aca, wallet = self.aca("1.4"), self.wallet("wallet-modern")
        self.connect(wallet, aca)
        self.conversation.run(f"{self.kind}, ACA-Py 1.4 to our wallet, live", aca, wallet, MODES[1:2])
        self.conversation.run(f"{self.kind}, our wallet to ACA-Py 1.4, at its address", wallet, aca, MODES[1:2])
        self.leave(wallet)

    def some(self):
        """One arrangement each way, for a store that all others share the rules of."""
        aca, wallet = self.aca("0.12"), self.wallet("wallet")
        self.connect(wallet, aca)
        self.conversation.run(f"{self.kind}, ACA-Py to our wallet, live", aca, wallet)
        self.conversation.run(f"{self.kind}, our wallet to ACA-Py, at its address", wallet, aca)
        self.leave(wallet)

    def drained(self):
        """Waits until all is acknowledged."""
        eventually("the queue being empty", lambda: self.agent.status()["messages"] == 0, pause=0.2)

    def leave(self, wallet):
        """Ends a wallet that has told the agent what it has."""
        wallet.goOnline()
        self.drained()
        wallet.goOffline()

    def finish(self):
        """Nothing waits any more, nothing came twice later, and the store is whole."""
        for end in self.ends:
            texts = end.texts()
            require(len(texts) == len(set(texts)), end.name, "has", len(texts) - len(set(texts)), "texts twice")
        self.drained()
        require(self.agent.stop() == 0, "the agent ended with", self.agent.process.returncode)
        self.agent.run("verify")

    def stop(self):
        for end in self.ends:
            end.stop()
        self.agent.stop()


def main():
    # The end of the run is the end of its agents too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    # Nothing here goes through a proxy of the machine.
    os.environ["no_proxy"] = "*"
    Tool.binary = CloudAgent.binary = os.path.abspath(sys.argv[1])
    count, seed = int(sys.argv[2]), sys.argv[3]
    report = Report("interop-agent", "agent", os.environ.get("ONLY", ""))
    conversation = Conversation(report, seed, count)
    report.say(f"{count} messages each way in each case, seed {seed}")
    with tempfile.TemporaryDirectory(prefix="symbolon-agent.") as folder:
        hooks, parts = Hooks(), (os.environ.get("PARTS") or "sqlite postgres beside").split()
        if "sqlite" in parts:
            sqlite(report, conversation, folder, hooks, count)
        if "postgres" in parts:
            postgres(report, conversation, folder, hooks, count)
        if "beside" in parts:
            beside(report, conversation, folder, hooks)
    return report.finish({"messages": count, "seed": seed, "cases": conversation.figures})


def sqlite(report, conversation, folder, hooks, count):
    one = Run(report, conversation, folder, hooks)
    try:
        Quirks(one.agent).all(report.group("SQLite, a foreign client"))
        eager(report.group("SQLite"), one.agent, count, report.say)
        one.all()
        report.group("SQLite")("in the end nothing waits, and the store is whole", one.finish)
    finally:
        one.stop()


def postgres(report, conversation, folder, hooks, count):
    if not Postgres.isInstalled():
        return report.skip("PostgreSQL: there is no PostgreSQL 15")
    database = Postgres(folder)
    try:
        one = Run(report, conversation, folder, hooks, database.store)
        try:
            eager(report.group("PostgreSQL"), one.agent, count, report.say)
            one.some()
            report.group("PostgreSQL")("in the end nothing waits, and the store is whole", one.finish)
        finally:
            one.stop()
    finally:
        database.stop()


def beside(report, conversation, folder, hooks):
    case = Beside(PLACE, report, conversation, folder, hooks)
    try:
        case.all()
    finally:
        case.stop()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        print("interop-agent: FAILED", failure, flush=True)
        sys.exit(1)
