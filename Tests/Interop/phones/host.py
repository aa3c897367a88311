"""What air.py has, on Bumble's host stack and a controller of its own: a device, and links with both ends of ATT."""

import asyncio
import os
import sys

import air

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "peers"))
import station  # noqa: E402
from bumble.core import UUID, AdvertisingData  # noqa: E402
from bumble.gatt import GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR as CONFIGURATION  # noqa: E402
from bumble.gatt import Attribute, Characteristic, CharacteristicValue, Service  # noqa: E402

INTERVAL = 100
# Linux 6.1 crashes, and bluetoothd 5.82 ends, when a link ends that bluetoothd sets up, or of which it has values to read.
SETTLING = 1


def number_of(uuid):
    """The UUID of an attribute in the order in which it is written."""
    return bytes(uuid.to_bytes(force_128=True))[::-1]


class Device:
    """One device with a random address of its own."""

    def __init__(self, device, transport, mtu):
        self.device, self.transport = device, transport
        self.links = {}
        self.opened = {False: asyncio.Queue()}
        self.rows = {}
        self.seen = asyncio.Queue()
        device.gatt_server.max_mtu = mtu
        device.on("connection", self.connected)
        device.on("advertisement", self.seen.put_nowait)

    @classmethod
    async def join(cls, transport, mtu):
        return cls(*await station.open_device(transport, "phone"), mtu)

    async def close(self):
        for link in list(self.links.values()):
            if not link.is_over:
                await asyncio.wait_for(link.disconnect(), 10)
        await asyncio.wait_for(self.device.power_off(), 10)
        await self.transport.close()

    def connected(self, connection):
        link = Link(self, connection)
        self.links[connection.handle] = link
        if not link.is_central:
            self.opened[False].put_nowait(link)

    def serve(self, service, rows, mtu):
        """Serves one service, whose characteristics are (UUID, properties, value); the handle of each."""
        characteristics = []
        for uuid, properties, value in rows:
            if properties & (air.COMMAND | air.WRITE):
                value = CharacteristicValue(write=lambda connection, value, uuid=uuid: self.written(connection, uuid, value))
            rights = Attribute.READABLE | Attribute.WRITEABLE
            characteristics.append(Characteristic(UUID(uuid.hex()), Characteristic.Properties(properties), rights, value))
        self.device.add_service(Service(UUID(service.hex()), characteristics))
        self.rows = {number_of(one.uuid): one for one in characteristics}
        return {uuid: one.handle for uuid, one in self.rows.items()}

    def written(self, connection, uuid, value):
        self.links[connection.handle].values.put_nowait((self.rows[uuid].handle, bytes(value)))

    async def advertise(self, service):
        data = AdvertisingData([
            (AdvertisingData.FLAGS, b"\x06"), (AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS, service[::-1])])
        await self.device.start_advertising(
            advertising_data=bytes(data), advertising_interval_min=INTERVAL, advertising_interval_max=INTERVAL)

    async def stop_advertising(self):
        await self.device.stop_advertising()

    async def find(self, service):
        """The address of who advertises a service."""
        await self.device.start_scanning(active=True, legacy=True, filter_duplicates=False)
        while True:
            found = await self.seen.get()
            if service[::-1] in bytes(found.data):
                await self.device.stop_scanning(legacy=True)
                return found.address

    async def connect(self, address):
        connection = await self.device.connect(address, timeout=20)
        return self.links[connection.handle]


class Link:
    """A link with both ends of ATT."""

    def __init__(self, device, connection):
        self.device, self.connection, self.client = device, connection, connection.gatt_client
        self.is_central = connection.role == 0
        self.values, self.outgoing = asyncio.Queue(), []
        self.waiting, self.idle, self.over = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.is_over = False
        self.idle.set()
        self.task = asyncio.create_task(self.pump())
        connection.on("disconnection", self.end)
        # Bumble's own client forgets what comes without a subscription of its kind.
        self.client.on_att_handle_value_notification = self.notified

    @property
    def mtu(self):
        return self.connection.att_mtu

    def notified(self, pdu):
        self.values.put_nowait((pdu.attribute_handle, bytes(pdu.attribute_value)))

    def send(self, job):
        if self.is_over:
            raise air.Ended("the link is down")
        self.outgoing.append(job)
        self.idle.clear()
        self.waiting.set()

    async def pump(self):
        while True:
            await self.waiting.wait()
            while self.outgoing:
                await station.flow(self.connection)
                await self.outgoing[0]()
                self.outgoing.pop(0)
            self.waiting.clear()
            self.idle.set()

    def write_command(self, handle, value):
        self.send(lambda: self.client.write_value(handle, value, with_response=False))

    def notify(self, handle, value):
        one = next(row for row in self.device.rows.values() if row.handle == handle)
        # Who has not subscribed is told nothing.
        self.send(lambda: self.device.device.notify_subscriber(self.connection, one, value))

    async def drained(self):
        """Waits until the controller has sent all."""
        await self.idle.wait()
        if not self.is_over:
            await station.flow(self.connection, 0)

    async def disconnect(self):
        if not self.is_over:
            await asyncio.sleep(SETTLING)
        if not self.is_over:
            await self.connection.disconnect()
            await self.over.wait()

    def end(self, _reason):
        self.is_over = True
        self.task.cancel()
        self.over.set()
        self.idle.set()
        self.values.put_nowait(None)

    async def exchange_mtu(self, mtu):
        await self.client.request_mtu(mtu)

    async def discover(self, service):
        """The characteristics of a service: UUID to value handle, properties, and the handle of its configuration."""
        services = await self.client.discover_service(UUID(service.hex()))
        if not services:
            raise air.Ended("no such service")
        result = {}
        for one in await self.client.discover_characteristics([], services[0]):
            await self.client.discover_descriptors(one)
            configuration = one.get_descriptor(CONFIGURATION)
            result[number_of(one.uuid)] = (one.handle, int(one.properties), configuration and configuration.handle)
        return result

    async def read(self, handle):
        return bytes(await self.client.read_value(handle))

    async def subscribe(self, configuration, value=b"\x01\x00"):
        await self.client.write_value(configuration, value, with_response=True)
