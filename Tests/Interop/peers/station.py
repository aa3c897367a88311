"""The parts that the peers share: a device on Bumble's host stack, and the end of a run."""

import asyncio
import json
import os
import sys
import time

from bumble.device import Device
from bumble.hci import Address
from bumble.transport import open_transport

MET, FAILED, TOO_LATE = 0, 1, 3


class Ended(Exception):
    """The session is over without what was wanted; the code is that of the stock library, where it has one."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


async def open_device(transport_name, name):
    """A device with a fresh static random address, as a phone has."""
    transport = await asyncio.wait_for(open_transport(transport_name), 20)
    address = os.urandom(6)
    text = ":".join("%02X" % byte for byte in bytes([address[0] | 0xC0]) + address[1:])
    device = Device.with_hci(name, Address(text), transport.source, transport.sink)
    await asyncio.wait_for(device.power_on(), 20)
    return device, transport


async def flow(connection, limit=12):
    """Waits while more packets than that are on their way to the controller."""
    queue = connection.device.host.le_acl_packet_queue
    if queue.pending > limit:
        await queue.drain(connection.handle)


def finish(body, limit, facts):
    """Runs `body`, writes its one line of JSON, and ends the process with its status."""
    started = time.monotonic()
    status = MET

    async def bounded():
        await asyncio.wait_for(body(), limit)

    try:
        asyncio.run(bounded())
        facts["ok"] = True
    except (asyncio.TimeoutError, TimeoutError):
        facts.update(ok=False, code="timeout", error="not done after %g s" % limit)
        status = TOO_LATE
    except Exception as error:  # every end has to be told
        facts.update(ok=False, code=getattr(error, "code", None) or type(error).__name__, error=str(error))
        status = FAILED
    facts["elapsed"] = round(time.monotonic() - started, 3)
    print(json.dumps(facts), flush=True)
    sys.stdout.flush()
    # Bumble leaves readers behind that would hold the process.
    os._exit(status)


def number(share):
    """A figure with three digits behind the point."""
    return round(share, 3)
