"""Herald's bytes: advertisements, pseudo device addresses, signal frames. All numbers are little-endian."""

import struct

CURRENT, DOCUMENTED = 0xFCF6, "428132af-4746-42d3-801e-4572d65bfd9b"
PAYLOAD = "3e98c0f8-8f05-4829-a121-43e38f8933e7"
SIGNAL = {
    "android": "f617b813-092e-437a-8324-e09a80821a11",
    "ios": "0eb0d5f2-eae4-4a9a-8af3-a4adb02d4363",
}
COMPANY = {"current": 1521, "documented": 65530}
WRITE_PAYLOAD, WRITE_RSSI, SHARE, IMMEDIATE = 1, 2, 3, 4
LARGEST_FRAME = 515
PIECE_BYTES = 20

FLAGS, SHORT_SERVICES, LONG_SERVICES, POWER, MANUFACTURER = 0x01, 0x03, 0x07, 0x0A, 0xFF


class WireError(Exception):
    """Bytes that are none of Herald's."""


def long_uuid(text):
    """The sixteen bytes of a UUID as they are on the air."""
    return bytes.fromhex(text.replace("-", ""))[::-1]


def pseudo_address(value):
    """The six bytes of a pseudo device address: those of a signed number of eight, without the lowest two."""
    return struct.pack("<q", value)[2:]


# Advertisements


def structure(kind, value):
    return bytes([len(value) + 1, kind]) + value


def service_list(generation):
    if generation == "current":
        return structure(SHORT_SERVICES, struct.pack("<H", CURRENT))
    return structure(LONG_SERVICES, long_uuid(DOCUMENTED))


def android_advertisement(generation, pseudo):
    """Flags, which Android puts in, the service, and the pseudo device address behind the company's number."""
    data = structure(FLAGS, b"\x02") + service_list(generation)
    return data + structure(MANUFACTURER, struct.pack("<H", COMPANY[generation]) + pseudo)


def ios_advertisement(generation):
    """Flags and transmit power, which iOS puts in, and the service."""
    return structure(FLAGS, b"\x1a") + structure(POWER, b"\x0c") + service_list(generation)


def structures(data):
    """Kind and value of each structure of an advertisement; what is cut off is left out."""
    found, place = [], 0
    while place < len(data) and data[place] > 0 and place + 1 + data[place] <= len(data):
        found.append((data[place + 1], bytes(data[place + 2 : place + 1 + data[place]])))
        place += 1 + data[place]
    return found


def is_herald(data):
    """True when an advertisement names the Herald service, of either generation."""
    for kind, value in structures(data):
        if kind in (0x02, 0x03) and struct.pack("<H", CURRENT) in [value[n : n + 2] for n in range(0, len(value), 2)]:
            return True
        if kind in (0x06, 0x07) and long_uuid(DOCUMENTED) in [value[n : n + 16] for n in range(0, len(value), 16)]:
            return True
    return False


# Signal frames


def frame(action, rssi=None, data=None):
    """A frame: the action, a signal strength where it has one, and data behind their length where it has them."""
    strength = b"" if rssi is None else struct.pack("<h", rssi)
    return bytes([action]) + strength + (b"" if data is None else struct.pack("<H", len(data)) + data)


def pieces(whole, size=PIECE_BYTES):
    """Cuts a frame into the pieces that Android writes one after the other."""
    return [whole[place : place + size] for place in range(0, len(whole), size)]


class Assembler:
    """Puts the pieces of frames together again; a frame may be followed by another."""

    def __init__(self):
        self.data = b""

    def take(self, piece):
        """The frames that are whole now."""
        self.data += piece
        found = []
        while self.data:
            length = self.length()
            if length is None or len(self.data) < length:
                break
            found.append(read_frame(self.data[:length]))
            self.data = self.data[length:]
        return found

    def length(self):
        """Returns the length of the frame that has begun; None while that is not known."""
        action = self.data[0]
        if action not in (WRITE_PAYLOAD, WRITE_RSSI, SHARE, IMMEDIATE):
            raise WireError("no action has the number %d" % action)
        if action == WRITE_RSSI:
            return 3
        place = 3 if action == SHARE else 1
        if len(self.data) < place + 2:
            return None
        length = place + 2 + struct.unpack_from("<H", self.data, place)[0]
        if length > LARGEST_FRAME:
            raise WireError("a frame of %d bytes" % length)
        return length


def only_frame(data):
    """Reads a value that is exactly one frame."""
    assembler = Assembler()
    found = assembler.take(data)
    if len(found) != 1 or assembler.data:
        raise WireError("more or less than a frame")
    return found[0]


def read_frame(data):
    """Returns the fields of a whole frame."""
    action = data[0]
    if action == WRITE_RSSI:
        return {"action": "rssi", "rssi": struct.unpack("<h", data[1:])[0]}
    if action == SHARE:
        return {"action": "share", "rssi": struct.unpack_from("<h", data, 1)[0], "data": data[5:].hex()}
    return {"action": {WRITE_PAYLOAD: "payload", IMMEDIATE: "immediate"}[action], "data": data[3:].hex()}
