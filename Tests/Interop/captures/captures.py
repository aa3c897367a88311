#!/usr/bin/env python3
"""Makes the captures in Vectors/captures that Bumble's controllers and this script write.

Usage: captures.py FOLDER   needs Bumble (Tests/Interop/bluetooth/requirements.txt)

A scanner and an advertiser of Bumble share a link; what crosses between the scanner's host and its controller is written as
btsnoop. Bumble's controller gives the data of an advertisement in one report; for chained and truncated ones its reports are
cut here as a controller cuts them. The captures of sniffers are laid out here, with Bumble for nothing.
"""
import asyncio
import os
import struct
import sys

from bumble import hci
from bumble.controller import Controller
from bumble.device import Device
from bumble.hci import Address
from bumble.host import Host
from bumble.link import LocalLink
from bumble.snoop import BtSnooper
from bumble.transport.common import AsyncPipeSink

EXPOSURE = bytes([2, 1, 0x1A, 3, 3, 0x6F, 0xFD, 0x17, 0x16, 0x6F, 0xFD]) + bytes(range(20))
HERALD = bytes([2, 1, 6, 3, 3, 0xF6, 0xFC, 9, 0xFF, 0xF1, 0x05]) + bytes(range(1, 7))


def filled(count):
    """Advertising data of `count` bytes: Herald's service and manufacturer data, in structures of up to 255 bytes."""
    data = HERALD
    while len(data) < count:
        size = min(count - len(data), 255)
        data += bytes([size - 1, 0xFF, 0xFF, 0xFF]) + b"x" * (size - 4)
    return data


class CuttingController(Controller):
    """Gives extended reports in pieces of `piece` bytes; `lose` says what happens to the last one."""

    piece = None
    lose = None

    def send_hci_packet(self, packet):
        if not self.piece or not isinstance(packet, hci.HCI_LE_Extended_Advertising_Report_Event):
            return super().send_hci_packet(packet)
        for report in packet.reports:
            pieces = [report.data[at:at + self.piece] for at in range(0, len(report.data), self.piece)]
            for index, data in enumerate(pieces):
                is_last = index == len(pieces) - 1
                if is_last and self.lose == "never sent":
                    break
                status = 0 if is_last else 1
                if self.lose == "reported" and index == len(pieces) - 2:
                    status = 2
                report.event_type = (report.event_type & ~0x60) | status << 5
                report.data = data
                super().send_hci_packet(hci.HCI_LE_Extended_Advertising_Report_Event([report]))
                if status == 2:
                    break


async def record(path, extended, data, piece=None, lose=None):
    link = LocalLink()
    controllers = [Controller("advertiser", link=link), CuttingController("scanner", link=link)]
    controllers[1].piece, controllers[1].lose = piece, lose
    if not extended:
        for controller in controllers:
            controller.le_features &= ~hci.LeFeatureMask.LE_EXTENDED_ADVERTISING
    hosts = [Host(controller, AsyncPipeSink(controller)) for controller in controllers]
    advertiser = Device(name="advertiser", address=Address("F0:F1:F2:F3:F4:F5"), host=hosts[0])
    scanner = Device(name="scanner", address=Address("C0:C1:C2:C3:C4:C5"), host=hosts[1])
    with open(path, "wb") as file:
        hosts[1].snooper = BtSnooper(file)
        await advertiser.power_on()
        await scanner.power_on()
        await scanner.start_scanning(legacy=not extended)
        if extended:
            await advertiser.create_advertising_set(advertising_data=data)
        else:
            advertiser.advertising_data = data
            await advertiser.start_advertising(auto_restart=True)
        await asyncio.sleep(1.5)
        hosts[1].snooper = None


def checksum(pdu):
    """The checksum of an advertising PDU; bits go out least significant first."""
    register = 0x555555
    for byte in pdu:
        for bit in range(8):
            carry = register >> 23 & 1 ^ byte >> bit & 1
            register = register << 1 & 0xFFFFFF
            if carry:
                register ^= 0x00065B
    out = int("{:024b}".format(register)[::-1], 2)
    return out.to_bytes(3, "little")


def packet(kind, body, access=0x8E89BED6, damaged=False):
    pdu = bytes([kind, len(body)]) + body
    total = checksum(pdu)
    if damaged:
        total = bytes([total[0] ^ 1]) + total[1:]
    return struct.pack("<I", access) + pdu + total


SENDER = bytes([0x06, 0x05, 0x04, 0x03, 0x02, 0xC1])


def extended_header(mode, fields, data):
    """An extended advertising payload: `fields` maps the bit of a field to its bytes."""
    flags = sum(1 << bit for bit in fields)
    header = bytes([flags]) + b"".join(fields[bit] for bit in sorted(fields)) if fields else b""
    return bytes([len(header) | mode << 6]) + header + data


def air():
    """Packets of an advertiser, of an extended one in three parts, of a truncated one, and others."""
    adi = struct.pack("<H", 3 << 12 | 0x123)
    other = struct.pack("<H", 4 << 12 | 0x456)
    pointer = bytes([5, 1, 0])
    long = filled(600)
    return [
        packet(0x40, SENDER + EXPOSURE),
        packet(0x44, SENDER + bytes([3, 3, 0x6F, 0xFD])),
        packet(0x42, SENDER + HERALD),
        packet(0xC3, SENDER + SENDER),
        packet(0x45, SENDER + SENDER + bytes(22)),
        packet(0x07, extended_header(1, {3: adi, 4: pointer}, b"")),
        packet(0x47, extended_header(1, {0: SENDER, 3: adi, 4: pointer, 6: bytes([0xF8])}, long[:230])),
        packet(0x07, extended_header(0, {3: adi, 4: pointer}, long[230:430])),
        packet(0x07, extended_header(0, {3: adi}, long[430:])),
        packet(0x47, extended_header(0, {0: SENDER, 3: other, 4: pointer}, long[:200])),
        packet(0x40, SENDER + EXPOSURE, damaged=True),
        packet(0x02, bytes([1, 2]), access=0x12345678),
    ]


def with_header(bytes_, damaged=False):
    flags = 1 | 2 | 0x10 | 0x400 | (0 if damaged else 0x800)
    return bytes([37, 256 - 61, 0, 0]) + struct.pack("<IH", 0x8E89BED6, flags) + bytes_


def nordic(bytes_, number, damaged=False, version=2):
    access = struct.unpack("<I", bytes_[:4])[0]
    inner = bytes([10, 0 if damaged else 1, 37, 61]) + struct.pack("<HI", 0, number) + bytes_
    identifier = 2 if version == 3 and access == 0x8E89BED6 else 6
    return bytes([1]) + struct.pack("<HBHB", len(inner), version, number, identifier) + inner


def pcap(link, packets, order="<", nanoseconds=False):
    magic = 0xA1B23C4D if nanoseconds else 0xA1B2C3D4
    out = struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 65535, link)
    for number, data in enumerate(packets):
        fraction = number * 1000 * (1000 if nanoseconds else 1)
        out += struct.pack(order + "IIII", 1_700_000_000, fraction, len(data), len(data)) + data
    return out


def block(order, kind, body):
    body += bytes(-len(body) % 4)
    size = struct.pack(order + "I", len(body) + 12)
    return struct.pack(order + "I", kind) + size + body + size


def pcapng(links, packets, order="<"):
    """`links` are interfaces with their resolution of time, `packets` pairs of interface and bytes."""
    out = block(order, 0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1))
    for link, resolution in links:
        options = struct.pack(order + "HHB3xHH", 9, 1, resolution, 0, 0)
        out += block(order, 1, struct.pack(order + "HHI", link, 0, 0) + options)
    out += block(order, 4, struct.pack(order + "HH", 0, 0))
    for number, (interface, data) in enumerate(packets):
        ticks = (1_700_000_000_000_000 + number * 1000) * (1000 if links[interface][1] == 9 else 1)
        head = struct.pack(order + "IIIII", interface, ticks >> 32, ticks & 0xFFFFFFFF, len(data), len(data))
        out += block(order, 6, head + data)
    return out


async def main(folder):
    await record(os.path.join(folder, "bumble-legacy.btsnoop"), False, EXPOSURE)
    await record(os.path.join(folder, "bumble-extended.btsnoop"), True, filled(200))
    await record(os.path.join(folder, "bumble-chained.btsnoop"), True, filled(250), piece=100)
    await record(os.path.join(folder, "bumble-truncated.btsnoop"), True, filled(250), piece=100, lose="reported")
    await record(os.path.join(folder, "bumble-unfinished.btsnoop"), True, filled(250), piece=100, lose="never sent")
    packets = air()
    damaged = 10
    files = {
        "sniffer-251.pcap": pcap(251, packets),
        "sniffer-256.pcap": pcap(
            256, [with_header(data, number == damaged) for number, data in enumerate(packets)], ">", True),
        "sniffer-272.pcapng": pcapng(
            [(272, 6)], [(0, nordic(data, number, number == damaged)) for number, data in enumerate(packets)]),
        "sniffer-272-version-3.pcapng": pcapng(
            [(272, 9)],
            [(0, nordic(data, number, number == damaged, 3)) for number, data in enumerate(packets)], ">"),
    }
    with open(os.path.join(folder, "bumble-extended.btsnoop"), "rb") as file:
        snoop = file.read()[16:]
    host, other = [], bytes(range(60))
    while snoop:
        size, flags = struct.unpack(">4xII", snoop[:12])
        host.append((0, struct.pack(">I", flags & 1) + snoop[24:24 + size]))
        snoop = snoop[24 + size:]
    files["host-201.pcapng"] = pcapng([(201, 6), (1, 6)], host + [(1, other)])
    files["ethernet.pcap"] = pcap(1, [other])
    for name, content in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)


asyncio.run(main(sys.argv[1]))
