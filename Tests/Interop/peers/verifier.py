#!/usr/bin/env python3
"""A Tuvali verifier on Bumble's host stack: writes its URI, then what it received into a file, then one line of JSON.

    verifier.py TRANSPORT FILE [--profile 0.5|0.4] [--like android] [--name NAME] [--reject] [--timeout S]
        [--ask BYTES]

Without --like it has descriptors for subscribing, pushes as the wallet subscribed, and listens to one wallet. `--like
android` does what the 0.4.x and 0.5.x libraries do: no descriptors, every push a notification, a new identify message at
any time, success reported before the data are known to be authentic.

With --ask it holds a request with so many bytes of padding (asking.py), and takes nothing but an answer that fits it.

Exit status: 0 received, 1 ended otherwise, 2 wrong arguments, 3 not done in time.
"""

import argparse
import asyncio
import hashlib
import time

import asking
import station
import wire
from bumble.core import UUID
from bumble.gatt import Attribute, Characteristic, CharacteristicValue, Service
from station import Ended

WRITE = Characteristic.Properties.WRITE | Characteristic.Properties.WRITE_WITHOUT_RESPONSE
PUSH = Characteristic.Properties.READ | Characteristic.Properties.INDICATE
# The bytes of a write before an MTU is exchanged.
DEFAULT_WRITE = 20


class Bare(Characteristic):
    """A characteristic that is pushed although it has no descriptor to subscribe with."""

    def get_descriptor(self, _kind):
        # Bumble adds a descriptor where it finds none.
        return self


class Verifier:
    """One session."""

    def __init__(self, device, settings, facts):
        self.device, self.settings, self.facts = device, settings, facts
        self.is_stock = settings.like == "android"
        self.private = wire.private_key()
        self.key = wire.public_bytes(self.private)
        self.asked = None if settings.ask is None else asking.Asked(self.private, settings.ask)
        self.connection = None
        self.write_bytes = DEFAULT_WRITE
        self.session = None
        self.assembler = None
        self.announced_at = None
        self.is_done = False
        self.inputs = asyncio.Queue()
        self.characteristics = {}

    def publish(self):
        """The service with its nine characteristics, in the order of the stock table."""
        handlers = {"identify": self.identify, "response-size": self.size, "submit": self.submit}
        handlers["report-request"] = self.report_request
        for name in wire.NAMES:
            uuid = UUID(wire.characteristic(self.settings.profile, name))
            if name in wire.WRITTEN:

                def on_write(connection, value, handler=handlers[name]):
                    self.inputs.put_nowait((handler, connection, bytes(value)))

                value = CharacteristicValue(write=on_write)
                one = Characteristic(uuid, WRITE, Attribute.WRITEABLE, value)
            else:
                kind = Bare if self.is_stock else Characteristic
                reads = {"request-size": "read_size", "request": "read_window"}
                value = b""
                if self.asked and name in reads:
                    value = CharacteristicValue(read=getattr(self.asked, reads[name]))
                one = kind(uuid, PUSH, Attribute.READABLE, value)
            self.characteristics[name] = one
        self.device.add_service(
            Service(UUID(wire.service_number(self.settings.profile)), list(self.characteristics.values()))
        )
        self.device.on("connection", self.connected)

    async def advertise(self):
        data, response = wire.advertisement(self.settings.profile, self.settings.name, self.key)
        await self.device.start_advertising(
            advertising_data=data,
            scan_response_data=response,
            advertising_interval_min=self.settings.interval,
            advertising_interval_max=self.settings.interval,
        )

    def connected(self, connection):
        self.connection = connection
        connection.on("connection_att_mtu_update", self.mtu_changed)
        connection.on("disconnection", lambda reason: self.inputs.put_nowait((self.ended, connection, reason)))

    def mtu_changed(self):
        self.facts["mtu"] = self.connection.att_mtu
        self.write_bytes = wire.write_bytes(self.connection.att_mtu)
        if self.write_bytes < wire.SMALLEST_WRITE:
            self.inputs.put_nowait((self.too_small, self.connection, b""))

    async def too_small(self, _connection, _value):
        raise Ended("TVV_CON_001", "the MTU is %d" % self.connection.att_mtu)

    async def ended(self, connection, reason):
        if connection is not self.connection:
            return
        if self.is_done:
            raise StopAsyncIteration
        if self.session:
            raise Ended("link-lost", "the link ended, reason 0x%02x" % reason)
        self.connection = None
        await self.advertise()

    async def push(self, name, value):
        one = self.characteristics[name]
        if self.is_stock:
            await self.device.notify_subscriber(self.connection, one, value, force=True)
            return
        bits = self.device.gatt_server.subscribers.get(self.connection, {}).get(one.handle, b"\x00\x00")
        if bits[0] & 2:
            try:
                await asyncio.wait_for(self.device.indicate_subscriber(self.connection, one, value), 5)
            except asyncio.TimeoutError:
                self.facts["unconfirmed"] = self.facts.get("unconfirmed", 0) + 1
        else:
            # Who has not subscribed is told all the same.
            await self.device.notify_subscriber(self.connection, one, value, force=True)

    async def identify(self, _connection, value):
        if len(value) < wire.IDENTIFY_BYTES or (self.session and not self.is_stock):
            return
        self.session = wire.keys_of_verifier(self.private, value)
        if self.asked:
            self.asked.identify(value, self.write_bytes)

    async def size(self, _connection, value):
        if not self.session:
            return
        if len(value) < 4:
            raise Ended("TVV_UNK_002", "the size has %d bytes" % len(value))
        total = int.from_bytes(value[:4], "big")
        if not 0 < total <= 16 << 20:
            raise Ended("crash", "stock verifiers end on a size of %d" % total)
        self.assembler = wire.Assembler(total, self.write_bytes)
        self.announced_at = time.monotonic()

    async def submit(self, _connection, value):
        if self.assembler and not self.is_done:
            self.assembler.take(value)

    async def report_request(self, _connection, value):
        if value[:1] != wire.REPORT_REQUEST:
            return
        if not self.assembler:
            if self.is_stock:
                raise Ended("crash", "stock verifiers end on a report request before a size")
            return
        # Stock Android wallets listen only once their request has been written.
        await asyncio.sleep(self.settings.report_delay)
        missing = self.assembler.missing()
        if len(missing) > 0.7 * self.assembler.count:
            raise Ended("TVV_TRA_002", "%d of %d chunks are missing" % (len(missing), self.assembler.count))
        if missing:
            self.facts["rounds"] += 1
            await self.push("report", wire.report_of(missing, self.write_bytes))
        elif self.is_done:
            await self.push("report", wire.SUCCESS)
        else:
            await self.complete()

    async def complete(self):
        """Everything is there: open it, keep it, say so."""
        self.facts["seconds"] = station.number(time.monotonic() - self.announced_at)
        if self.is_stock:
            await self.push("report", wire.SUCCESS)
        sealed = bytes(self.assembler.data)
        payload = wire.unseal_payload(self.session[1], self.session[0], sealed)
        self.facts.update(
            bytes=len(payload),
            sealed=len(sealed),
            chunks=self.assembler.count,
            corrupt=self.assembler.corrupt,
            repeated=self.assembler.repeated,
            sha256=hashlib.sha256(payload).hexdigest(),
        )
        with open(self.settings.file, "wb") as file:
            file.write(payload)
        if self.asked:
            self.facts.update(answer=self.asked.check(payload.decode()), reads=self.asked.reads)
            self.facts["request"] = hashlib.sha256(self.asked.content.encode()).hexdigest()
        self.is_done = True
        if not self.is_stock:
            await self.push("report", wire.SUCCESS)
        await asyncio.sleep(self.settings.decide_after)
        await self.push("status", b"\x01" if self.settings.reject else b"\x00")

    async def serve(self):
        """Handles what comes, in its order, until the wallet has gone."""
        self.publish()
        await self.advertise()
        uri = wire.make_uri(self.settings.name, self.key, self.settings.profile == "0.4")
        print(uri + ("&request=1" if self.asked else ""), flush=True)
        try:
            while True:
                limit = self.settings.goodbye if self.is_done else None
                handler, connection, value = await asyncio.wait_for(self.inputs.get(), limit)
                await handler(connection, value)
        except StopAsyncIteration:
            return
        except asyncio.TimeoutError:
            self.facts["stayed"] = True
            await self.send_away()
        except (Ended, wire.WireError):
            await self.send_away()
            raise

    async def send_away(self):
        """A stock verifier asks the wallet to go, and cancels the connection 5 ms later."""
        try:
            if self.connection:
                await self.device.notify_subscriber(
                    self.connection, self.characteristics["disconnect"], wire.DISCONNECT, force=True
                )
                await asyncio.sleep(0.005)
                await asyncio.wait_for(self.connection.disconnect(), 10)
        except Exception as error:  # it may be gone already
            self.facts["goodbye"] = str(error)


def read_settings():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("transport")
    add("file", help="where what was received is written to")
    add("--profile", choices=wire.PROFILES, default="0.5")
    add("--like", choices=["android"])
    add("--name", default="OVPMOSIP")
    add("--interval", type=float, default=100, help="milliseconds between advertisements")
    add("--reject", action="store_true", help="answer that it is not accepted")
    add("--decide-after", type=float, default=0.1, help="seconds")
    add("--ask", type=int, help="hold a request with so many bytes of padding")
    add("--report-delay", type=float, default=0.05, help="seconds")
    add("--goodbye", type=float, default=15, help="seconds that the wallet may stay after the status")
    add("--timeout", type=float, default=120, help="seconds for all of it")
    return parser.parse_args()


def main():
    settings = read_settings()
    facts = {"role": "verifier", "like": settings.like or "plain", "profile": settings.profile, "rounds": 0}

    async def body():
        device, _ = await station.open_device(settings.transport, "verifier")
        await Verifier(device, settings, facts).serve()
        await device.power_off()

    station.finish(body, settings.timeout, facts)


if __name__ == "__main__":
    main()
