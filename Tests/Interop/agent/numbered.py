"""Numbered messages, and which of them arrived."""

import dataclasses
import re
import time

from peers import SECRET, Failed

# A run in which nothing arrives for so long has lost what is missing.
STALL = 150
# Every message is longer than whatever else is sent.
LEAST = 2000


def text(case, number):
    """Text `number` of a case. Each is nine bytes longer than the one before it, so that the length of its envelope says
    which one it is to a reader that cannot open it, also where a time of day is written without its microseconds."""
    return f"{SECRET}{case} {number:06d} " + "." * (LEAST + 9 * number)


def numbers(case, texts):
    """The numbers of those texts that belong to a case, in their order."""
    found = (re.match(re.escape(f"{SECRET}{case} ") + r"(\d{6}) \.", one) for one in texts)
    return [int(match.group(1)) for match in found if match]


def byLength(posts):
    """The posts with the numbers of the texts that they carry, which their lengths tell."""
    lengths = {length: number for number, length in enumerate(sorted({post.length for post in posts}))}
    return [(lengths[post.length], post) for post in posts]


@dataclasses.dataclass
class Accepted:
    """A message that was answered with 2xx: when it was brought, and when it was answered; where its writer brings several
    at once, also when it began to be written, and when it was."""

    number: int
    began: float
    answered: float
    written: tuple | None = None

    def span(self, isByWriting):
        return self.written if isByWriting and self.written else (self.began, self.answered)


@dataclasses.dataclass
class Comparison:
    """The comparison of accepted with received messages."""

    accepted: int
    received: int
    lost: int
    strange: int
    twice: int
    disordered: int

    @staticmethod
    def of(accepted, received, isByWriting=False):
        """Of two messages the one that was answered before the other was brought has to come first; or the one that was
        written before the other."""
        known = {one.number: one.span(isByWriting) for one in accepted}
        seen, twice, disordered, strange, latest = set(), 0, 0, 0, float("-inf")
        for number in received:
            if number in seen:
                twice += 1
            elif number not in known:
                strange += 1
            else:
                began, ended = known[number]
                disordered += ended < latest
                latest = max(latest, began)
            seen.add(number)
        return Comparison(len(known), len(received), len(known.keys() - seen), strange, twice, disordered)

    @property
    def isExact(self):
        return self.accepted > 0 and not (self.lost or self.strange or self.twice or self.disordered)

    def __str__(self):
        return (f"accepted {self.accepted}, received {self.received}, lost {self.lost}, twice {self.twice}, "
                f"out of order {self.disordered}" + (f", never accepted {self.strange}" if self.strange else ""))


def arrive(count, wanted, pause=0.05, stall=STALL):
    """Waits until `count()` is `wanted`, or does not grow any more; counts no more than a third of the time."""
    last, at, took = count(), time.monotonic(), 0.0
    while last < wanted:
        time.sleep(max(pause, 2 * took))
        began = time.monotonic()
        now = count()
        took = time.monotonic() - began
        if now != last:
            last, at = now, time.monotonic()
        if time.monotonic() - at > stall:
            return


def require(holds, *seen):
    if not holds:
        raise Failed(" ".join(str(word) for word in seen))
