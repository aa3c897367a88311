#!/usr/bin/python3
"""The most that BlueZ carries to BlueZ: write commands through the socket that bluetoothd gives out, and nothing around them.

    bare-bluez.py BYTES     serves on hci0, writes on hci1, and prints the bytes a second from the first write until all came

A process for each end, as `symbolon` has, each with a connection of its own to the bus; each write comes as a method call
of bluetoothd.
"""

import json
import os
import select
import signal
import sys
import time

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

SERVICE, COMMAND = ("5afe000%d-0000-4000-8000-00000000ba2e" % number for number in (1, 2))
BLUEZ, ROOT = "org.bluez", "/bare"
OBJECTS, PROPERTIES = "org.freedesktop.DBus.ObjectManager", "org.freedesktop.DBus.Properties"
CHUNK = 509


class Command(dbus.service.Object):
    """The characteristic that is written to."""

    def __init__(self, bus, count, arrived):
        super().__init__(bus, ROOT + "/service/command")
        self.left = count
        self.arrived = arrived

    @dbus.service.method("org.bluez.GattCharacteristic1", in_signature="aya{sv}", byte_arrays=True)
    def WriteValue(self, value, _options):
        self.left -= len(value)
        if self.left <= 0:
            self.arrived()


class Application(dbus.service.Object):
    """The GATT application that is registered with BlueZ: one service."""

    @dbus.service.method(OBJECTS, out_signature="a{oa{sa{sv}}}")
    def GetManagedObjects(self):
        service = {"UUID": SERVICE, "Primary": True}
        command = {
            "UUID": COMMAND,
            "Service": dbus.ObjectPath(ROOT + "/service"),
            "Flags": dbus.Array(["write-without-response"], "s"),
        }
        return {
            dbus.ObjectPath(ROOT + "/service"): {"org.bluez.GattService1": service},
            dbus.ObjectPath(ROOT + "/service/command"): {"org.bluez.GattCharacteristic1": command},
        }


class Advertisement(dbus.service.Object):
    """The advertisement by which the other end finds the service."""

    @dbus.service.method(PROPERTIES, in_signature="s", out_signature="a{sv}")
    def GetAll(self, _interface):
        return {"Type": "peripheral", "ServiceUUIDs": dbus.Array([SERVICE], "s"), "Discoverable": True}

    @dbus.service.method("org.bluez.LEAdvertisement1")
    def Release(self):
        pass


def until(what, condition, again=None):
    """Waits for a condition, with `again` every three seconds: btvirt tells of a device once a scan."""
    for tries in range(600):
        if condition():
            return
        if again and tries % 60 == 59:
            again()
        time.sleep(0.05)
    sys.exit("bare-bluez: never came true: " + what)


def interface(bus, path, name):
    return dbus.Interface(bus.get_object(BLUEZ, path), name)


def send(bus, count, arrived):
    def objects():
        return interface(bus, "/", OBJECTS).GetManagedObjects()

    def device():
        for path, interfaces in objects().items():
            if path.startswith("/org/bluez/hci1/") and SERVICE in interfaces.get("org.bluez.Device1", {}).get("UUIDs", []):
                return path
        return None

    adapter = interface(bus, "/org/bluez/hci1", "org.bluez.Adapter1")

    def scan_again():
        adapter.StopDiscovery()
        adapter.StartDiscovery()

    adapter.SetDiscoveryFilter({"Transport": "le"})
    adapter.StartDiscovery()
    until("a device", device, scan_again)
    path = device()
    adapter.StopDiscovery()
    interface(bus, path, "org.bluez.Device1").Connect()
    until("its services", lambda: objects()[path]["org.bluez.Device1"].get("ServicesResolved"))
    place = next(
        there
        for there, interfaces in objects().items()
        if there.startswith(path) and interfaces.get("org.bluez.GattCharacteristic1", {}).get("UUID") == COMMAND
    )
    channel, _mtu = interface(bus, place, "org.bluez.GattCharacteristic1").AcquireWrite({})
    channel = channel.take()
    os.set_blocking(channel, True)
    value = os.urandom(CHUNK)
    began = time.monotonic()
    for start in range(0, count, CHUNK):
        os.write(channel, value[: count - start])
    if not select.select([arrived], [], [], 120)[0]:
        sys.exit("bare-bluez: not all came")
    seconds = time.monotonic() - began
    print(json.dumps({"bare": "bluez", "bytes": count, "bytesPerSecond": round(count / seconds)}), flush=True)
    os.close(channel)
    interface(bus, path, "org.bluez.Device1").Disconnect()


def serve(count, said):
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.SystemBus(private=True)
    objects = [
        Command(bus, count, lambda: os.write(said, b"!")),
        Application(bus, ROOT),
        Advertisement(bus, ROOT + "/advertisement"),
    ]
    served = []

    def done():
        served.append(objects)
        if len(served) == 2:
            os.write(said, b"?")

    def fail(error):
        sys.exit("bare-bluez: " + str(error))

    adapter = "/org/bluez/hci0"
    interface(bus, adapter, "org.bluez.GattManager1").RegisterApplication(
        ROOT, {}, reply_handler=done, error_handler=fail
    )
    interface(bus, adapter, "org.bluez.LEAdvertisingManager1").RegisterAdvertisement(
        ROOT + "/advertisement", {}, reply_handler=done, error_handler=fail
    )
    GLib.MainLoop().run()


def main(count):
    heard, said = os.pipe()
    server = os.fork()
    if server == 0:
        os.close(heard)
        serve(count, said)
    os.close(said)
    try:
        if os.read(heard, 1) != b"?":
            sys.exit("bare-bluez: nothing was published")
        send(dbus.SystemBus(private=True, mainloop=dbus.mainloop.NULL_MAIN_LOOP), count, heard)
    finally:
        os.kill(server, signal.SIGTERM)
        os.waitpid(server, 0)


if __name__ == "__main__":
    main(int(sys.argv[1]))
