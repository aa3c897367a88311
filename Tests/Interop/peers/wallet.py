#!/usr/bin/env python3
"""A Tuvali wallet on Bumble's host stack: hands a file to the verifier of a code, and says in one line of JSON how it went.

    wallet.py TRANSPORT FILE URI [--profile 0.5|0.4] [--like android|ios] [--mtu N] [--patience N] [--timeout S]
        [--answer BYTES]

Without --like it does what the protocol allows and a careful wallet does: the key of the code must be the key on the air,
it subscribes where it can, and asks again for a report that does not come. `--like android` and `--like ios` do what the
0.5.x libraries do, and nothing more:

| | android | ios |
|---|---|---|
| MTU | 517 once, whatever is asked for: 512, 185, 100 | what the phone exchanged, --mtu (185) |
| subscribing | never writes a descriptor; hears reports only once it has asked for one | all three, where it can |
| identify, size, report request | write commands | writes with response |
| chunks | write commands, one after the other | write commands, 20 ms apart |
| chunks again | write commands | writes with response |
| timers | none; 500 ms for each MTU | none |

With --answer it reads the verifier's request (asking.py) and sends, in place of FILE, an answer with a picture of so many bytes,
which it leaves in FILE.

Exit status: 0 delivered and accepted, 1 ended otherwise, 2 wrong arguments, 3 not done in time.
"""

import argparse
import asyncio
import hashlib
import time

import asking
import station
import wire
from bumble import att, gatt
from bumble.core import AdvertisingData, UUID
from station import Ended

SERVICE_DATA = AdvertisingData.Type.SERVICE_DATA_16_BIT_UUID
CCCD = gatt.GATT_CLIENT_CHARACTERISTIC_CONFIGURATION_DESCRIPTOR


class Link:
    """A connection with a verifier: its characteristics by name, and what it pushes."""

    def __init__(self, connection, profile):
        self.connection, self.profile = connection, profile
        self.client = connection.gatt_client
        self.characteristics = {}
        self.heard = {name: asyncio.Queue() for name in wire.PUSHED}
        self.listening = set()
        self.unheard = 0
        self.gone = asyncio.get_running_loop().create_future()
        connection.on("disconnection", self._ended)
        # Bumble's own client forgets what comes without a subscription; phones are told by handle.
        self.client.on_att_handle_value_notification = self._notified
        self.client.on_att_handle_value_indication = self._indicated

    def _ended(self, reason):
        if not self.gone.done():
            self.gone.set_result(reason)

    def _notified(self, pdu):
        for name in wire.PUSHED:
            found = self.characteristics.get(name)
            if found is not None and found.handle == pdu.attribute_handle:
                if name in self.listening:
                    self.heard[name].put_nowait(bytes(pdu.attribute_value))
                else:
                    self.unheard += 1

    def _indicated(self, pdu):
        self._notified(pdu)
        self.client.send_confirmation(att.ATT_Handle_Value_Confirmation())

    async def discover(self, with_descriptors):
        """Finds the service and all its characteristics."""
        wanted = UUID(wire.service_number(self.profile))
        services = [found for found in await self.client.discover_services() if found.uuid == wanted]
        if not services:
            raise Ended("TVW_CON_003", "the verifier has no Tuvali service")
        found = await self.client.discover_characteristics([], services[0])
        by_uuid = {one.uuid: one for one in found}
        for name in wire.NAMES:
            one = by_uuid.get(UUID(wire.characteristic(self.profile, name)))
            if one is None:
                raise Ended("TVW_CON_003", "the service has no characteristic %s" % name)
            self.characteristics[name] = one
            if with_descriptors:
                await self.client.discover_descriptors(one)

    async def subscribe(self, name):
        """Listens, and writes the descriptor if there is one; that it cannot is no error."""
        one = self.characteristics[name]
        self.listening.add(name)
        if not one.descriptors_discovered:
            await self.client.discover_descriptors(one)
        descriptor = one.get_descriptor(CCCD)
        if descriptor is not None:
            can_indicate = one.properties & gatt.Characteristic.Properties.INDICATE
            await self.client.write_value(descriptor, b"\x02\x00" if can_indicate else b"\x01\x00", with_response=True)

    async def write(self, name, value, with_response):
        if self.gone.done():
            raise Ended("link-lost", "the link ended")
        await station.flow(self.connection)
        await self.client.write_value(self.characteristics[name], value, with_response=with_response)

    async def wait(self, name, limit=None):
        """The next value pushed; none after `limit` seconds."""
        getting = asyncio.ensure_future(self.heard[name].get())
        leaving = asyncio.ensure_future(self.heard["disconnect"].get())
        done, _ = await asyncio.wait(
            {getting, leaving, self.gone}, timeout=limit, return_when=asyncio.FIRST_COMPLETED
        )
        for one in (getting, leaving):
            one.cancel()
        if getting in done:
            return getting.result()
        if leaving in done and leaving.result()[:1] == wire.DISCONNECT:
            raise Ended("disconnected", "the verifier asked to disconnect")
        if self.gone in done:
            raise Ended("link-lost", "the link ended")
        return None


class Plain:
    """A wallet that does what the protocol allows, with care."""

    commands = False
    repeats_with_response = True
    pause = 0
    report_wait, report_attempts = 2, 8
    status_wait = 30
    usual_mtu = 517

    def __init__(self, settings):
        self.settings = settings
        self.mtu = settings.mtu or self.usual_mtu

    def accept(self, key, found):
        if found != key:
            raise Ended("stale-code", "the verifier on the air has another key than that of the code")

    def write_bytes(self, mtu):
        return wire.write_bytes(mtu)

    async def prepare(self, link):
        mtu = await link.client.request_mtu(self.mtu)
        await link.discover(False)
        for name in wire.PUSHED:
            await link.subscribe(name)
        return mtu

    def before_report(self, link):
        pass

    def check(self, missing):
        pass


class Android(Plain):
    """The 0.5.x library for Android, on Android 14."""

    commands = True
    repeats_with_response = False
    report_wait, report_attempts, status_wait = None, 1, None
    # The thread that takes the local end of the write is another than that which starts to listen.
    listening_delay = 0.005

    def accept(self, key, found):
        pass

    async def prepare(self, link):
        # The library asks for high priority first.
        await link.connection.update_parameters(7.5, 15, 0, 5000)
        await link.discover(True)
        for wanted in (512, 185, 100):
            # The first exchange is the system's; what is asked for is ignored.
            exchange = asyncio.ensure_future(link.client.request_mtu(self.mtu))
            done, _ = await asyncio.wait({exchange}, timeout=0.5 * self.settings.patience)
            if done and min(exchange.result(), wire.LARGEST_MTU) == wanted:
                link.listening.add("disconnect")
                return wanted
        raise Ended("TVW_CON_002", "no MTU was agreed on")

    def before_report(self, link):
        async def listen():
            await asyncio.sleep(self.listening_delay)
            link.listening.update(("report", "status"))

        asyncio.ensure_future(listen())


class IOS(Plain):
    """The 0.5.0 library for iOS."""

    pause = 0.02
    usual_mtu = 185
    report_wait, report_attempts, status_wait = None, 1, None

    def accept(self, key, found):
        pass

    def write_bytes(self, mtu):
        # The longest write without response, as the system tells it.
        return min(mtu - 3, 509)

    async def prepare(self, link):
        mtu = await link.client.request_mtu(self.mtu)
        await link.discover(False)
        if self.write_bytes(mtu) < wire.SMALLEST_WRITE:
            raise Ended("TVW_CON_002", "the MTU is %d" % mtu)
        for name in wire.PUSHED:
            try:
                await link.subscribe(name)
            except att.ATT_Error:
                pass
        return mtu

    def check(self, missing):
        if not missing:
            raise Ended("crash", "iOS wallets end on a report of nothing missing")


KINDS = {None: Plain, "android": Android, "ios": IOS}


async def find(device, settings, name, key):
    """Scans until the verifier is heard; its address, and its key as the air tells it."""
    heard = asyncio.get_running_loop().create_future()

    def on_advertisement(report):
        values = report.data.get_all(SERVICE_DATA, raw=True)
        found = wire.key_on_air(settings.profile, name, key, [bytes(value) for value in values])
        if found and not heard.done():
            heard.set_result((report.address, found))

    device.on("advertisement", on_advertisement)
    await device.start_scanning(active=True, legacy=True, filter_duplicates=False)
    found = await heard
    await device.stop_scanning()
    return found


async def send_chunks(link, kind, sealed, write, numbers, with_response):
    for number in numbers:
        await link.write("submit", wire.chunk(sealed, number, write), with_response)
        if kind.pause and not with_response:
            await asyncio.sleep(kind.pause)


async def report(link, kind):
    """Asks for a report until one comes."""
    for _ in range(kind.report_attempts):
        await link.write("report-request", wire.REPORT_REQUEST, not kind.commands)
        kind.before_report(link)
        answer = await link.wait("report", kind.report_wait)
        if answer is not None:
            return answer
    raise Ended("no-report", "no report came")


async def transfer(link, kind, sealed, mtu, facts):
    write = kind.write_bytes(mtu)
    count = wire.chunk_count(len(sealed), write)
    facts.update(sealed=len(sealed), mtu=mtu, chunks=count, rounds=0, again=0)
    started = time.monotonic()
    await link.write("response-size", len(sealed).to_bytes(4, "big"), not kind.commands)
    await send_chunks(link, kind, sealed, write, range(1, count + 1), False)
    while True:
        missing = wire.parse_report(await report(link, kind), count)
        if missing is None:
            break
        kind.check(missing)
        if facts["rounds"] == wire.MAXIMUM_FAILURE_FRAMES:
            raise Ended("TVW_REP_001", "chunks were missing after %d rounds" % facts["rounds"])
        facts["rounds"] += 1
        facts["again"] += len(missing)
        await send_chunks(link, kind, sealed, write, missing, kind.repeats_with_response)
    facts["seconds"] = station.number(time.monotonic() - started)


async def answered(link, settings, private, key, message, facts):
    """The answer to the verifier's request."""
    request = await asking.read_request(link, private, key, message)
    if request is None:
        raise Ended("request-withheld", "the verifier gave no request")
    media_type, content, windows = request
    payload, signer = asking.answer(media_type, content, message[12:44], key, settings.answer)
    facts.update(signer=signer.split(" ")[0], windows=windows, request=hashlib.sha256(content).hexdigest())
    with open(settings.file, "wb") as file:
        file.write(payload)
    return payload


async def hand_over(device, settings, facts):
    kind = KINDS[settings.like](settings)
    name, key = wire.parse_uri(settings.uri)
    # A device has one MTU, whichever side asks: bluetoothd, as a peripheral, asks too.
    device.gatt_server.max_mtu = kind.mtu
    payload = b""
    if settings.answer is None:
        with open(settings.file, "rb") as file:
            payload = file.read()
    address, found = await find(device, settings, name, key)
    kind.accept(key, found)
    connection = await device.connect(address, timeout=20)
    link = Link(connection, settings.profile)
    private = wire.private_key()
    message = wire.identify(private)
    try:
        mtu = await kind.prepare(link)
        await link.write("identify", message, not kind.commands)
        if settings.answer is not None:
            payload = await answered(link, settings, private, key, message, facts)
        facts.update(bytes=len(payload), sha256=hashlib.sha256(payload).hexdigest())
        sealed = wire.seal_payload(wire.keys_of_wallet(private, found), message[: wire.NONCE_BYTES], payload)
        await transfer(link, kind, sealed, mtu, facts)
        status = await link.wait("status", kind.status_wait)
        facts.update(status=status[0] if status else None, unheard=link.unheard)
    finally:
        if not link.gone.done():
            # The last confirmation is sent before the link ends.
            await asyncio.wait_for(station.flow(connection, 0), 10)
            await asyncio.wait_for(connection.disconnect(), 10)
    if facts["status"] != 0:
        raise Ended("rejected", "the verifier answered %s" % facts["status"])


def read_settings():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("transport")
    parser.add_argument("file")
    parser.add_argument("uri")
    parser.add_argument("--profile", choices=wire.PROFILES, default="0.5")
    parser.add_argument("--like", choices=["android", "ios"])
    parser.add_argument("--mtu", type=int, help="what the device exchanges")
    parser.add_argument("--patience", type=float, default=1, help="times 500 ms for an MTU, where time runs slower")
    parser.add_argument("--answer", type=int, help="answer the verifier's request, with a picture of so many bytes")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for all of it")
    return parser.parse_args()


def main():
    settings = read_settings()
    facts = {"role": "wallet", "like": settings.like or "plain", "profile": settings.profile}

    async def body():
        device, _ = await station.open_device(settings.transport, "wallet")
        await hand_over(device, settings, facts)
        await device.power_off()

    station.finish(body, settings.timeout, facts)


if __name__ == "__main__":
    main()
