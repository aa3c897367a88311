#!/usr/bin/env python3
"""The most that the air of air.py carries: write commands from one Bumble host to another, with nothing else around them.

    bare.py serve TRANSPORT BYTES    counts what is written, and notifies when all has come
    bare.py send TRANSPORT BYTES     writes, and prints the bytes a second from the first write to that notification
"""

import asyncio
import json
import os
import sys
import time

from bumble.core import AdvertisingData, UUID
from bumble.device import Device, Peer
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.hci import Address
from bumble.transport import open_transport

SERVICE, COMMAND, DONE = (UUID("5afe000%d-0000-4000-8000-00000000ba2e" % number) for number in (1, 2, 3))
MTU = 517
LONGEST = 512  # bytes of a value; Bumble drops longer ones
PATIENCE = 120


async def serve(device, count):
    come = 0
    finished = asyncio.get_running_loop().create_future()
    properties = Characteristic.Properties
    done = Characteristic(DONE, properties.NOTIFY, 0, b"")

    async def on_command(_connection, value):
        nonlocal come
        come += len(value)
        if come == count:
            await device.notify_subscribers(done, b"done")
            asyncio.get_running_loop().call_later(1, finished.set_result, None)

    command = Characteristic(
        COMMAND,
        properties.WRITE_WITHOUT_RESPONSE,
        Characteristic.WRITEABLE,
        CharacteristicValue(write=on_command),
    )
    device.add_service(Service(SERVICE, [command, done]))
    data = AdvertisingData([(AdvertisingData.FLAGS, b"\x06"), (AdvertisingData.COMPLETE_LOCAL_NAME, b"bare")])
    await device.start_advertising(
        advertising_data=bytes(data), advertising_interval_min=100, advertising_interval_max=100
    )
    await finished


async def send(device, count):
    found = asyncio.get_running_loop().create_future()

    def on_advertisement(report):
        if report.data.get(AdvertisingData.COMPLETE_LOCAL_NAME) == "bare" and not found.done():
            found.set_result(report.address)

    device.on("advertisement", on_advertisement)
    await device.start_scanning(active=True, legacy=True, filter_duplicates=False)
    address = await found
    await device.stop_scanning()
    peer = Peer(await device.connect(address))
    await peer.request_mtu(MTU)
    await peer.discover_services()
    await peer.discover_characteristics()
    command = peer.get_characteristics_by_uuid(COMMAND)[0]
    done = peer.get_characteristics_by_uuid(DONE)[0]
    arrived = asyncio.get_running_loop().create_future()
    await peer.subscribe(done, lambda _value: arrived.done() or arrived.set_result(None))
    value = os.urandom(LONGEST)
    began = time.monotonic()
    for start in range(0, count, len(value)):
        await command.write_value(value[: count - start], with_response=False)
    await arrived
    seconds = time.monotonic() - began
    print(json.dumps({"bare": "bumble", "bytes": count, "bytesPerSecond": round(count / seconds)}), flush=True)


async def main(role, transport, count):
    async with await open_transport(transport) as (source, sink):
        address = Address("F0:F1:F2:F3:F4:F%d" % (5 if role == "serve" else 6))
        device = Device.with_hci("bare", address, source, sink)
        await device.power_on()
        await {"serve": serve, "send": send}[role](device, count)


if __name__ == "__main__":
    asyncio.run(asyncio.wait_for(main(sys.argv[1], sys.argv[2], int(sys.argv[3])), PATIENCE))
