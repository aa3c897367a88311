#!/usr/bin/env python3
"""Our sensor on BlueZ among Herald phones on Bumble: `herald_check.py --share FOLDER --symbolon PROGRAM`.

Runs beside the machine of Scripts/bluez-machine.sh, as its first --peer; the air has to have five controllers more than the
machine, the first of which is this peer's. Each line that begins with `herald:` is a rule that held; the first that does
not ends it.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

import herald_wire as wire
from matrix import Air, Failure, Machine, events_of, text_of, until

HERE = os.path.dirname(os.path.abspath(__file__))
OURS = "02:00:00:00:00:01"
ADAPTERS = 1
PATIENCE = 240
TRIES = 3
WINDOWS = 12
PHONES = {
    "android": ["--payload", "10" + "3a030400" + "a1" * 16],
    "ios": ["--like", "ios", "--mtu", "185", "--payload", "00" + "00" * 4 + "b2" * 291],
    "legacy": ["--generation", "documented", "--payload", "10" + "3a030400" + "c3" * 16],
    "mute": ["--like", "mute", "--payload", "10" + "3a030400" + "d4" * 16],
    "guarded": ["--guarded", "--payload", "10" + "3a030400" + "f7" * 16],
}
PAYLOAD = bytes(range(256)).hex() + "ee" * 40
SECOND_PAYLOAD = "10" + "3a030400" + "e5" * 16


class Phone:
    """A peer outside the machine."""

    def __init__(self, name, transport, folder, arguments):
        self.name = name
        self.path = os.path.join(folder, name)
        with open(self.path + ".out", "w", encoding="utf-8") as out, open(self.path + ".err", "w", encoding="utf-8") as err:
            self.process = subprocess.Popen(
                [sys.executable, os.path.join(HERE, "herald_peer.py"), transport, "--meets", OURS, *arguments],
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=err,
                text=True,
            )
        self.payload = arguments[arguments.index("--payload") + 1]
        self.orders = 0

    def events(self, *names):
        found = events_of(self.path + ".out")
        return [one for one in found if one["event"] in names] if names else found

    @property
    def address(self):
        return self.events("advertising")[-1]["address"]

    def begin(self, order):
        self.process.stdin.write(order + "\n")
        self.process.stdin.flush()
        self.orders += 1
        return self.orders

    def order(self, order):
        """Gives an order, and returns when it is obeyed."""
        number = self.begin(order)
        answers = until(
            PATIENCE, "%s: %s" % (self.name, order), lambda: self.events("obeyed", "refused")[number - 1 :]
        )
        if answers[0]["event"] != "obeyed":
            raise Failure("%s: %s: %s" % (self.name, order, answers[0]["error"]))

    def awaits(self, what, check, limit=PATIENCE):
        """The first event that fits."""
        return until(limit, "%s: %s" % (self.name, what), lambda: [one for one in self.events() if check(one)])[0]

    def awaits_frame(self, limit=PATIENCE, **facts):
        def fits(one):
            return one["event"] == "frame" and all(one.get(name) == value for name, value in facts.items())

        return self.awaits("the frame %s" % facts, fits, limit)

    def stop(self):
        try:
            self.process.stdin.close()
            self.process.wait(10)
        except (subprocess.TimeoutExpired, BrokenPipeError):
            self.process.kill()
            self.process.wait()


class Sensor:
    """`symbolon prox run` in the machine."""

    def __init__(self, check, *options):
        self.machine, self.share = check.machine, check.settings.share
        self.log = "log%d" % self.machine.count
        self.stem = self.machine.start(
            [check.settings.symbolon, "prox", "run", "--radio", "bluez:hci0", "--json", "--quiet"]
            + ["--log", "/run/share/" + self.log, *options]
        )

    def events(self, name, **facts):
        """Returns the events of a name that the sensor reported."""
        found = [one for one in events_of(self.stem + ".out") if one["event"] == name]
        return [one for one in found if all(one.get(key) == value for key, value in facts.items())]

    def awaits(self, name, limit=PATIENCE, **facts):
        def check():
            if os.path.exists(self.stem + ".end"):
                raise Failure("the sensor ended: " + text_of(self.stem + ".err")[-400:])
            return self.events(name, **facts)

        return until(limit, "the sensor: %s %s" % (name, facts), check)[0]

    def awaits_payload(self, phone, via="link"):
        """The name that it has for a phone, once it knows its payload."""
        return self.awaits("proximity", kind="read", payload=phone.payload, via=via)["peer"]

    def lines(self):
        """Its log."""
        return events_of(os.path.join(self.share, self.log, "events.jsonl"))

    def stop(self):
        ended = self.machine.stop(self.stem)
        if ended["status"] not in (0, 130, 143):
            raise Failure("the sensor ended with %s: %s" % (ended["status"], text_of(self.stem + ".err")[-400:]))


class Check:
    """All rules, one after the other."""

    def __init__(self, settings, folder):
        self.settings, self.folder = settings, folder
        jobs = os.path.join(settings.share, "jobs")
        os.makedirs(jobs, exist_ok=True)
        self.machine = Machine(jobs)
        self.air = Air(settings.share)
        self.phones = {}
        self.began = time.monotonic()

    def say(self, text):
        self.machine.say("herald: %s (%.0f s)" % (text, time.monotonic() - self.began))

    def phone(self, name):
        number = list(PHONES).index(name)
        transport = "unix-client:" + os.path.join(self.settings.share, "peer%d" % number)
        is_shy = name != "mute" and not self.settings.crossing
        self.phones[name] = Phone(name, transport, self.folder, PHONES[name] + ["--shy"] * is_shy)
        return self.phones[name]

    def run(self):
        self.machine.end(self.machine.start(["true"]), PATIENCE)
        self.say("the machine is there")
        sensor = Sensor(self, "--payload", "fixed:" + PAYLOAD)
        android, ios, legacy = self.phone("android"), self.phone("ios"), self.phone("legacy")
        names = self.payloads(sensor, android, ios, legacy)
        self.advertisement(android)
        self.signals(sensor, android, names)
        self.iphone(sensor, ios)
        self.message(android)
        self.rotation(sensor, android)
        self.pairing(sensor, android)
        for phone in (ios, legacy, self.phones["mute"], self.phones["guarded"]):
            phone.stop()
        self.count(sensor, android)
        sensor.stop()
        self.log(sensor)
        self.scanner(android)

    def payloads(self, sensor, *phones):
        """Each reads the payload of the other, in parts, and once."""
        names = {phone.name: sensor.awaits_payload(phone) for phone in phones}
        for phone in phones:
            found = phone.awaits("our payload", lambda one: one["event"] == "read")
            if (found["payload"], found["system"]) != (PAYLOAD, "android"):
                raise Failure("%s read %s" % (phone.name, found))
            properties = sorted(found["properties"].values())
            if properties != [0x02, 0x08]:
                raise Failure("our characteristics have the properties %s" % properties)
        self.say("payloads of 21 and of 296 bytes were read both ways, phones of both generations and an iPhone among them")
        return names

    def advertisement(self, phone):
        """Ours names both generations of the service, and has no pseudo device address, because the address stays."""
        seen = phone.awaits("our advertisement", lambda one: one["event"] == "heard")["data"]
        expected = "020106" + "0303f6fc" + "1107" + wire.long_uuid(wire.DOCUMENTED).hex()
        if seen != expected:
            raise Failure("our advertisement is %s, not %s" % (seen, expected))
        self.say("our advertisement is as specified")

    def signals(self, sensor, android, names):
        """Frames to us: a reading, payloads of others, a message; pieces of 20 bytes, and long writes."""
        name = names["android"]
        android.order("write-rssi -57")
        sensor.awaits("reading", peer=name, via="written", rssi=-57)
        shared = "f6" * (len(PAYLOAD) // 2)  # joined payloads are cut where one's own would end
        android.order("share " + shared)
        sensor.awaits("proximity", kind="share", peer=name, payload=shared)
        text = "a message of more than twenty bytes, so that it goes in pieces"
        android.order("send " + text)
        sensor.awaits("proximity-message", kind="receive", peer=name, payload=text.encode().hex())
        android.order("write " + wire.frame(wire.IMMEDIATE, data=b"long" * 40).hex())
        sensor.awaits("proximity-message", kind="receive", peer=name, payload=(b"long" * 40).hex())
        for bad in ("09", "02c7", "04ff01" + "00" * 17):
            android.order("write " + bad)
            android.order("leave")
        android.order("send still there")
        sensor.awaits("proximity-message", kind="receive", peer=name, payload=b"still there".hex())
        self.say("a reading, shared payloads and messages reached us, in pieces and by long writes; nonsense did no harm")

    def iphone(self, sensor, ios):
        """An iPhone gets our payload once, and the payload of a phone that it cannot hear."""
        ios.awaits_frame(action="payload", data=PAYLOAD)
        mute = self.phone("mute")
        mute.awaits("our payload", lambda one: one["event"] == "read" and one["payload"] == PAYLOAD)
        mute.order("write-payload")
        name = sensor.awaits_payload(mute, via="written")
        mute.order("write-rssi -63")
        sensor.awaits("reading", peer=name, via="written", rssi=-63)
        shared = ios.awaits_frame(action="share", data=mute.payload)
        if not -100 <= shared["rssi"] < 0:
            raise Failure("the iPhone was told %d dBm" % shared["rssi"])
        count = len([one for one in ios.events("frame") if one["action"] == "payload"])
        if count != 1:
            raise Failure("our payload was written %d times" % count)
        self.say("a phone that cannot advertise is known by what it writes, and an iPhone is told of it")

    def message(self, android):
        """`prox send` beside `prox run`, on the same adapter."""
        for target in (android.payload[:12], "--all"):
            text = "to " + target
            for left in range(TRIES - 1, -1, -1):
                stem = self.machine.start(
                    [self.settings.symbolon, "prox", "send", target, "--text", text, "--radio", "bluez:hci0", "--json"]
                    + ["--timeout", "40s" if target == "--all" else "60s"]
                )
                if self.machine.end(stem, PATIENCE)["status"] == 0:
                    break
                told = [one.get("code") for one in events_of(stem + ".out") if one["event"] == "error"]
                # A machine that is slow enough lets the time of a message run out.
                if left == 0 or not set(told) <= {"herald.send.timeout", "herald.send.unknown-target"}:
                    raise Failure("prox send: %s %s" % (told, text_of(stem + ".err")[-600:]))
                self.say("again, because of %s" % told)
            android.awaits_frame(action="immediate", data=text.encode().hex())
        self.say("messages of ours arrived, while the sensor ran on the same adapter")

    def rotation(self, sensor, android):
        """Another address with the pseudo device address is the same record; without it, the payload tells."""
        name = sensor.awaits_payload(android)
        served = len(android.events("served"))
        for _ in range(2):
            before = len(sensor.events("reading", peer=name, via="advertisement"))
            detected = len(sensor.events("proximity", kind="detect"))
            android.order("rotate")
            until(
                PATIENCE,
                "readings after the address changed",
                lambda: len(sensor.events("reading", peer=name, via="advertisement")) > before + 3,
            )
            if len(sensor.events("proximity", kind="detect")) != detected:
                raise Failure("a new address with the known pseudo device address opened a record")
        if len(android.events("served")) != served:
            raise Failure("the payload was read anew after the address changed")
        android.order("renew")
        merged = sensor.awaits("proximity", kind="merge", text=name)
        if len(sensor.events("proximity", kind="read", payload=android.payload)) != 1:
            raise Failure("one payload was told twice: %s" % merged)
        self.say("one record held over four addresses, by pseudo device address and by payload")

    def pairing(self, sensor, android):
        """No device is bonded with: not one that shows its payload to paired devices alone, and not one that asks for it."""
        guarded = self.phone("guarded")
        guarded.awaits("the attempt to read its payload", lambda one: one["event"] == "pairing")
        guarded.awaits("the end of that", lambda one: one["event"] == "disconnected")
        guarded.order("pair")
        android.order("send served all the same")
        sensor.awaits("proximity-message", kind="receive", payload=b"served all the same".hex())
        if guarded.events("paired", "served") or sensor.events("proximity", kind="read", payload=guarded.payload):
            raise Failure("a phone was paired with: %s" % guarded.events("paired", "served"))
        if len(guarded.events("unpaired")) < 2:
            raise Failure("pairing was not refused twice: %s" % guarded.events())
        stem = self.machine.start(["grep", "-rlE", "LongTermKey|IdentityResolvingKey", "/var/lib/bluetooth"])
        if self.machine.end(stem, PATIENCE)["status"] != 1:
            raise Failure("a key of a bond is kept: " + text_of(stem + ".out"))
        self.say("phones that want to be paired with are not, no key is kept, and others are served meanwhile")

    def count(self, sensor, android):
        """Each advertisement that the air gave the adapter in a window is a reading, in the events and in the log.

        bluetoothd tells of a device's newest signal strength only, so that a machine that stands still for the time between
        two advertisements loses one, and nothing is heard while the kernel ends and begins to look, every nine seconds. What
        counts is that one window is whole.
        """
        for _ in range(WINDOWS):
            if self.count_window(sensor, android):
                return
        raise Failure("no window of %d was whole" % WINDOWS)

    def count_window(self, sensor, android):
        android.order("quiet")
        time.sleep(0.5)
        self.air.counts()
        self.air.order("set", "rssi-jitter", 20)
        name = sensor.awaits_payload(android)
        began = len(sensor.events("reading", via="advertisement", peer=name))
        android.order("every 300")
        time.sleep(self.settings.window)
        android.order("quiet")
        time.sleep(1)
        address = android.address
        given = [one[2] for one in self.air.counts()["reports"] if one[:2] == ["station1", address]]
        told = [one["rssi"] for one in sensor.events("reading", via="advertisement", peer=name)[began:]]

        def logged_readings():
            found = [one for one in sensor.lines() if (one["kind"], one.get("via")) == ("measure", "advertisement")]
            return [one["rssi"] for one in found if one["peer"] == name][began : began + len(told)]

        until(PATIENCE, "the log of all readings", lambda: logged_readings() == told or len(told) == 0)
        logged = logged_readings()
        self.air.order("set", "rssi-jitter", 0)
        is_whole = len(given) > 2 * self.settings.window and given == told and logged == told
        self.say(
            "the air gave %d advertisements, the sensor told %d and logged %d, signal strengths %s"
            % (len(given), len(told), len(logged), "equal" if is_whole else "NOT EQUAL: %s, %s" % (given, told))
        )
        return is_whole

    def log(self, sensor):
        """Checks that the sensor's log is whole, so that a report can be made of it."""
        stem = self.machine.start([self.settings.symbolon, "prox", "report", "/run/share/" + sensor.log, "--json"])
        ended = self.machine.end(stem, PATIENCE)
        if ended["status"] != 0:
            raise Failure("prox report: " + text_of(stem + ".err")[-400:])
        with open(os.path.join(self.settings.share, sensor.log, "run.json"), encoding="utf-8") as file:
            if json.load(file)["durationMilliseconds"] is None:
                raise Failure("the log says that the run goes on")
        self.say("the log is whole, and a report can be made of it")

    def scanner(self, android):
        """Our sensor as one that cannot advertise writes its payload and its reading to an Android phone."""
        android.order("every 250")
        sensor = Sensor(self, "--payload", "fixed:" + SECOND_PAYLOAD, "--no-advertising")
        android.awaits_frame(action="payload", data=SECOND_PAYLOAD)
        android.awaits_frame(action="rssi", rssi=-50)
        sensor.stop()
        self.say("without advertising, payload and reading are written to the phone")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--share", required=True, help="the folder that the machine shares")
    add("--symbolon", required=True, help="our program")
    add("--crossing", action="store_true", help="phones connect at any time, also while they are connected to")
    add("--window", type=float, default=3, help="seconds in which advertisements are counted")
    settings = parser.parse_args()
    status = 1
    with tempfile.TemporaryDirectory(prefix="symbolon-herald.") as folder:
        check = Check(settings, folder)
        try:
            check.run()
            status = 0
        except Exception as error:  # every end has to be told
            check.say("FAILED: %s" % error)
            for name in sorted(os.listdir(folder)):
                os.rename(os.path.join(folder, name), os.path.join(settings.share, "phone-" + name))
        finally:
            for phone in check.phones.values():
                phone.stop()
            check.machine.exit(status)
    sys.exit(status)


if __name__ == "__main__":
    main()
