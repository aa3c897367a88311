#!/usr/bin/env python3
"""A Herald device on Bumble's host stack: `herald_peer.py TRANSPORT [OPTIONS]`. Says each event in a line of JSON.

It advertises, serves its payload, takes signal frames, and listens: it reads the payload of each Herald device once. `--like`
says how:

| | android | ios | mute |
|---|---|---|---|
| advertisement | service, pseudo device address | service, transmit power | none |
| signal characteristic | f617…, write | 0eb0…, write and notify | none |
| writes | in pieces of 20 bytes | whole | in pieces of 20 bytes |
| what it cannot read | is taken without a word | is answered with 0x0D | |

`--generation documented` is that of the libraries before 2.1: service 428132af…, company 65530. The MTU stays at 23 unless
--mtu says otherwise, so that values longer than 22 bytes are read in parts. With `--guarded` its payload is for those alone
who have paired with it, as a device would say that means to be remembered.

Orders are lines of standard input, each answered with the event `obeyed` or `refused`:

    rotate               another address, under which it advertises; the pseudo device address stays
    renew                another address and another pseudo device address
    every MILLISECONDS   advertises so often
    quiet                advertises no more
    write-payload, write-rssi [DBM], share HEX..., send TEXT
                         to the device of --meets; without DBM what it heard last
    write HEX            that value, as it is
    pair                 asks the device of --meets to pair with it, and says "paired" or "unpaired"
    leave                ends all links

It ends with its standard input.
"""

import argparse
import asyncio
import json
import os
import sys
import time

import herald_wire as wire
import station
from bumble import att, hci
from bumble.core import UUID, ProtocolError
from bumble.gatt import Attribute, Characteristic, CharacteristicValue, Service

ATTEMPTS = 12
REQUEST_LIMIT = 20


def random_address():
    address = os.urandom(6)
    return hci.Address(":".join("%02X" % byte for byte in bytes([address[0] | 0xC0]) + address[1:]))


def plain(address):
    return str(address)[:17]


class Known:
    """A Herald device that was heard."""

    def __init__(self, address):
        self.address = address
        self.rssi = None
        self.data = None
        self.is_met = False


class Peer:
    """One phone."""

    def __init__(self, device, settings):
        self.device, self.settings = device, settings
        self.began = time.monotonic()
        self.payload = bytes.fromhex(settings.payload)
        self.is_ios = settings.like == "ios"
        self.is_mute = settings.like == "mute"
        self.pseudo = wire.pseudo_address(int.from_bytes(os.urandom(8), "little", signed=True))
        self.interval = settings.interval
        self.known = {}
        self.readers = set()
        self.assemblers = {}
        self.is_loud = not self.is_mute
        self.work = asyncio.Lock()
        self.wanted = asyncio.Event()

    def say(self, event, **facts):
        print(json.dumps({"event": event, "at": round(time.monotonic() - self.began, 3), **facts}), flush=True)

    # The services of the peer

    def publish(self):
        signal = wire.SIGNAL["ios" if self.is_ios else "android"]
        kinds = Characteristic.Properties
        write = kinds.WRITE | kinds.NOTIFY if self.is_ios else kinds.WRITE
        rights = Attribute.READABLE
        if self.settings.guarded:
            rights |= Attribute.READ_REQUIRES_ENCRYPTION
        characteristics = [
            Characteristic(UUID(wire.PAYLOAD), kinds.READ, rights, CharacteristicValue(read=self.was_read)),
            Characteristic(UUID(signal), write, Attribute.WRITEABLE, CharacteristicValue(write=self.was_written)),
        ]
        is_current = self.settings.generation == "current"
        self.device.add_service(
            Service(UUID.from_16_bits(wire.CURRENT) if is_current else UUID(wire.DOCUMENTED), characteristics)
        )

    def was_read(self, connection):
        self.say("served", peer=plain(connection.peer_address))
        self.readers.add(plain(connection.peer_address))
        return self.payload

    def was_written(self, connection, value):
        who = plain(connection.peer_address)
        assembler = self.assemblers.setdefault(connection.handle, wire.Assembler())
        try:
            frames = [wire.only_frame(value)] if self.is_ios else assembler.take(value)
        except Exception as error:  # whatever it is that came
            self.say("refused-frame", peer=who, value=value.hex(), error=str(error))
            if self.is_ios:
                raise att.ATT_Error(att.ATT_INVALID_ATTRIBUTE_LENGTH_ERROR)
            return
        for one in frames:
            self.say("frame", peer=who, **one)

    def connected(self, connection):
        self.say("connected", peer=plain(connection.peer_address), role=int(connection.role))

        def ended(reason):
            self.assemblers.pop(connection.handle, None)
            self.say("disconnected", peer=plain(connection.peer_address), reason=reason)

        connection.on("disconnection", ended)
        for outcome, word in (("pairing_start", "pairing"), ("pairing", "paired"), ("pairing_failure", "unpaired")):
            connection.on(outcome, lambda *_, word=word: self.say(word, peer=plain(connection.peer_address)))
        # A controller stops advertising when it is connected to; a phone goes on.
        if int(connection.role) == 1 and self.is_loud:
            asyncio.ensure_future(self.advertise())

    # The advertisements of the peer

    async def advertise(self):
        make = wire.ios_advertisement if self.is_ios else wire.android_advertisement
        data = make(self.settings.generation, *([] if self.is_ios else [self.pseudo]))
        await self.device.start_advertising(
            advertising_data=data,
            scan_response_data=b"",
            advertising_interval_min=self.interval,
            advertising_interval_max=self.interval,
        )
        self.say("advertising", address=plain(self.device.random_address), data=data.hex())

    async def scan(self):
        await self.device.start_scanning(filter_duplicates=False, active=False)

    async def change_address(self):
        await self.device.stop_advertising()
        await self.device.stop_scanning()
        self.device.random_address = random_address()
        await self.device.send_sync_command(
            hci.HCI_LE_Set_Random_Address_Command(random_address=self.device.random_address)
        )
        await self.scan()
        if self.is_loud:
            await self.advertise()

    # Devices that it meets

    def heard(self, advertisement):
        address = plain(advertisement.address)
        if self.settings.meets and address != self.settings.meets:
            return
        data = bytes(advertisement.data_bytes)
        known = self.known.get(address)
        if known is None:
            if not wire.is_herald(data):
                return
            known = self.known[address] = Known(advertisement.address)
        if data != known.data:
            known.data = data
            self.say("heard", peer=address, rssi=advertisement.rssi, data=data.hex())
        known.rssi = advertisement.rssi
        if not known.is_met and self.may_meet(known):
            self.wanted.set()

    def may_meet(self, known):
        """True when the peer may connect; a shy one waits until the other has been here, and has left."""
        is_here = self.device.find_connection_by_bd_addr(known.address) is not None
        return not self.settings.shy or (plain(known.address) in self.readers and not is_here)

    async def meet_all(self):
        """Reads the payload of each device once."""
        while True:
            await self.wanted.wait()
            self.wanted.clear()
            for known in [one for one in self.known.values() if not one.is_met and self.may_meet(one)]:
                async with self.work:
                    try:
                        await self.on_link(known, self.meet)
                        known.is_met = True
                    except Exception as error:  # it is tried again when it is heard again
                        self.say("missed", peer=plain(known.address), error="%s %s" % (type(error).__name__, error))
                        await asyncio.sleep(0.5)

    async def meet(self, connection, known):
        found = await self.discover(connection)
        signal = next((kind for kind, uuid in wire.SIGNAL.items() if UUID(uuid) in found), None)
        value = await connection.gatt_client.read_value(found[UUID(wire.PAYLOAD)])
        self.say(
            "read",
            peer=plain(known.address),
            payload=bytes(value).hex(),
            system=signal,
            properties={str(uuid): int(one.properties) for uuid, one in found.items()},
            services=self.services,
        )

    async def discover(self, connection):
        """The characteristics of the Herald service by their UUIDs."""
        services = await connection.gatt_client.discover_services()
        wanted = [UUID.from_16_bits(wire.CURRENT), UUID(wire.DOCUMENTED)]
        self.services = [str(one.uuid) for one in services]
        herald = [one for one in services if one.uuid in wanted]
        if not herald:
            raise wire.WireError("it has no Herald service")
        herald.sort(key=lambda one: wanted.index(one.uuid))
        found = await connection.gatt_client.discover_characteristics([], herald[0])
        return {one.uuid: one for one in found}

    async def on_link(self, known, body):
        """Does something on a link to a device: the one there is, or one that is made, and ended, for it."""
        connection = self.device.find_connection_by_bd_addr(known.address)
        is_own = connection is None
        if is_own:
            connection = await self.device.connect(known.address, timeout=8)
        gone = asyncio.get_running_loop().create_future()
        connection.on("disconnection", lambda reason: gone.done() or gone.set_result(reason))
        doing = asyncio.ensure_future(body(connection, known))
        try:
            await asyncio.wait({doing, gone}, timeout=REQUEST_LIMIT, return_when=asyncio.FIRST_COMPLETED)
            # Bumble cancels what waits for an answer when the link ends.
            if not doing.done() or doing.cancelled():
                raise wire.WireError("the link ended" if gone.done() else "no answer")
            return doing.result()
        finally:
            doing.cancel()
            if is_own and not gone.done():
                try:
                    await asyncio.wait_for(connection.disconnect(), 5)
                except Exception:  # it may be gone already
                    pass

    async def write(self, values):
        """Writes values to the signal characteristic, as often as it takes until they are all there."""
        last = None
        for _ in range(ATTEMPTS):
            known = next((one for one in self.known.values() if one.is_met), None)
            if known is None:
                await asyncio.sleep(0.5)
                continue

            async def body(connection, _known):
                found = await self.discover(connection)
                signal = next(found[UUID(uuid)] for uuid in wire.SIGNAL.values() if UUID(uuid) in found)
                for value in values:
                    await connection.gatt_client.write_value(signal, value, with_response=True)

            async with self.work:
                try:
                    return await self.on_link(known, body)
                except att.ATT_Error:
                    raise
                except Exception as error:  # a link may end at any time
                    last = error
                    await asyncio.sleep(0.5)
        raise wire.WireError("not written: %s" % last)

    async def pair(self):
        known = next(iter(self.known.values()), None)
        if known is None:
            raise wire.WireError("no device was heard")

        async def body(connection, _known):
            try:
                await asyncio.wait_for(connection.pair(), REQUEST_LIMIT / 2)
            except (asyncio.TimeoutError, ProtocolError):
                pass  # it is reported already, or no device answered

        async with self.work:
            await self.on_link(known, body)

    async def write_frame(self, frame):
        await self.write([frame] if self.is_ios else wire.pieces(frame))

    # Orders

    async def obey(self, line):
        word, *rest = line.split()
        if word == "rotate":
            await self.change_address()
        elif word == "renew":
            self.pseudo = wire.pseudo_address(int.from_bytes(os.urandom(8), "little", signed=True))
            await self.change_address()
        elif word == "every":
            self.interval, self.is_loud = float(rest[0]), True
            await self.advertise()
        elif word == "quiet":
            self.is_loud = False
            await self.device.stop_advertising()
        elif word == "write-payload":
            await self.write_frame(wire.frame(wire.WRITE_PAYLOAD, data=self.payload))
        elif word == "write-rssi":
            heard = [one.rssi for one in self.known.values() if one.rssi is not None]
            await self.write_frame(wire.frame(wire.WRITE_RSSI, rssi=int(rest[0]) if rest else heard[-1]))
        elif word == "share":
            heard = [one.rssi for one in self.known.values() if one.rssi is not None]
            joined = b"".join(bytes.fromhex(one) for one in rest)
            await self.write_frame(wire.frame(wire.SHARE, rssi=heard[-1], data=joined))
        elif word == "send":
            text = line[len(word) + 1 :].encode()
            await self.write_frame(wire.frame(wire.IMMEDIATE, data=text))
        elif word == "write":
            await self.write([bytes.fromhex(rest[0]) if rest else b""])
        elif word == "pair":
            await self.pair()
        elif word == "leave":
            for connection in list(self.device.connections.values()):
                await connection.disconnect()
        else:
            raise wire.WireError("no such order")

    async def follow(self):
        """Obeys the lines of standard input until it ends."""
        reader = asyncio.StreamReader()
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        while line := (await reader.readline()).decode().strip():
            try:
                await self.obey(line)
                self.say("obeyed", order=line)
            except Exception as error:  # the next order may do better
                self.say("refused", order=line, error="%s %s" % (type(error).__name__, error))

    async def run(self):
        self.publish()
        self.device.gatt_server.max_mtu = self.settings.mtu
        self.device.on("connection", self.connected)
        self.device.on("advertisement", self.heard)
        if self.is_loud:
            await self.advertise()
        await self.scan()
        meeting = asyncio.ensure_future(self.meet_all())
        await self.follow()
        meeting.cancel()
        await self.leave()

    async def leave(self):
        """Goes as a phone that is switched off: its controller would go on without it."""
        self.is_loud = False
        await self.device.stop_advertising()
        await self.device.stop_scanning()
        # Linux 6.1 has been seen to crash when a link ends while bluetoothd still looks at the peer's services.
        for _ in range(50):
            if not self.device.connections:
                break
            await asyncio.sleep(0.1)
        for connection in list(self.device.connections.values()):
            await connection.disconnect()


def read_settings():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("transport")
    add("--like", choices=["android", "ios", "mute"], default="android")
    add("--generation", choices=["current", "documented"], default="current")
    add("--payload", default="103a03040000112233445566778899aabbccddeeff", help="what others read, as digits")
    add("--mtu", type=int, default=23, help="the largest MTU that is agreed to")
    add("--interval", type=float, default=250, help="milliseconds between advertisements")
    add("--shy", action="store_true", help="connects to no device that has not read its payload")
    add("--guarded", action="store_true", help="its payload is for paired devices alone")
    add("--meets", default="", help="the one address that it cares for")
    return parser.parse_args()


async def main():
    device, _ = await station.open_device(read_settings().transport, "phone")
    await Peer(device, read_settings()).run()


if __name__ == "__main__":
    asyncio.run(main())
    # Bumble leaves readers behind that would hold the process.
    os._exit(0)
