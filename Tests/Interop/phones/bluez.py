"""Foreign phones and readers on Bumble's host stack against `symbolon` on BlueZ: `bluez.py SYMBOLON [OPTIONS]`, those of drive.py.

Runs beside the machine of Scripts/bluez-machine.sh, as its --peer, with its folder in $SHARE and its own controller in
$PEER_HCI. The programs run in the machine, by guest-jobs.py; each device has a fresh random address, as phones have.
"""

import asyncio
import itertools
import json
import os

import drive
import host
from matrix import Machine, text_of

TOO_LONG = 300


class Process:
    """The program, in the machine."""

    def __init__(self, machine, command):
        self.machine, self.stem = machine, machine.start(list(command))
        self.told = 0

    async def first_line(self):
        while "\n" not in text_of(self.stem + ".out"):
            if os.path.exists(self.stem + ".end"):
                raise RuntimeError(text_of(self.stem + ".err")[-300:])
            await asyncio.sleep(0.03)
        self.told = text_of(self.stem + ".out").index("\n") + 1
        return text_of(self.stem + ".out")[: self.told]

    async def end(self):
        try:
            while not (ended := text_of(self.stem + ".end")):
                await asyncio.sleep(0.03)
        except asyncio.CancelledError:
            await asyncio.to_thread(self.machine.stop, self.stem)
            raise
        return json.loads(ended)["status"], text_of(self.stem + ".out")[self.told :], text_of(self.stem + ".err")


class Run(drive.Run):
    """Sessions on the air of the machine, one after the other: our reader on hci0, our phone on hci1."""

    def __init__(self, program, share):
        folder = os.path.join(share, "files")
        os.makedirs(folder)
        super().__init__(program, folder)
        self.share = share
        jobs = os.path.join(share, "jobs")
        os.makedirs(jobs, exist_ok=True)
        self.machine, self.transport = Machine(jobs), os.environ["PEER_HCI"]
        self.mtu = 517

    async def symbolon(self, place, is_reader, *arguments):
        radio = "bluez:hci0" if is_reader else "bluez:hci1"
        seen = [one.replace(self.share, "/run/share", 1) for one in arguments]
        return Process(self.machine, [self.program, *seen, "--json", "--quiet", "--radio", radio])

    def joining(self, place):
        return lambda: host.Device.join(self.transport, self.mtu)

    async def holder(self, row):
        self.mtu = row.get("mtu", 515)
        return await super().holder(row)

    async def reader(self, row):
        self.mtu = row.get("mtu", 515)
        return await super().reader(row)


def rows():
    """Each combination, and what it shall come to."""
    modes = ("central", "peripheral", "both")
    for side in ("holder", "reader"):
        # A reader on this host stack that connects while the phone connects to it has one link, and no use for it.
        for mode, mtu, portrait in itertools.product(modes[: 3 if side == "holder" else 2], (185, 517), (1_000, 28_000)):
            yield side, {"mode": mode, "mtu": mtu, "portrait": portrait}, "genuine"
        for mode in ("central", "peripheral"):
            yield side, {"mode": mode, "mtu": 23}, "genuine"
            yield side, {"mode": mode, "mtu": 517, "portrait": 297_000}, "genuine"
            yield side, {"mode": mode, "size": 100}, "genuine"
            # A link that its server ends at once may be one that the client has begun on.
            lost = ("lost-before-start",) if (side == "holder") == (mode == "central") else ()
            for quirks in (*lost, "slow", "other-order", "more-characteristics", "empty-last"):
                yield side, {"mode": mode, "quirks": [quirks]}, "genuine"
    for mode in ("central", "peripheral"):
        for curve, proof in itertools.product(("P-256", "X25519"), ("signature", "mac")):
            device = curve if proof == "mac" else "P-256"
            yield "holder", {"mode": mode, "curve": curve, "device": device, "proof": proof}, "genuine"
        for quirks in ("status-20", "status-20-end", "drops", "vanishes", "unknown-keys"):
            yield "holder", {"mode": mode, "quirks": [quirks]}, "genuine"
        for quirks in ("changed", "other-transcript", "no-proof"):
            yield "holder", {"mode": mode, "quirks": [quirks]}, "not genuine"
        for quirks in ("unknown-keys", "hangs-up", "state-alone", "status-alone", "two-documents", "asks-twice"):
            yield "reader", {"mode": mode, "quirks": [quirks]}, "genuine"
        yield "holder", {"mode": mode, "signed": "P-256"}, "genuine"
        yield "reader", {"mode": mode, "reader": "known"}, "genuine"
        yield "reader", {"mode": mode, "reader": "known", "quirks": ["wrong"]}, "refused"


async def main():
    settings = drive.arguments().parse_args()
    settings.jobs = 1
    run = Run(os.path.abspath(settings.program), os.environ["SHARE"])
    status = 1
    try:
        status = 1 if await drive.drive(run, rows(), settings, run.machine.say) else 0
    finally:
        run.machine.exit(status)


if __name__ == "__main__":
    drive.PATIENCE = TOO_LONG
    asyncio.run(main())
    # Bumble leaves readers behind that would hold the process.
    os._exit(0)
