"""Foreign holders against `symbolon receive --phone`, foreign readers against `symbolon send --show`.

`drive.py SYMBOLON [--times N] [--only TEXT] [--jobs N]`: each row so many times, or those alone whose JSON has a text;
says in a line of JSON how many sessions of each row came to what they should, and at the end of all.
"""

import argparse
import asyncio
import itertools
import json
import os
import sys
import tempfile
import time

import air
import mdoc
import peers

PATIENCE = 120


def picture(size):
    """A JPEG of so many bytes: a pixel with comments behind its head."""
    pixel = bytes.fromhex(
        "ffd8ffdb004300" + "01" * 64 + "ffc0000b080001000101011100ffc4001400010000000000000000000000000000"
        "0009ffc40014100100000000000000000000000000000000ffda0008010100003f0054ffd9")
    comments, left = b"", size - len(pixel)
    while left > 4:
        room = min(left, 60_000)
        comments += b"\xff\xfe" + (room - 2).to_bytes(2, "big") + bytes(room - 4)
        left -= room
    return pixel[:2] + comments + pixel[2:]


class Process:
    """The program, beside this script."""

    def __init__(self, process):
        self.process = process

    @classmethod
    async def start(cls, *command):
        return cls(await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE))

    async def first_line(self):
        return (await self.process.stdout.readline()).decode()

    async def end(self):
        """Status, output but for the first line if it was asked for, and errors."""
        out, errors = await self.process.communicate()
        return self.process.returncode, out.decode(), errors.decode()


class Run:
    """Sessions on the virtual air, each on one of its own."""

    def __init__(self, program, folder):
        self.program, self.folder, self.number = program, folder, itertools.count()

    def place(self, name):
        return os.path.join(self.folder, name)

    async def done(self, *arguments):
        process = await Process.start(self.program, *arguments)
        status, _, errors = await process.end()
        if status:
            raise RuntimeError(errors[-500:])

    async def symbolon(self, place, is_reader, *arguments):
        """The program, as a reader or as a phone, on the air of this place."""
        return await Process.start(
            self.program, *arguments, "--json", "--quiet", "--radio", "virtual", "--air", place)

    def joining(self, place):
        """Makes the foreign device on the air of this place."""
        return lambda: air.Device.join(place)

    async def prepare(self):
        self.authority = mdoc.Authority()
        root = self.place("authority.pem")
        with open(root, "wb") as file:
            file.write(self.authority.pem())
        self.trust = self.place("trust.txt")
        await self.done("trust", "add", root, "--for", "mdoc", "--trust", self.trust, "--yes")
        self.ours = {}
        for size in (1_000, 28_000, 297_000):
            with open(self.place("portrait.jpg"), "wb") as file:
                file.write(picture(size))
            folder = self.place("ours-%d" % size)
            await self.done("mdoc", "make", "--out", folder, "--portrait", self.place("portrait.jpg"))
            with open(folder + "/authority.pem", "rb") as file:
                self.ours[size] = folder + "/licence.mdoc", mdoc.x509.load_pem_x509_certificate(file.read())
        self.readers = mdoc.Authority(common="Authority of foreign readers")
        with open(self.place("readers.pem"), "wb") as file:
            file.write(self.readers.pem())

    async def holder(self, row):
        """A foreign holder: the verdict that our reader reaches."""
        path = self.place("air-%d" % next(self.number))
        device_key = mdoc.Key(row.get("device", "P-256"))
        quirks = row.get("quirks", ())
        signer, portrait = self.authority.signer(row.get("signer", "P-256")), picture(row.get("portrait", 1_000))
        if "issued-by-library" in quirks:
            document = mdoc.issue_by_library(signer, device_key, portrait)
        else:
            document = mdoc.issue(signer, device_key, portrait, row.get("digest", "SHA-256"), quirks)
        holder = peers.Holder(
            document, device_key, row.get("mode", "both"), row.get("curve", "P-256"), row.get("proof", "signature"),
            row.get("mtu", 515), row.get("size"), quirks)
        options = list(row.get("options", ()))
        if "signed" in row:
            options += self.signing(row["signed"], path)
        process = await self.symbolon(
            path, True, "receive", "--phone", holder.code, "--ask", "identity,portrait,over-18", "--trust", self.trust,
            *options)
        task = asyncio.create_task(holder.run(self.joining(path)))
        status, out, _ = await asyncio.wait_for(process.end(), PATIENCE)
        events = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        checked = [event for event in events if event["event"] == "checked"]
        said = [event.get("code") for event in events if event["event"] == "error"]
        try:
            seen = await asyncio.wait_for(task, 10)
        except Exception as error:  # The verdict is what counts; this is said with it.
            seen = {"failed": "%s: %s" % (type(error).__name__, error), **holder.seen}
        result = checked[0]["result"] if checked else (said[-1] if said else "nothing")
        if "signed" in row and seen.get("reader") != "CN=Foreign desk,C=UT":
            result = "the reader is not named"
        return result, {"seen": seen, "exit": status, "codes": said,
                        "checked": checked[:1], "checks": failed_checks(events)}

    def signing(self, curve, stem):
        """The options by which our reader signs with a key that the foreign authority certified."""
        key, certificate = self.readers.reader(curve)
        with open(stem + ".key", "wb") as file:
            file.write(key.pem())
        with open(stem + ".pem", "wb") as file:
            file.write(mdoc.x509.load_der_x509_certificate(certificate).public_bytes(mdoc.Encoding.PEM))
        return ["--reader-key", stem + ".key", "--reader-certificate", stem + ".pem"]

    async def reader(self, row):
        """A foreign reader: what it finds in what our holder shows, and what the holder says."""
        path = self.place("air-%d" % next(self.number))
        licence, root = self.ours[row.get("portrait", 1_000)]
        quirks = row.get("quirks", ())
        sign = None
        if "reader" in row:
            authority = self.readers if row["reader"] != "unknown" else mdoc.Authority(common="Unknown authority")
            key, certificate = authority.reader(row.get("reader-curve", "P-256"))
            sign = key, [certificate]
        reader = peers.Reader(row.get("mode", "both"), row.get("mtu", 515), row.get("size"), sign, quirks)
        process = await self.symbolon(
            path, False, "send", licence, "--show", "--yes", "--reader-authority", self.place("readers.pem"),
            *row.get("options", ()))
        code = json.loads(await asyncio.wait_for(process.first_line(), PATIENCE))["uri"]
        try:
            seen = await asyncio.wait_for(reader.run(self.joining(path), code, root), PATIENCE)
        except Exception as error:
            seen = {"failed": "%s: %s" % (type(error).__name__, error)}
        status, out, errors = await asyncio.wait_for(process.end(), PATIENCE)
        events = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        standings = [event.get("reader") for event in events if event.get("reader")]
        good = "elements" in seen and status == 0
        result = "genuine" if good else ("refused" if "failed" not in seen and status else "failed")
        # The person is told who asks.
        expected = {"known": "Foreign desk", "unknown": "unknown"}.get(row.get("reader"), "not named")
        if good and not all(standing.startswith(expected) for standing in standings):
            result = "another standing"
        return result, {"seen": seen, "exit": status, "standing": standings,
                        "codes": [event.get("code") for event in events if event["event"] in ("error", "finished")],
                        "errors": errors[-300:]}


def failed_checks(events):
    return [(check["check"], check["outcome"], check["code"]) for event in events if event["event"] == "mobile-document"
            for check in event["checks"] if check["outcome"] not in ("passed", "not-applicable")]


def rows():
    """Each combination, and what it shall come to."""
    for side in ("holder", "reader"):
        for mode, mtu, portrait in itertools.product(
                ("central", "peripheral", "both"), (23, 185, 515), (1_000, 28_000)):
            yield side, {"mode": mode, "mtu": mtu, "portrait": portrait}, "genuine"
        for mode, mtu in itertools.product(("central", "peripheral"), (23, 185, 515)):
            yield side, {"mode": mode, "mtu": mtu, "portrait": 297_000}, "genuine"
        for mode, size in itertools.product(("central", "peripheral"), (2, 20, 100, 182, 511)):
            yield side, {"mode": mode, "size": size}, "genuine"
        for mode in ("central", "peripheral"):
            yield side, {"mode": mode, "mtu": 517}, "genuine"
            yield side, {"mode": mode, "mtu": 185, "options": ["--link", "phone-4.2"]}, "genuine"
            for quirks in ("explores", "slow", "lost-before-start"):
                yield side, {"mode": mode, "quirks": [quirks]}, "genuine"
        yield side, {"quirks": ["slow"]}, "genuine"
    for mode, curve, proof in itertools.product(
            ("central", "peripheral"), ("P-256", "P-384", "P-521", "X25519", "X448", "brainpoolP256r1",
                                        "brainpoolP384r1", "brainpoolP512r1"), ("signature", "mac")):
        device = curve if proof == "mac" or not curve.startswith("X") else "P-256"
        yield "holder", {"mode": mode, "curve": curve, "device": device, "proof": proof}, "genuine"
    for curve, device in (("P-256", "Ed25519"), ("X25519", "Ed25519"), ("X448", "Ed448"), ("P-256", "P-521")):
        yield "holder", {"curve": curve, "device": device}, "genuine"
    for signer in ("P-384", "P-521", "Ed25519", "Ed448", "brainpoolP256r1", "brainpoolP384r1", "brainpoolP512r1"):
        yield "holder", {"signer": signer, "digest": "SHA-512"}, "genuine"
    for mode in ("central", "peripheral"):
        for quirks in ("status-20", "status-20-end", "drops", "vanishes", "unknown-keys", "1.1", "1.7", "slashes",
                       "compressed", "tagged", "chain-array", "protected-chain", "empty-last", "document-errors",
                       "swapped-subscription", "other-order", "no-ident", "more-characteristics", "stranger", "thinks",
                       "own-elements", "plain-dates", "high-numbers", "long-number", "canonical", "address",
                       "other-methods", "base-uuid", "uuid-text", "newer-members", "fractions",
                       "issued-by-library"):
            yield "holder", {"mode": mode, "quirks": [quirks]}, "genuine"
        for quirks in ("both-proofs", "no-proof", "der", "other-transcript", "tagged-transcript", "changed",
                       "own-unauthorised", "text-label", "proof-payload"):
            yield "holder", {"mode": mode, "quirks": [quirks]}, "not genuine"
        for quirks in ("unknown-keys", "1.1", "empty-last", "hangs-up", "state-alone", "status-alone", "two-documents",
                       "asks-twice", "other-order", "more-characteristics"):
            yield "reader", {"mode": mode, "quirks": [quirks]}, "genuine"
        yield "reader", {"mode": mode, "quirks": ["malformed"]}, "refused"
        for quirks in (["for-all"], ["for-all", "two-documents"], ["for-all", "1.1"], ["two-documents"]):
            yield "reader", {"mode": mode, "reader": "known", "quirks": quirks}, "genuine"
        for side in ("holder", "reader"):
            yield side, {"mode": "both", "options": ["--mode", mode]}, "genuine"
        for curve in ("P-256", "P-384", "P-521", "Ed25519", "brainpoolP256r1"):
            for version in ("1.0", "1.1"):
                yield "holder", {"mode": mode, "signed": curve, "quirks": [version]}, "genuine"
        for curve in ("P-256", "P-384", "P-521", "Ed25519", "brainpoolP256r1"):
            yield "reader", {"mode": mode, "reader": "known", "reader-curve": curve}, "genuine"
        yield "reader", {"mode": mode, "reader": "unknown"}, "genuine"
        yield "reader", {"mode": mode, "reader": "known", "quirks": ["wrong"]}, "refused"


async def drive(run, rows, settings, say):
    """Runs each row as often as the settings say, says its line, and at the end the counts; how many were bad."""
    counts = {"sessions": 0, "good": 0, "bad": 0}
    await run.prepare()
    room = asyncio.Semaphore(settings.jobs)

    async def one(side, row, expected):
        async with room:
            began = time.time()
            try:
                result, details = await getattr(run, side)(row)
            except Exception as error:
                result, details = "failed", {"error": "%s: %s" % (type(error).__name__, error)}
            good = result == "genuine" if expected == "genuine" else (
                result != "genuine" if expected == "not genuine" else result == expected)
            return good, result, details, time.time() - began

    async def times(side, row, expected):
        found = await asyncio.gather(*(one(side, row, expected) for _ in range(settings.times)))
        good = sum(each[0] for each in found)
        line = {"side": side, **row, "expected": expected, "sessions": len(found), "good": good,
                "seconds": round(sorted(each[3] for each in found)[len(found) // 2], 2)}
        bad = [each for each in found if not each[0]]
        if bad:
            line["bad"] = {"result": bad[0][1], **bad[0][2]}
        elif settings.verbose:
            line["said"] = {"result": found[0][1], **found[0][2]}
        say(json.dumps(line, default=str))
        counts["sessions"] += len(found)
        counts["good"] += good
        counts["bad"] += len(bad)

    chosen = [row for row in rows if settings.only in json.dumps([row[0], row[1]])]
    await asyncio.gather(*(times(*row) for row in chosen))
    say(json.dumps(counts))
    return counts["bad"]


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--verbose", action="store_true")
    return parser


async def main():
    settings = arguments().parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run = Run(os.path.abspath(settings.program), folder)
        return 1 if await drive(run, rows(), settings, lambda line: print(line, flush=True)) else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
