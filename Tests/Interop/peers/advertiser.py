#!/usr/bin/env python3
"""Advertises as a Tuvali verifier until its standard input ends: `advertiser.py TRANSPORT [MILLISECONDS]`.

Says its address, then nothing.
"""

import asyncio
import sys

import station
import wire
from bumble.device import AdvertisingType


async def run(transport, interval):
    device, _ = await station.open_device(transport, "advertiser")
    data, response = wire.advertisement("0.5", "COUNTED", wire.public_bytes(wire.private_key()))
    await device.start_advertising(
        AdvertisingType.UNDIRECTED_CONNECTABLE_SCANNABLE,
        advertising_data=data,
        scan_response_data=response,
        advertising_interval_min=interval,
        advertising_interval_max=interval,
    )
    print(str(device.random_address)[:17], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await device.stop_advertising()
    await device.power_off()


if __name__ == "__main__":
    asyncio.run(run(sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 100))
