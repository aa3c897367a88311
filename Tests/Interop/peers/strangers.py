#!/usr/bin/env python3
"""Devices that connect to our first adapter whenever it advertises, and say nothing: `strangers.py FOLDER COUNT`.

Runs beside the machine of Scripts/bluez-machine.sh, as its first --peer, with its folder; the air has to have as many controllers more.
Writes how many links each device made when it is ended.
"""

import asyncio
import signal
import sys

from bumble.device import Device
from bumble.hci import Address
from bumble.transport import open_transport

OURS = Address("02:00:00:00:00:01", Address.PUBLIC_DEVICE_ADDRESS)


async def bother(transport_name, number, links):
    """Connects, stays until it is sent away, and comes back."""
    async with await open_transport(transport_name) as (source, sink):
        device = Device.with_hci("stranger", Address("F0:F1:F2:F3:F5:%02X" % number), source, sink)
        await device.power_on()
        while True:
            connection = await device.connect(OURS)
            links[number] += 1
            gone = asyncio.get_running_loop().create_future()
            connection.on("disconnection", lambda _reason, gone=gone: gone.done() or gone.set_result(None))
            await gone


async def main(folder, count):
    links = [0] * count
    jobs = [asyncio.create_task(bother("unix-client:%s/peer%d" % (folder, n), n, links)) for n in range(count)]
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, lambda: [job.cancel() for job in jobs])
    ends = await asyncio.gather(*jobs, return_exceptions=True)
    print("strangers: %d links, %s" % (sum(links), links), flush=True)
    for end in ends:
        if not isinstance(end, asyncio.CancelledError):
            print("strangers: one ended with %r" % end, flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
