#!/usr/bin/env python3
"""An air of software controllers: one for each transport named, all within reach of each other.

    air.py [OPTIONS] TRANSPORT...      unix-server:PATH, tcp-server:HOST:PORT, pty:PATH, vhci

Each transport carries HCI in H4 framing, so that any host can sit on it: BlueZ through btattach, a script on Bumble's own
host, anything else. The n-th controller has the public address 02:00:00:00:00:0n.

The controllers are Bumble's (0.0.236). What they lack for our purpose is added here:

  * a scan response is reported with its own data, not with the advertisement's a second time;
  * data come from the address that the link was made with;
  * extended advertising is not offered, because its reports have wrong types, nor resolving lists: with them Linux waits for
    an event of another kind when a link comes up, and gives the link up after four seconds;
  * a connect that is cancelled is cancelled, and says so;
  * who ends a link hears that it was ended here;
  * a controller that is reset is quiet and has no links, and the other ends of those it had find out;
  * a reset is understood in the middle of a packet too: Linux drops what it was sending when an adapter goes off;
  * a connect to a controller that stopped advertising just then comes to nothing, and two that connect to each other at the
    same moment have one link;
  * advertising intervals are in units of 0.625 ms;
  * data packets have up to 251 bytes instead of 27.

And what an air has that a perfect simulation lacks:

  * a speed limit (--rate, kB/s of full packets; a short one takes the time of its preamble, header, check and answer too),
    which also holds back the controller's "packets completed", so that hosts feel it; a host that is slow to take what
    came holds its link up, as it does by the link layer's own flow control;
  * lost write commands and notifications (--drop-att), as full buffers of phones lose them; the link layer loses nothing;
  * latency, cut links, a signal strength that wavers; all of it decided by a seed;
  * orders while it runs: each line that is added to the file named by --orders is one.
        out                     no controller hears another, and links are lost after a second
        in                      all controllers are within reach again
        gone NUMBER             that controller, counted from 0, loses its power
        who WORD                says WORD, and the numbers of the controllers that advertise
        cut OPCODE [COUNT [N]]  cuts a link instead of carrying the N-th ATT PDU (1) from now with this opcode and, if it is
                                not 0, COUNT bytes after the opcode; once
        set OPTION VALUE        drop-att, drop-from, latency, rate, rssi, rssi-jitter or seed, from now on
        tell PATH               writes there, as JSON, what was counted since the last time: PDUs lost, and each report
                                that was given to a station: [station, advertiser, dBm]
"""

import argparse
import asyncio
import json
import os
import random
import socket
import sys

from bumble import core, hci, ll
from bumble.controller import Controller
from bumble.link import LocalLink
from bumble.transport import open_transport

UNACKNOWLEDGED = (0x52, 0x1B)  # ATT Write Command, Handle Value Notification
ATT_CHANNEL = b"\x04\x00"
SCAN_IS_ACTIVE = 1
FULL_PACKET = 251
SUPERVISION = 1.0  # seconds without the other end after which a link is lost
WIRE_BYTES = 8192  # what may be on the way to a host
RESET = b"\x01\x03\x0c\x00"
REPORTS_REMEMBERED = 10_000
ESTABLISHMENT = 0.3  # seconds after which a link is lost that the other end did not take


def say(text):
    print("air:", text, flush=True)


def air_bytes(count):
    """Returns the cost of a frame in bytes of full packets: a fifth of a packet's time is overhead."""
    packets = -(-count // FULL_PACKET)
    return 0.8 * count + 0.2 * FULL_PACKET * packets


class Air(LocalLink):
    """The medium: decides when, and whether, a data packet arrives."""

    def __init__(self, settings):
        super().__init__()
        self.settings = settings
        self.dice = random.Random(settings.seed)
        self.tasks = set()
        self.carried = {}
        self.lost = 0
        self.reports = []
        self.told_lost = 0
        self.is_out = False
        self.cut_at = None
        self.stations = []

    def is_lost(self, data):
        share, length = self.settings.drop_att, len(data) - 4
        is_candidate = length > 0 and data[2:4] == ATT_CHANNEL and data[4] in UNACKNOWLEDGED
        return share > 0 and is_candidate and length >= self.settings.drop_from and self.dice.random() < share

    def obey(self, order):
        say("told: " + order)
        word, *numbers = order.split()
        if word == "set":
            self.set(*numbers)
        elif word == "tell":
            self.tell(*numbers)
        elif word == "who":
            say(" ".join(["advertising", *numbers] + [s.name for s in self.stations if s.le_legacy_advertiser.enabled]))
        elif word == "gone":
            self.stations[int(numbers[0])].go_out()
        elif word == "cut":
            opcode, count, left = [int(number, 0) for number in numbers] + [0, 1][len(numbers) - 1 :]
            self.cut_at = [opcode, count, left]
        elif word in ("out", "in"):
            self.is_out = word == "out"
            if self.is_out:
                asyncio.get_running_loop().call_later(SUPERVISION, self.lose_all)

    def set(self, option, value):
        if option == "seed":
            self.dice = random.Random(int(value))
        setattr(self.settings, option.replace("-", "_"), float(value))

    def tell(self, path):
        counted = {"lost": self.lost - self.told_lost, "reports": self.reports}
        self.told_lost, self.reports = self.lost, []
        with open(path + ".new", "w", encoding="ascii") as file:
            json.dump(counted, file)
        os.rename(path + ".new", path)

    def lose_all(self):
        if self.is_out:
            for station in self.controllers:
                for connection in list(station.le_connections.values()):
                    station.on_le_disconnected(connection, hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR)

    def is_last(self, data):
        """True when an order says to cut the link at this packet."""
        if self.cut_at is None or data[2:4] != ATT_CHANNEL or data[4] != self.cut_at[0]:
            return False
        length = int.from_bytes(data[0:2], "little")
        if self.cut_at[1] not in (0, length - 1):
            return False
        self.cut_at[2] -= 1
        if self.cut_at[2] > 0:
            return False
        self.cut_at = None
        say("cut at a PDU with opcode 0x%02x and %d bytes" % (data[4], length))
        return True

    def send_advertising_pdu(self, sender, packet):
        if not self.is_out:
            super().send_advertising_pdu(sender, packet)

    def send_ll_control_pdu(self, sender_address, receiver_address, packet):
        receiver = self.find_le_controller(receiver_address)
        if not self.is_out and receiver is not None and sender_address in receiver.le_connections:
            super().send_ll_control_pdu(sender_address, receiver_address, packet)

    def cut(self, ends):
        for controller, address in ends:
            connection = controller.le_connections.get(address)
            if connection is not None:
                controller.on_le_disconnected(connection, hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR)

    def send_acl_data(self, sender, destination, transport, data):
        connection = sender.le_connections.get(destination)
        receiver = self.find_le_controller(destination)
        if transport != core.PhysicalTransport.LE or connection is None or receiver is None or self.is_out:
            return
        if self.is_lost(data):
            self.lost += 1
            say("lost a PDU with opcode 0x%02x and %d bytes, %d by now" % (data[4], len(data) - 4, self.lost))
            return
        key = id(connection)
        self.carried[key] = self.carried.get(key, 0) + 1
        if 0 < self.settings.cut_after < self.carried[key] or self.is_last(data):
            self.cut([(sender, destination), (receiver, connection.self_address)])
            return
        cost = air_bytes(len(data)) / (1000 * self.settings.rate) if self.settings.rate > 0 else 0
        self.queue(connection, cost, receiver, lambda: receiver.on_link_acl_data(connection.self_address, transport, data))

    def queue(self, connection, cost, receiver, action):
        """Does something when all that went over the link before is done with, and the receiver has room."""
        line = getattr(connection, "line", None)
        if line is None:
            line = connection.line = asyncio.Queue()
            task = asyncio.get_running_loop().create_task(self.carry(line))
            self.tasks.add(task)
        line.put_nowait((asyncio.get_running_loop().time(), cost, receiver, action))

    async def carry(self, line):
        loop = asyncio.get_running_loop()
        free_at = 0
        while True:
            came_at, cost, receiver, action = await line.get()
            free_at = max(came_at, free_at) + cost
            if free_at > loop.time():
                await asyncio.sleep(free_at - loop.time())
            while receiver is not None and receiver.is_full():
                await asyncio.sleep(0.002)
                free_at = loop.time()
            loop.call_later(self.settings.latency / 1000, action) if receiver is not None else action()


class Station(Controller):
    """One controller on the air."""

    le_acl_data_packet_length = FULL_PACKET
    wire = None
    is_tuned = False
    le_features = Controller.le_features & ~(
        hci.LeFeatureMask.LE_EXTENDED_ADVERTISING
        | hci.LeFeatureMask.LE_PERIODIC_ADVERTISING
        | hci.LeFeatureMask.LL_PRIVACY
    )

    def send_hci_packet(self, packet):
        give = super().send_hci_packet
        if not isinstance(packet, hci.HCI_Number_Of_Completed_Packets_Event):
            give(packet)
            return
        connection = self.find_connection_by_handle(packet.connection_handles[0])

        def complete():
            if connection in self.le_connections.values():
                give(packet)

        if connection is not None:
            self.link.queue(connection, 0, None, complete)

    def is_full(self):
        """True when its host has not yet read the bytes sent before."""
        wire = getattr(self.wire, "transport", None)
        if wire is None:
            return False
        if not self.is_tuned:
            self.is_tuned = True
            wire.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, WIRE_BYTES)
        return wire.get_write_buffer_size() > 0

    def on_hci_reset_command(self, command):
        self.go_out()
        return super().on_hci_reset_command(command)

    def go_out(self):
        self.le_legacy_advertiser.stop()
        self.le_scan_enable = False
        self.pending_le_connection = None
        timed_out = hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR
        for connection in list(self.le_connections.values()):
            other = self.link.find_le_controller(connection.peer_address)
            end = other and other.le_connections.get(connection.self_address)
            if end is not None:
                asyncio.get_running_loop().call_later(SUPERVISION, other.lose, end)
        self.le_connections.clear()

    def on_hci_disconnect_command(self, command):
        connection = self.find_le_connection_by_handle(command.connection_handle)
        if connection is None:
            super().on_hci_disconnect_command(command)
            return
        self._send_hci_command_status(hci.HCI_COMMAND_STATUS_PENDING, command.op_code)
        connection.send_ll_control_pdu(ll.TerminateInd(command.reason))
        self.on_le_disconnected(connection, hci.HCI_ErrorCode.CONNECTION_TERMINATED_BY_LOCAL_HOST_ERROR)

    def lose(self, connection):
        if connection in self.le_connections.values():
            self.on_le_disconnected(connection, hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR)

    def on_le_connect_ind(self, packet):
        if packet.initiator_address not in self.le_connections:
            super().on_le_connect_ind(packet)

    def create_le_connection(self, peer_address):
        super().create_le_connection(peer_address)
        connection = self.le_connections.get(peer_address)
        if connection is not None:
            asyncio.get_running_loop().call_later(ESTABLISHMENT, self.check_taken, connection)

    def check_taken(self, connection):
        other = self.link.find_le_controller(connection.peer_address)
        is_taken = other is not None and connection.self_address in other.le_connections
        if not is_taken and connection in self.le_connections.values():
            self.on_le_disconnected(connection, hci.HCI_ErrorCode.CONNECTION_FAILED_TO_BE_ESTABLISHED_ERROR)

    def on_hci_le_set_advertising_parameters_command(self, command):
        answer = super().on_hci_le_set_advertising_parameters_command(command)
        self.le_legacy_advertiser.advertising_interval_min = max(10, 0.625 * command.advertising_interval_min)
        return answer

    def on_hci_le_create_connection_cancel_command(self, _command):
        wanted = self.pending_le_connection
        self.pending_le_connection = None
        if wanted is None:
            return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.COMMAND_DISALLOWED_ERROR)
        event = hci.HCI_LE_Connection_Complete_Event(
            status=hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR,
            connection_handle=0,
            role=hci.Role.CENTRAL,
            peer_address_type=wanted.peer_address_type,
            peer_address=wanted.peer_address,
            connection_interval=0,
            peripheral_latency=0,
            supervision_timeout=0,
            central_clock_accuracy=0,
        )
        asyncio.get_running_loop().call_soon(self.send_hci_packet, event)
        return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.SUCCESS)

    def on_advertising_pdu(self, pdu):
        address = pdu.advertiser_address
        kinds = hci.HCI_LE_Advertising_Report_Event.EventType
        if self.le_scan_enable and isinstance(pdu, ll.AdvInd):
            settings = self.link.settings
            strength = round(settings.rssi + self.link.dice.uniform(-1, 1) * settings.rssi_jitter)
            self.link.reports.append((self.name, str(address)[:17], strength))
            del self.link.reports[:-REPORTS_REMEMBERED]
            self.report(kinds.ADV_IND, address, pdu.data, strength)
            response = self.scan_response_of(address)
            if response is not None and int(self.le_scan_type) == SCAN_IS_ACTIVE:
                self.report(kinds.SCAN_RSP, address, response, strength)
        wanted = self.pending_le_connection
        if wanted is not None and wanted.peer_address == address:
            self.create_le_connection(address)

    def scan_response_of(self, address):
        for station in self.link.controllers:
            advertiser = station.le_legacy_advertiser
            if advertiser.enabled and advertiser.address == address:
                return advertiser.scan_response_data
        return None

    def report(self, kind, address, data, strength):
        event = hci.HCI_LE_Advertising_Report_Event
        self.send_hci_packet(
            event(
                [
                    event.Report(
                        event_type=kind,
                        address_type=address.address_type,
                        address=address,
                        data=bytes(data),
                        rssi=strength,
                    )
                ]
            )
        )


def understand_resets(source):
    """A packet that was cut off by a reset is forgotten, instead of swallowing the reset, which may come in parts."""
    feed = source.parser.feed_data
    last = b""

    def feed_data(data):
        nonlocal last
        last = (last + data)[-len(RESET) :]
        is_reset = last == RESET
        before = data[: -len(RESET)] if is_reset else data
        # Bytes before it may be nonsense: a console that is not held open echoes its input.
        try:
            if before:
                feed(before)
        except core.InvalidPacketError:
            if not is_reset:
                raise
        if is_reset:
            source.parser.reset()
            feed(RESET)

    source.parser.feed_data = feed_data


async def follow(path, air):
    """Obeys each line that is added to a file."""
    done = 0
    while True:
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                orders = file.read().split("\n")[:-1]
            for order in orders[done:]:
                air.obey(order)
            done = len(orders)
        await asyncio.sleep(0.05)


async def run(settings):
    air = Air(settings)
    transports = []
    for number, name in enumerate(settings.transport, 1):
        transport = await open_transport(name)
        understand_resets(transport.source)
        address = "02:00:00:00:00:%02X" % number
        station = Station(
            "station%d" % number,
            host_source=transport.source,
            host_sink=transport.sink,
            link=air,
            public_address=address,
        )
        station.wire = transport.sink
        transports.append(transport)
        air.stations.append(station)
    say("%d controllers are on the air" % len(air.stations))
    if settings.orders:
        await follow(settings.orders, air)
    await asyncio.get_running_loop().create_future()


def read_settings(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--rate", type=float, default=100, help="kB/s of each link; 0: as fast as it goes")
    add("--latency", type=float, default=0, help="milliseconds that each data packet takes longer")
    add("--drop-att", type=float, default=0, help="share of write commands and notifications that is lost")
    add("--drop-from", type=int, default=1, help="bytes that a PDU has at least to be lost so")
    add("--cut-after", type=int, default=0, help="data packets after which a link is cut; 0: never")
    add("--rssi", type=float, default=-50, help="dBm that advertising reports tell")
    add("--rssi-jitter", type=float, default=0, help="dB by which they waver")
    add("--orders", default="", help="a file whose lines are obeyed as they are added")
    add("--seed", type=int, default=1, help="decides what is lost")
    add("transport", nargs="+")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    asyncio.run(run(read_settings(sys.argv[1:])))
