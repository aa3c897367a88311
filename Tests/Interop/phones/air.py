"""A device on the virtual air that processes share, with an ATT client and an ATT server of its own.

The air's messages: four bytes of length, a tag, then fields; numbers have their least significant byte first.
"""

import asyncio
import os
import struct

PRIMARY, CHARACTERISTIC, CONFIGURATION = b"\x00\x28", b"\x03\x28", b"\x02\x29"
NOT_FOUND = 0x0A
READ, COMMAND, WRITE, NOTIFY = 0x02, 0x04, 0x08, 0x10


BASE = bytes.fromhex("00001000800000805F9B34FB")


def on_air(uuid):
    """The bytes of a UUID in the air's order: two of one on the Bluetooth base, as phones shorten it."""
    return uuid[3:1:-1] if uuid[:2] == bytes(2) and uuid[4:] == BASE else uuid[::-1]


class Ended(Exception):
    """The link, or the air, has ended."""


class Device:
    """One device: advertises, scans, connects."""

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer
        self.links = {}
        self.found = {}
        self.opened = {True: asyncio.Queue(), False: asyncio.Queue()}  # by being the central
        self.server = None
        self.seen = asyncio.Event()
        self.task = None

    @classmethod
    async def join(cls, path, seconds=20):
        end = asyncio.get_running_loop().time() + seconds
        while True:
            try:
                reader, writer = await asyncio.open_unix_connection(path)
                break
            except OSError:
                if asyncio.get_running_loop().time() > end:
                    raise
                await asyncio.sleep(0.05)
        device = cls(reader, writer)
        address = b"\x01" + os.urandom(5) + bytes([os.urandom(1)[0] | 0xC0])
        device.write(b"\x01" + struct.pack("<H", 1) + address + b"\x00" + struct.pack("<ddbI", 0, 0, -50, 16))
        if (await device.read())[0] != 0x81:
            raise Ended("the air refuses this device")
        device.task = asyncio.create_task(device.run())
        return device

    async def close(self):
        self.task.cancel()
        self.writer.close()

    def write(self, body):
        self.writer.write(struct.pack("<I", len(body)) + body)

    async def read(self):
        (length,) = struct.unpack("<I", await self.reader.readexactly(4))
        return await self.reader.readexactly(length)

    def command(self, number, rest=b""):
        self.write(bytes([2, number]) + rest)

    async def run(self):
        try:
            while True:
                body = await self.read()
                if body[0] == 0x83:
                    self.take(body[1], body[2:])
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            for link in self.links.values():
                link.end()

    def take(self, kind, body):
        if kind == 1:
            address, data = body[:7], body[10 if body[8] else 9:]
            self.found[address] = data
            self.seen.set()
            return
        if kind == 3:
            return
        number = body[:4]
        if kind == 2:
            link = Link(self, number, struct.unpack("<I", body[-4:])[0], bool(body[11]))
            self.links[number] = link
            self.opened[link.is_central].put_nowait(link)
        elif number in self.links:
            link = self.links[number]
            if kind == 4:
                link.sent()
            elif kind == 5:
                link.receive(body[4:])
            elif kind == 7:
                link.end()
                del self.links[number]

    def serve(self, service, rows, mtu):
        """Serves one service, whose characteristics are (UUID, properties, value); the handle of each."""
        self.server = Server(service, rows, mtu)
        return self.server.handles

    async def advertise(self, service):
        listed = on_air(service)
        data = b"\x02\x01\x06" + bytes([1 + len(listed), 3 if len(listed) == 2 else 7]) + listed
        self.command(2, struct.pack("<IB", 100_000, 1) + bytes([len(data)]) + data + b"\x00")

    async def stop_advertising(self):
        self.command(3)

    async def find(self, service):
        """The address of who advertises a service."""
        self.command(4, b"\x00")
        try:
            while True:
                for address, data in self.found.items():
                    if on_air(service) in data:
                        return address
                self.seen.clear()
                await self.seen.wait()
        finally:
            self.command(5)

    async def connect(self, address):
        self.command(6, address)
        return await self.opened[True].get()


class Link:
    """A link with both ends of ATT."""

    def __init__(self, device, number, capacity, is_central):
        self.device, self.number, self.capacity, self.is_central = device, number, capacity, is_central
        self.credits = capacity
        self.outgoing = []
        self.mtu = 23
        self.answers, self.values = asyncio.Queue(), asyncio.Queue()
        self.idle, self.over = asyncio.Event(), asyncio.Event()
        self.is_over = False
        self.subscribed = set()

    def send(self, pdu):
        if self.is_over:
            raise Ended("the link is down")
        self.outgoing.append(pdu)
        self.idle.clear()
        self.pump()

    def pump(self):
        while self.credits and self.outgoing:
            pdu = self.outgoing.pop(0)
            self.credits -= 1
            self.device.command(8, self.number + struct.pack("<HH", len(pdu), 4) + pdu)

    def sent(self):
        self.credits += 1
        self.pump()
        if self.credits == self.capacity and not self.outgoing:
            self.idle.set()

    async def drained(self):
        """Waits until the air has taken all."""
        if self.credits < self.capacity or self.outgoing:
            await self.idle.wait()

    async def disconnect(self):
        if not self.is_over:
            self.device.command(9, self.number)
            await self.over.wait()

    def end(self):
        self.is_over = True
        self.over.set()
        self.idle.set()
        self.answers.put_nowait(None)
        self.values.put_nowait(None)

    def receive(self, frame):
        length, channel = struct.unpack("<HH", frame[:4])
        pdu = frame[4:4 + length]
        if channel != 4 or not pdu:
            return
        opcode = pdu[0]
        if opcode == 0x1B:
            self.values.put_nowait((struct.unpack("<H", pdu[1:3])[0], pdu[3:]))
        elif opcode in (0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x11, 0x13):
            self.answers.put_nowait(pdu)
        else:
            answer = answer_request(self, pdu)
            if answer:
                self.send(answer)

    async def request(self, pdu):
        self.send(pdu)
        answer = await self.answers.get()
        if answer is None:
            raise Ended("the link is down")
        return answer

    async def exchange_mtu(self, mtu):
        answer = await self.request(struct.pack("<BH", 2, mtu))
        if answer[0] == 3:
            self.mtu = max(23, min(mtu, struct.unpack("<H", answer[1:3])[0]))

    async def discover(self, service):
        """The characteristics of a service: UUID to value handle, properties, and the handle of its configuration."""
        answer = await self.request(struct.pack("<BHHH", 6, 1, 0xFFFF, 0x2800) + on_air(service))
        if answer[0] != 7:
            raise Ended("no such service")
        start, last = struct.unpack("<HH", answer[1:5])
        found, at = [], start
        while at <= last:
            answer = await self.request(struct.pack("<BHHH", 8, at, last, 0x2803))
            if answer[0] != 9:
                break
            size = answer[1]
            for place in range(2, len(answer), size):
                entry = answer[place:place + size]
                declared, properties, handle = struct.unpack("<HBH", entry[:5])
                found.append((declared, handle, properties, entry[5:][::-1]))
                at = handle + 1
        result = {}
        for index, (_, handle, properties, uuid) in enumerate(found):
            limit = found[index + 1][0] - 1 if index + 1 < len(found) else last
            result[uuid] = (handle, properties, await self.configuration(handle + 1, limit))
        return result

    async def configuration(self, start, limit):
        while start <= limit:
            answer = await self.request(struct.pack("<BHH", 4, start, limit))
            if answer[0] != 5:
                return None
            size = 4 if answer[1] == 1 else 18
            for place in range(2, len(answer), size):
                handle = struct.unpack("<H", answer[place:place + 2])[0]
                if answer[place + 2:place + size] == CONFIGURATION:
                    return handle
                start = handle + 1
        return None

    async def read(self, handle):
        answer = await self.request(struct.pack("<BH", 0x0A, handle))
        return answer[1:] if answer[0] == 0x0B else None

    async def subscribe(self, configuration, value=b"\x01\x00"):
        if (await self.request(struct.pack("<BH", 0x12, configuration) + value))[0] != 0x13:
            raise Ended("a subscription was refused")

    def write_command(self, handle, value):
        self.send(struct.pack("<BH", 0x52, handle) + value)

    def notify(self, handle, value):
        self.send(struct.pack("<BH", 0x1B, handle) + value)


class Server:
    """One service, whose characteristics are (UUID, properties, value)."""

    def __init__(self, service, characteristics, mtu):
        self.mtu = mtu
        self.table = [(PRIMARY, on_air(service))]
        self.handles = {}
        for uuid, properties, value in characteristics:
            handle = len(self.table) + 2
            self.table.append((CHARACTERISTIC, struct.pack("<BH", properties, handle) + uuid[::-1]))
            self.table.append((uuid[::-1], value))
            self.handles[uuid] = handle
            if properties & NOTIFY:
                self.table.append((CONFIGURATION, b"\x00\x00"))

    def written(self, link, handle, value):
        if self.table[handle - 1][0] == CONFIGURATION:
            (link.subscribed.add if value[:1] == b"\x01" else link.subscribed.discard)(handle - 1)
        else:
            link.values.put_nowait((handle, value))


def failure(pdu, handle=0, code=NOT_FOUND):
    return struct.pack("<BBHB", 1, pdu[0], handle, code)


def answer_request(link, pdu):
    """The answer of this device's server to a request; None for a command."""
    server, opcode = link.device.server, pdu[0]
    if opcode == 0x02:
        asked = struct.unpack("<H", pdu[1:3])[0]
        own = server.mtu if server else 23
        link.mtu = max(23, min(asked, own))
        return struct.pack("<BH", 3, own)
    table = server.table if server else []
    if opcode in (0x12, 0x52):
        handle = struct.unpack("<H", pdu[1:3])[0]
        if 0 < handle <= len(table):
            server.written(link, handle, pdu[3:])
        return b"\x13" if opcode == 0x12 else None
    if opcode & 0x40:
        return None
    start = struct.unpack("<H", pdu[1:3])[0]
    if opcode in (0x0A, 0x0C):
        if not 0 < start <= len(table):
            return failure(pdu, start, 0x01)
        offset = struct.unpack("<H", pdu[3:5])[0] if opcode == 0x0C else 0
        return bytes([opcode + 1]) + table[start - 1][1][offset:offset + link.mtu - 1]
    if opcode not in (0x04, 0x06, 0x08, 0x10):
        return failure(pdu, start, 0x06)
    end = struct.unpack("<H", pdu[3:5])[0]
    chosen = [(number, *row) for number, row in enumerate(table, 1) if start <= number <= end]
    if opcode == 0x04:
        return listed(link, pdu, [(struct.pack("<H", n), kind) for n, kind, _ in chosen], True)
    rows = [(n, value) for n, kind, value in chosen if kind == pdu[5:7]]
    if opcode == 0x06:
        return b"\x07" + struct.pack("<HH", 1, len(table)) if (1, pdu[7:]) in rows else failure(pdu, start)
    if opcode == 0x08:
        return listed(link, pdu, [(struct.pack("<H", n), value) for n, value in rows], False)
    return listed(link, pdu, [(struct.pack("<HH", n, len(table)), value) for n, value in rows], False)


def listed(link, pdu, rows, as_format):
    """As many rows of one length as the MTU has room for."""
    rows = [row for row in rows if len(row[1]) == len(rows[0][1])] if not as_format else rows
    if not rows:
        return failure(pdu, struct.unpack("<H", pdu[1:3])[0])
    size = len(rows[0][0]) + len(rows[0][1])
    same = []
    for head, value in rows:
        if len(head) + len(value) != size or 2 + size * (len(same) + 1) > link.mtu:
            break
        same.append(head + value)
    first = (1 if len(rows[0][1]) == 2 else 2) if as_format else size
    return bytes([pdu[0] + 1, first]) + b"".join(same)
