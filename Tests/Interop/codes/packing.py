"""The layers of a code, written and taken off with cbor2, zlib and base45."""

import decimal
import json
import math
import struct
import zlib

import base45
import cbor2

# The limits of the manual's page "Codes": what is larger is no code, but a file.
MAXIMUM_TEXT = 24 << 10
MAXIMUM_UNPACKED = 256 << 10
MAXIMUM_DEPTH = 16


def pack(data, prefix="", level=9):
    return prefix + base45.b45encode(zlib.compress(data, level)).decode()


def unpack(text):
    """The bytes in a text, and whether they were compressed: not all makers of health certificates do."""
    data = base45.b45decode(text)
    return (zlib.decompress(data), True) if data[:1] == b"\x78" else (data, False)


def fits(data):
    return len(data) <= MAXIMUM_UNPACKED and len(pack(data)) <= MAXIMUM_TEXT - 64


class NotRepresentable(ValueError):
    """JSON that CBOR cannot stand for with its value unchanged; PixelPass packs its text."""


def pairs(members):
    if len({name for name, _ in members}) != len(members):
        raise NotRepresentable("two members of one name")
    return dict(members)


def no_constant(name):
    raise NotRepresentable(name)


def exact_float(text):
    """A float that writes the same number: a signature over a number that it does not hold would fit another one."""
    number = float(text)
    if not math.isfinite(number) or decimal.Decimal(repr(number)) != decimal.Decimal(text):
        raise NotRepresentable(text)
    return number


def value_of(text):
    """The value of a JSON text that CBOR can stand for."""
    try:
        value = json.loads(text, object_pairs_hook=pairs, parse_constant=no_constant, parse_float=exact_float)
    except (ValueError, RecursionError) as error:
        raise NotRepresentable(str(error)) from None
    check(value, 1)
    if not isinstance(value, (dict, list)):
        raise NotRepresentable("a single value")
    return value


def check(value, depth):
    if depth > MAXIMUM_DEPTH:
        raise NotRepresentable("too deep")
    if isinstance(value, dict):
        for name, member in value.items():
            check(name, depth)
            check(member, depth + 1)
    elif isinstance(value, list):
        for element in value:
            check(element, depth + 1)
    elif isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise NotRepresentable("half a character") from None
    elif isinstance(value, int) and not -(1 << 64) <= value < 1 << 64:
        raise NotRepresentable("an integer of more than 64 bits")


def plain(value):
    """A value as a text that two readers agree on: members in order, numbers without a fraction as integers."""
    def whole(value):
        if isinstance(value, dict):
            return {name: whole(member) for name, member in value.items()}
        if isinstance(value, list):
            return [whole(element) for element in value]
        return int(value) if isinstance(value, float) and value.is_integer() else value

    return json.dumps(whole(value), sort_keys=True)


def head(major, number, random):
    """The head of an item in its shortest form, or in a longer one."""
    widths = [(0, 24), (1, 1 << 8), (2, 1 << 16), (4, 1 << 32), (8, 1 << 64)]
    fitting = [width for width, end in widths if number < end]
    width = random.choice(fitting) if random.random() < 0.3 else fitting[0]
    if width == 0:
        return bytes([major << 5 | number])
    return bytes([major << 5 | {1: 24, 2: 25, 4: 26, 8: 27}[width]]) + number.to_bytes(width, "big")


def float_item(number, random):
    """A float of any width that loses nothing."""
    forms = []
    for mark, form in ((0xF9, ">e"), (0xFA, ">f"), (0xFB, ">d")):
        try:
            packed = struct.pack(form, number)
        except OverflowError:
            continue
        if struct.unpack(form, packed)[0] == number:
            forms.append(bytes([mark]) + packed)
    return random.choice(forms)


def container(major, count, parts, random):
    """A map or an array, now and then of indefinite length."""
    inner = b"".join(any_form(part, random) for part in parts)
    if random.random() < 0.1:
        return bytes([major << 5 | 31]) + inner + b"\xff"
    return head(major, count, random) + inner


def any_form(value, random):
    """CBOR of JSON in one of its many forms: members in any order, heads, lengths, integers and floats of any kind."""
    if isinstance(value, dict):
        members = list(value.items())
        random.shuffle(members)
        return container(5, len(members), [part for member in members for part in member], random)
    if isinstance(value, list):
        return container(4, len(value), value, random)
    if isinstance(value, str):
        data = value.encode()
        return head(3, len(data), random) + data
    if value is None or isinstance(value, bool):
        return cbor2.dumps(value)
    if isinstance(value, float):
        return float_item(value, random)
    if abs(value) <= 1 << 53 and random.random() < 0.2:
        return float_item(float(value), random)
    return head(0, value, random) if value >= 0 else head(1, -1 - value, random)
