#!/usr/bin/env python3
"""Holds herald_wire.py against published bytes: `herald_wire_test.py [FOLDER]`, the folder with `herald`."""

import base64
import csv
import gzip
import os
import sys
import unittest

import herald_wire as wire

VECTORS = sys.argv.pop(1) if len(sys.argv) > 1 else ""


def octets(text):
    return bytes.fromhex(text.replace(" ", ""))


class Advertisements(unittest.TestCase):
    def test_android(self):
        pseudo = bytes(range(1, 7))
        self.assertEqual(
            wire.android_advertisement("current", pseudo), octets("020102 0303f6fc 09fff105 010203040506")
        )
        old = wire.android_advertisement("documented", pseudo)
        self.assertEqual(old, octets("020102 1107 9bfd5bd672451e80d3424647af328142 09fffaff 010203040506"))
        self.assertEqual(len(old), 31)

    def test_ios(self):
        # Recorded from an iPhone in the foreground.
        recorded = octets("02011a 020a0c 1107 9bfd5bd672451e80d3424647af328142")
        self.assertEqual(wire.ios_advertisement("documented"), recorded)

    def test_recognised(self):
        for data, expected in [
            ("02011a020a0c11079bfd5bd672451e80d3424647af328142", True),
            ("020106 0303f6fc 1107 9bfd5bd672451e80d3424647af328142", True),
            ("0503f6fc0d18", True),
            ("0503f60dfc18", False),
            ("0a0303f6fc", False),
            ("02011a 020a0c 0aff4c00100508141bba69", False),
            ("", False),
        ]:
            self.assertEqual(wire.is_herald(octets(data)), expected, data)

    @unittest.skipUnless(VECTORS and os.path.isdir(VECTORS), "no published vectors here")
    def test_pseudo_addresses(self):
        with gzip.open(os.path.join(VECTORS, "herald", "pseudoDeviceAddress.csv.gz"), "rt") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), 44)
        for row in rows:
            self.assertEqual(wire.pseudo_address(int(row["value"])), base64.b64decode(row["data"]), row)


class Frames(unittest.TestCase):
    whole = [
        (wire.frame(1, data=octets("aabbcc")), "01 0300 aabbcc", {"action": "payload", "data": "aabbcc"}),
        (wire.frame(2, rssi=-57), "02 c7ff", {"action": "rssi", "rssi": -57}),
        (wire.frame(3, -57, octets("0102")), "03 c7ff 0200 0102", {"action": "share", "rssi": -57, "data": "0102"}),
        (wire.frame(4, data=b"hi"), "04 0200 6869", {"action": "immediate", "data": "6869"}),
    ]

    def test_whole(self):
        for made, expected, meaning in self.whole:
            self.assertEqual(made, octets(expected))
            self.assertEqual(wire.Assembler().take(made), [meaning])

    def test_in_pieces(self):
        joined = b"".join(made for made, _, _ in self.whole)
        for size in range(1, len(joined) + 1):
            assembler = wire.Assembler()
            found = [one for piece in wire.pieces(joined, size) for one in assembler.take(piece)]
            self.assertEqual(found, [meaning for _, _, meaning in self.whole])

    def test_refused(self):
        for data in ("00", "05", "ff", "01ffff", "04 0102"):
            with self.assertRaises(wire.WireError):
                wire.Assembler().take(octets(data))
        self.assertEqual(wire.Assembler().take(octets("03 c7ff fe01")), [])


if __name__ == "__main__":
    unittest.main()
