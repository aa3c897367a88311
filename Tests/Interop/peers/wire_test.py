#!/usr/bin/env python3
"""Holds wire.py against recorded and published bytes: `wire_test.py [FOLDER]`, the folder with `wycheproof`."""

import json
import os
import sys
import unittest

import wire

RECORDED_PAYLOAD = b'{"k":"v1"}' * 3
VECTORS = sys.argv.pop(1) if len(sys.argv) > 1 else ""


def octets(text):
    return bytes.fromhex(text.replace(" ", ""))


class Recorded(unittest.TestCase):
    """Messages recorded from the real libraries."""

    def check(self, private, identify, size, sealed):
        key = wire.private_key(octets(private))
        nonce, opener = wire.keys_of_verifier(key, octets(identify))
        assembler = wire.Assembler(int(size, 16), 509)
        assembler.take(octets(sealed))
        self.assertTrue(assembler.is_whole())
        self.assertEqual(wire.unseal_payload(opener, nonce, bytes(assembler.data)), RECORDED_PAYLOAD)
        self.assertEqual(wire.report_of(assembler.missing(), 509), octets("010000"))

    def test_ios_wallet(self):
        self.check(
            "77076d0a7318a57d3c16c17251b26645c6c93d1f9b1b1c5a1d5f0f1e2d3c4b5a",
            "dc7fa9261007bee719ca8a80d1972178fd80a0fa3d6f14035b57bc6ff2edaf15efa291308ad3725c0280ad64",
            "00000031",
            "00019939c67051aa3e50c0f85e1a76f1d8a796e0e07db2bb13b1270603067e7c2f339d1ad5aa84b71ba6e7f39916b2679e482c3a52",
        )

    def test_ios_advertisement(self):
        key = octets("c26e3e83eb17f64505af7b2fdc8bab68cdbc09754e9fb0fe137415d458cfc92d")
        first, rest = wire.service_data("OVPMOSIP", key)
        self.assertEqual(first, octets("4f56504d4f5349505fc26e3e83eb"))
        self.assertEqual(rest, octets("17f64505af7b2fdc8bab68cdbc09754e9fb0fe137415d458cfc92d"))

    def test_android_wallet(self):
        self.check(
            "381f897cd0dba6fcfb858d0b2bb4d153eb0bd908d9084d1050e87ab759369e45",
            "9bed544516be518676026530fb74f42f0c73a6cdab7bb71fe017e3c42346414ee76a267336f10ce0eb8d5a78",
            "00000031",
            "0001ffc5f3f423a5e89b827fb220487962a199fcecf2eef94dd97f92a633474a68a78cc218327e31ed285fc832a11f3d2d38aa6252",
        )


class Computed(unittest.TestCase):
    """The key pairs of RFC 7748, section 6.1."""

    verifier = wire.private_key(octets("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"))
    wallet = wire.private_key(octets("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"))
    nonce = bytes(range(12))

    def test_keys(self):
        secret = wire.agree(self.wallet, wire.public_bytes(self.verifier))
        self.assertEqual(secret, octets("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"))
        self.assertEqual(
            wire.derive(secret, "Wallet"), octets("2069330385bc2e30a9951b910a9461caf0c389bb664ea40dd96ebfca59d79cb2")
        )
        sealing = wire.keys_of_wallet(self.wallet, wire.public_bytes(self.verifier))
        self.assertEqual(sealing, octets("3930173021376acf4d6281079b6e287df23d1571acbe100e24e88d69407dbc00"))
        nonce, opening = wire.keys_of_verifier(self.verifier, wire.identify(self.wallet, self.nonce))
        self.assertEqual((nonce, opening), (self.nonce, sealing))

    def test_identify(self):
        message = wire.identify(self.wallet, self.nonce)
        self.assertEqual(
            message,
            octets(
                "000102030405060708090a0bde9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"
            ),
        )

    def test_chunks(self):
        key = wire.keys_of_wallet(self.wallet, wire.public_bytes(self.verifier))
        sealed = wire.seal(key, self.nonce, bytes(range(100)))
        self.assertEqual(len(sealed), 0x74)
        self.assertEqual(
            wire.chunk(sealed, 1, 64),
            octets(
                "00016b96d802815b88700165689cf544a5d2aa5a0422d7fdafb1d5c235522cc4b04b28f927a427b6e71e75cc335805cb5439"
                "48ce17e83537bc56fa9ef3aa891f"
            ),
        )
        self.assertEqual(
            wire.chunk(sealed, 2, 64),
            octets(
                "0002caec0c84c5355a3342704466bab3c1a0d24a203af43a1c870f6626594bb7e6c7abca689211ca6efff4a1867f76b66876"
                "f08a779e1bec75df089a"
            ),
        )
        self.assertEqual(wire.unseal(key, self.nonce, sealed), bytes(range(100)))

    def test_advertisement(self):
        data, response = wire.advertisement("0.5", "OVPMOSIP", wire.public_bytes(self.verifier))
        self.assertEqual(data, octets("020102 03030100 11160100 4F56504D4F5349505F8520F00989"))
        self.assertEqual(
            response, octets("1E160200 30A754748B7DDCB43EF75A0DBF3A0D26381AF4EBA4A98EAA9B4E6A")
        )
        found = [data[9:], response[2:]]
        key = wire.public_bytes(self.verifier)
        self.assertEqual(wire.key_on_air("0.5", "OVPMOSIP", key, found), key)
        self.assertIsNone(wire.key_on_air("0.4", "OVPMOSIP", key, found))
        self.assertIsNone(wire.key_on_air("0.5", "OVPMOSIQ", key, found))
        self.assertIsNone(wire.key_on_air("0.5", "OVPMOSIP", key, found[:1]))
        old, _ = wire.advertisement("0.4", "OVPMOSIP", key)
        self.assertEqual(old[3:13], octets("030329AB 111629AB 4F56"))
        with self.assertRaises(ValueError):
            wire.advertisement("0.5", "x" * 15, key)

    def test_uri(self):
        key = wire.public_bytes(self.verifier)
        text = "OPENID4VP://connect?name=STADONENTRY&key=" + key.hex()
        self.assertEqual(wire.make_uri("STADONENTRY", key, False), text)
        self.assertEqual(wire.parse_uri(text), ("STADONENTRY", key))
        self.assertEqual(wire.parse_uri(wire.make_uri("a b", key, True)), ("a b", key))
        for wrong in ("openid4vp://connect?name=a&key=00", "OPENID4VP://connect?name=a"):
            with self.assertRaises(wire.WireError):
                wire.parse_uri(wrong)


class Rules(unittest.TestCase):
    """Sums and limits."""

    def test_crc(self):
        self.assertEqual(wire.crc(b"123456789"), 0x2189)
        self.assertEqual(wire.crc(b""), 0)

    def test_lengths(self):
        self.assertEqual([wire.write_bytes(mtu) for mtu in (517, 512, 185, 100, 67)], [509, 509, 182, 97, 64])
        for total, lengths in (
            (1, [5]), (505, [509]), (506, [509, 5]), (1010, [509, 509]), (1011, [509, 509, 5]),
        ):
            sealed = bytes(total)
            count = wire.chunk_count(total, 509)
            self.assertEqual([len(wire.chunk(sealed, number, 509)) for number in range(1, count + 1)], lengths)

    def test_uuids(self):
        self.assertEqual(wire.characteristic("0.4", "identify"), "2030")
        self.assertEqual(wire.characteristic("0.4", "disconnect"), "2038")
        self.assertEqual(wire.characteristic("0.5", "identify"), "00000006-5026-444A-9E0E-D6F2450F3A77")
        self.assertEqual(wire.characteristic("0.5", "request"), "00000005-5026-444A-9E0E-D6F2450F3A77")
        self.assertEqual(wire.characteristic("0.5", "disconnect"), "0000000B-5026-444A-9E0E-D6F2450F3A77")
        self.assertEqual(wire.characteristic("0.5", "status"), "2037")

    def test_reports(self):
        self.assertEqual(wire.report_of([], 509), octets("010000"))
        self.assertEqual(wire.report_of([2], 509), octets("0000010002"))
        self.assertEqual(wire.report_of([2, 4], 509), octets("00000100020004"))
        many = list(range(1, 301))
        for write, length, pages in ((509, 509, 2), (182, 181, 4), (64, 63, 10)):
            report = wire.report_of(many, write)
            self.assertEqual((len(report), report[1:3]), (length, bytes([0, pages])))
        self.assertIsNone(wire.parse_report(octets("010000"), 5))
        self.assertEqual(wire.parse_report(octets("00000100020004ff"), 5), [2, 4])
        for wrong in ("", "020000", "0000010006", "0000010000"):
            with self.assertRaises(wire.WireError):
                wire.parse_report(octets(wrong), 5)

    def test_assembly(self):
        sealed = bytes(range(200))
        assembler = wire.Assembler(200, 64)
        first, last = wire.chunk(sealed, 1, 64), wire.chunk(sealed, 4, 64)
        assembler.take(first[:-1])
        assembler.take(first)
        assembler.take(first)
        assembler.take(last)
        assembler.take(b"\x00" * 65)
        self.assertEqual((assembler.corrupt, assembler.repeated, assembler.missing()), (1, 1, [2, 3]))
        for wrong in (0, 5, 0x8000):
            with self.assertRaises(wire.WireError):
                assembler.take(wrong.to_bytes(2, "big") + b"\x00\x00")
        assembler.take(wire.chunk(sealed, 3, 64))
        assembler.take(wire.chunk(sealed, 2, 64))
        self.assertTrue(assembler.is_whole())
        self.assertEqual(bytes(assembler.data), sealed)

    def test_payload(self):
        key, nonce = bytes(32), bytes(12)
        sealed = wire.seal_payload(key, nonce, b"x" * 5000)
        self.assertEqual(wire.unseal_payload(key, nonce, sealed), b"x" * 5000)
        for wrong in (sealed[:-1], wire.seal(key, nonce, b"no gzip")):
            with self.assertRaises(wire.WireError):
                wire.unseal_payload(key, nonce, wrong)
        with self.assertRaises(wire.WireError):
            wire.unseal_payload(key, nonce, sealed, limit=4999)


class Published(unittest.TestCase):
    """Wycheproof, where the folder is there."""

    def groups(self, name):
        path = os.path.join(VECTORS, "wycheproof", name)
        if not VECTORS or not os.path.exists(path):
            self.skipTest("there is no %s" % (path or name))
        with open(path, encoding="utf-8") as file:
            return json.load(file)["testGroups"]

    def test_agreement(self):
        done = 0
        for group in self.groups("x25519_test.json"):
            for case in group["tests"]:
                private, public, shared = (octets(case[name]) for name in ("private", "public", "shared"))
                if case["result"] == "invalid" or not any(shared):
                    continue
                self.assertEqual(wire.agree(wire.private_key(private), public), shared)
                done += 1
        self.assertGreater(done, 100)

    def test_sealing(self):
        done = 0
        for group in self.groups("aes_gcm_test.json"):
            if (group["ivSize"], group["keySize"], group["tagSize"]) != (96, 256, 128):
                continue
            for case in group["tests"]:
                if case["aad"]:
                    continue
                key, nonce, text, sealed, tag = (octets(case[name]) for name in ("key", "iv", "msg", "ct", "tag"))
                if case["result"] == "valid":
                    self.assertEqual(wire.seal(key, nonce, text), sealed + tag)
                    self.assertEqual(wire.unseal(key, nonce, sealed + tag), text)
                else:
                    with self.assertRaises(wire.WireError):
                        wire.unseal(key, nonce, sealed + tag)
                done += 1
        self.assertGreater(done, 30)


if __name__ == "__main__":
    unittest.main()
