"""Codes that others published: health certificates of 16 countries, and claim 169 and PixelPass made by a library."""

import base64
import datetime
import json
import os
import random
import zlib

import base45

from packing import unpack

FORGERIES = 8
ISSUER = "https://id.example"


def clock(text):
    """A maker's clock in UTC, also where it leaves out the zone."""
    time = datetime.datetime.fromisoformat(text)
    time = time.astimezone(datetime.timezone.utc) if time.tzinfo else time.replace(tzinfo=datetime.timezone.utc)
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


def health_certificates(run):
    """Each row under its signer's certificate at its clock, then with a changed byte."""
    rows = [json.loads(line) for line in open(os.path.join(run.vectors, "codes/hcert.jsonl"))]
    groups = {}
    for row in rows:
        groups.setdefault((row["certificate"], clock(row["clock"])), []).append(row)
    forger = random.Random(f"{run.seed} health certificates")
    genuine = refused = forgeries = accepted = 0
    for number, ((certificate, at), members) in enumerate(groups.items()):
        name = f"signers-{number}"
        run.program.file(base64.b64decode(certificate), f"{name}/signer.der")
        trust = run.program.file(f"signers {name}\n  for health-certificates\n", f"{name}.trust")
        files, meant = [], []
        for row in members:
            files.append(run.program.file(row["text"]))
            meant.append((row, None))
            data, is_zipped = unpack(row["text"].removeprefix("HC1:"))
            for place in forger.sample(range(len(data)), FORGERIES):
                changed = bytearray(data)
                changed[place] ^= forger.randrange(1, 256)
                files.append(run.program.file("HC1:" + base45.b45encode(
                    zlib.compress(changed, 9) if is_zipped else bytes(changed)).decode()))
                meant.append((row, (place, data[place], changed[place])))
        for found, (row, change) in zip(run.program.verify(files, trust, at), meant):
            if change:
                forgeries += 1
                accepted += found.result == "genuine"
                run.check(found.result != "genuine", row["file"], "byte {}: {} became {}".format(*change), found)
            elif row["file"].endswith("wrong_key.json"):
                # Signed on purpose by a certificate for another kind.
                is_right = found.result == "refused" and "credential.key-purpose" in found.codes
                refused += is_right
                run.check(is_right, row["file"], "refused with credential.key-purpose", found)
            else:
                genuine += found.result == "genuine"
                run.check(found.result == "genuine", row["file"], "genuine", found)
    run.say("health-certificates", rows=len(rows), genuine=genuine, refused_for_key_purpose=refused,
            as_expected=genuine + refused, forgeries=forgeries, forgeries_accepted=accepted)


def library_codes(run):
    """The rows of claim169/codes.json, each as it says it must be."""
    folder = os.path.join(run.vectors, "codes/claim169")
    rows = json.load(open(os.path.join(folder, "codes.json")))
    right = 0
    for row in rows:
        file = run.program.file(row["text"])
        at = row.get("at", "2025-06-01T00:00:00Z")
        if "source" in row:
            right += source_row(run, row, file, at)
            continue
        lines = []
        if "key" in row:
            run.program.file(open(os.path.join(folder, row["key"]), "rb").read(), row["key"])
            lines.append(f"issuer {ISSUER}\n  pem {row['key']}\n")
        closed = run.program.file("".join(lines) or f"issuer {ISSUER}\n", "closed.trust")
        expected = row["expect"]
        is_right = True
        if "decrypt" in row:
            run.program.file(open(os.path.join(folder, row["decrypt"]), "rb").read(), row["decrypt"])
            lines.append(f"aes-key {row['decrypt']}\n")
            [without] = run.program.verify([file], closed, at)
            is_right = without.result == "not-checked" and "code.encrypted" in without.codes
            run.check(is_right, row["name"], "not checked without the key", without)
        trust = run.program.file("".join(lines) or f"issuer {ISSUER}\n", "row.trust")
        [found] = run.program.verify([file], trust, at)
        is_met = meets(found, expected)
        run.check(is_met, row["name"], expected, found)
        right += is_right and is_met
    run.say("library-codes", rows=len(rows), as_expected=right)


def meets(found, expected):
    if expected.startswith("genuine"):
        return found.result == "genuine"
    if expected == "refused":
        return found.result == "refused"
    if expected == "refused: expired":
        return found.result == "refused" and "credential.time-expired" in found.codes
    if expected == "refused: not yet valid":
        return found.result == "refused" and "credential.time-future" in found.codes
    if expected == "not read: a clear error":
        return found.result == "not-checked" and found.codes[0] in ("code.base45", "code.compression")
    if expected == "not read: limit":
        return found.result == "not-checked" and found.codes[0] in ("code.limit-text", "code.limit-size")
    if expected == "refused or not checked; never genuine":
        return found.result != "genuine"
    raise ValueError(expected)


def source_row(run, row, code, at):
    """A code of a credential has the verdict of the credential's file, without trust and with it."""
    source = os.path.join(run.vectors, "../credentials", os.path.basename(row["source"]))
    is_right = True
    for lines in (f"issuer {ISSUER}\n", "method did:key\n"):
        trust = run.program.file(lines, "source.trust")
        found, own = run.program.verify([code, source], trust, at)
        is_right &= found == own
        run.check(found == own, row["name"], f"as the file itself: {own.result} {own.codes}", found)
    return is_right
