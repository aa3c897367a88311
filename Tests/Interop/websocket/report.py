"""Counts cases and collects those that fail."""

import sys
import time

# A part ends behind so many failed cases, each of which may have waited for its deadline.
MOST_FAILED = 20


class Report:
    def __init__(self):
        self.failed = []
        self.count = 0
        self.since = time.monotonic()

    def run(self, title, case, action):
        """Runs one case; what it raises makes it a failed one."""
        try:
            action()
            self.count += 1
        except Exception as error:
            self.failed.append(f"{title}: section {case.section}: {case.rule}: {error!r}")
            if len(self.failed) == MOST_FAILED:
                self.say(title, 0)

    def say(self, title, least):
        """Says how many cases a part had; fewer than `least` are a failure, so that none is left out unseen."""
        seconds = time.monotonic() - self.since
        print(f"interop-web: {title}: {self.count} cases ok, {len(self.failed)} failed, {seconds:.1f} s", flush=True)
        for line in self.failed:
            print("interop-web: FAILED:", line, flush=True)
        if self.failed:
            sys.exit(1)
        if self.count < least:
            print(f"interop-web: FAILED: {title}: {self.count} cases, but there are {least}", flush=True)
            sys.exit(1)
        self.count, self.since = 0, time.monotonic()
