"""The GATT modes of ISO/IEC 18013-5: the State characteristic, messages in parts, either role."""

import asyncio

import air

TAIL = bytes.fromhex("A12348CE896B4C76973373E6")
# State, client to server, server to client, Ident; of the holder's service and of the reader's.
HOLDERS, READERS = (1, 2, 3, None), (5, 6, 7, 8)


def characteristic(number):
    return number.to_bytes(4, "big") + TAIL


class Channel:
    """A link over which messages go; `size` limits the bytes of a part, its prefix included."""

    def __init__(self, link, out, heard, state, writes, size=None):
        self.link, self.out, self.heard, self.state, self.writes = link, out, heard, state, writes
        self.size = size
        self.was_ended = False

    def put(self, handle, value):
        if self.writes:
            self.link.write_command(handle, value)
        else:
            self.link.notify(handle, value)

    async def send(self, message, empty_last=False):
        room = min(self.size or 512, self.link.mtu - 3) - 1
        for start in range(0, len(message), room):
            is_last = start + room >= len(message) and not empty_last
            self.put(self.out, (b"\x00" if is_last else b"\x01") + message[start:start + room])
            if len(self.link.outgoing) > 64:
                await asyncio.sleep(0)
                while len(self.link.outgoing) > 32 and not self.link.is_over:
                    await asyncio.sleep(0.001)
        if empty_last:
            self.put(self.out, b"\x00")
        await self.link.drained()

    async def receive(self):
        """The next message; None where the other side ended with State 02."""
        message = b""
        while True:
            got = await self.link.values.get()
            if got is None:
                raise air.Ended("the link is down")
            handle, value = got
            if handle == self.state:
                if value == b"\x02":
                    self.was_ended = True
                    return None
                raise air.Ended("State %s" % value.hex())
            if handle != self.heard:
                continue
            if not value or value[0] > 1 or len(value) > min(512, self.link.mtu - 3):
                raise air.Ended("a part of %d bytes" % len(value))
            message += value[1:]
            if value[0] == 0:
                return message

    async def end(self):
        self.put(self.state, b"\x02")
        await self.link.drained()


async def as_client(device, service, numbers, mtu, size=None, ident=None, quirks=()):
    pause = 2 if "slow" in quirks else 0
    if "lost-before-start" in quirks:
        link = await device.connect(await device.find(service))
        await link.exchange_mtu(mtu)
        await link.disconnect()
    link = await device.connect(await device.find(service))
    await asyncio.sleep(pause)
    if mtu > 23:
        await link.exchange_mtu(mtu)
    found = await link.discover(service)
    await asyncio.sleep(pause)
    state, sends, hears, proof = [characteristic(number) if number else None for number in numbers]
    if ident is not None and "no-ident" not in quirks:
        read = await link.read(found[proof][0])
        if read != ident:
            await link.disconnect()
            raise air.Ended("Ident is %s" % (read or b"").hex())
    configuration = b"\x00\x01" if "swapped-subscription" in quirks else b"\x01\x00"
    for uuid in (hears, state) if "other-order" in quirks else (state, hears):
        await link.subscribe(found[uuid][2], configuration)
        await asyncio.sleep(pause)
    link.write_command(found[state][0], b"\x01")
    return Channel(link, found[sends][0], found[hears][0], found[state][0], True, size)


async def as_server(device, service, numbers, mtu, size=None, ident=None, quirks=()):
    state, hears, sends, proof = [characteristic(number) if number else None for number in numbers]
    rows = [(state, air.NOTIFY | air.COMMAND, b""), (hears, air.COMMAND, b""), (sends, air.NOTIFY, b"")]
    if proof:
        rows.append((proof, air.READ, ident))
    if "more-characteristics" in quirks:
        rows.insert(0, (characteristic(0x0A), air.READ, bytes(4)))
        also = {air.COMMAND: air.WRITE}
        rows = [(uuid, how | also.get(how & air.COMMAND, 0), value) for uuid, how, value in rows]
    handles = device.serve(service, rows, mtu)
    begun = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(accept(device, service, (handles[state], b"\x01"), mtu, quirks, begun))
    try:
        link = await begun
    finally:
        task.cancel()
    await device.stop_advertising()
    return Channel(link, handles[sends], handles[hears], handles[state], False, size)


async def accept(device, service, start, mtu, quirks, begun):
    """Takes links and advertises on, until one of them writes the start."""
    async def wait(link):
        if "explores" in quirks:
            await explore(link, mtu)
        while (got := await link.values.get()) is not None:
            if got == start and not begun.done():
                return begun.set_result(link)

    losses, waits = int("lost-before-start" in quirks), []
    while True:
        # A controller stops advertising when a link comes up.
        await device.advertise(service)
        link = await device.opened[False].get()
        if losses:
            losses -= 1
            await link.disconnect()
        else:
            waits.append(asyncio.create_task(wait(link)))


async def explore(link, mtu):
    """Asks as a phone's host asks any peer, while that one asks it: its MTU and its services."""
    await link.exchange_mtu(mtu)
    await link.request(b"\x10\x01\x00\xff\xff\x00\x28")
    await link.request(b"\x08\x01\x00\xff\xff\x00\x2a")


async def stranger(join, service):
    """Connects to who advertises a service, and says nothing until the link is ended."""
    device = await join()
    link = await device.connect(await device.find(service))
    await link.over.wait()
    await device.close()


async def first(*attempts):
    """The channel of the attempt that is ready first; the others are given up."""
    tasks = [asyncio.create_task(attempt) for attempt in attempts]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return next(iter(done)).result()
    finally:
        for task in tasks:
            task.cancel()
