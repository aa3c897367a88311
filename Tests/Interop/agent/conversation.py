"""Messages through our agent in each direction, with a receiver that is away, there, or now and then."""

import random
import threading
import time

from numbered import Comparison, numbers, require, text

MODES = ("offline, then online", "online", "flapping")


class Conversation:
    """Sends `count` numbered texts to a receiver in each mode, and compares what was accepted with what it received."""

    def __init__(self, report, seed, count):
        self.report, self.seed, self.count, self.cases, self.figures = report, seed, count, 0, []

    def run(self, group, sender, receiver, modes=MODES, isOurs=True):
        """`isOurs` says whether the messages go through our agent, so that the count has to be exact."""
        for mode in modes:
            self.report.group(group)(mode, lambda m=mode: self.case(f"{group}: {m}", sender, receiver, m, isOurs))

    def both(self, group, one, other):
        """Both send at the same time, and are there."""
        def work():
            self.cases += 1
            began, pairs = time.monotonic(), [(f"case {self.cases}.{side}", *ends) for side, ends in
                                              enumerate(((one, other), (other, one)))]
            accepted = [[], []]
            for end in (one, other):
                end.begin()
                end.goOnline()
            self.together([lambda s=sender, c=case, a=accepted[side]: s.sendAll(self.texts(c), a)
                           for side, (case, sender, _) in enumerate(pairs)])
            for side, (case, _, receiver) in enumerate(pairs):
                receiver.settle(len(accepted[side]))
                received = numbers(case, receiver.texts())
                title = f"{group}: both at the same time, {'back' if side else 'there'}"
                self.judge(title, accepted[side], received, receiver, time.monotonic() - began)

        self.report.group(group)("both at the same time", work)

    def texts(self, case):
        return [text(case, number) for number in range(self.count)]

    def case(self, title, sender, receiver, mode, isOurs=True):
        self.cases += 1
        case, began = f"case {self.cases}", time.monotonic()
        chance = random.Random(f"{self.seed} {title}")
        accepted = []
        texts = self.texts(case)
        receiver.begin()
        if mode == MODES[0]:
            receiver.goOffline()
            sender.sendAll(texts, accepted)
            receiver.goOnline()
        else:
            receiver.goOnline()
            self.send(sender, texts, accepted, receiver if mode == MODES[2] else None, chance)
        receiver.settle(len(accepted))
        received = numbers(case, receiver.texts())
        self.judge(title, accepted, received, receiver, time.monotonic() - began, isOurs)

    def send(self, sender, texts, accepted, flapping, chance):
        """Sends while the receiver, if it flaps, goes and comes."""
        def flap(thread):
            while flapping and thread.is_alive():
                thread.join(chance.uniform(0.1, 1 if self.count <= 200 else 6))
                flapping.flap(chance)

        self.together([lambda: sender.sendAll(texts, accepted)], flap)

    @staticmethod
    def together(works, meanwhile=lambda _: None):
        """Does all of it at the same time, and something `meanwhile`."""
        failures = []

        def attempt(work):
            try:
                work()
            except Exception as error:  # pylint: disable=broad-except
                failures.append(error)

        threads = [threading.Thread(target=attempt, args=(work,)) for work in works]
        for thread in threads:
            thread.start()
        meanwhile(threads[0])
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]

    def judge(self, title, accepted, received, receiver, seconds, isOurs=True):
        """The application's list has to be exact: our wallet's in the order of writing; where its order is not ours to
        decide, that at the gate is."""
        boundary = receiver.boundary() if hasattr(receiver, "boundary") else None
        compared = Comparison.of(accepted, received if boundary is None else boundary, isByWriting=boundary is None)
        self.report.say(f"{title}: {compared}; {seconds:.1f} s")
        self.figures.append({"case": title, **vars(compared), "seconds": round(seconds, 1)})
        if not isOurs:
            return require(not (compared.twice or compared.strange), "the wallet has texts twice:", compared)
        require(compared.isExact and compared.accepted == self.count, "not exact:", compared)
        if boundary is not None:
            told = Comparison.of(accepted, received)
            require(not (told.lost or told.twice or told.strange), "the application has another count:", told)
