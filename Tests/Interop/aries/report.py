"""Runs cases one after the other, and tells how each went."""

import json
import subprocess
import time
import traceback

from peers import Failed


class Report:
    """Runs cases, and keeps how they went. `label` begins each line, and `topic` says what the run is about."""

    def __init__(self, label, topic, only):
        self.label, self.topic = label, topic
        self.only, self.ok, self.failed, self.skipped, self.began = only, 0, [], [], time.monotonic()

    def group(self, name):
        def run(case, body):
            title = f"{name}: {case}"
            if self.only and self.only not in title:
                return
            began = time.monotonic()
            try:
                body()
            except (Failed, OSError, KeyError, IndexError, subprocess.SubprocessError) as error:
                self.failed.append(title)
                self.say("FAILED", title, "-", error)
                if not isinstance(error, Failed):
                    traceback.print_exc()
            else:
                self.ok += 1
                self.say("ok", f"{title} ({time.monotonic() - began:.2f} s)")

        return run

    def skip(self, what):
        self.skipped.append(what)
        self.say("SKIPPED", what)

    def finish(self, figures):
        print(json.dumps({
            "interop": self.topic, "ok": self.ok, "failed": self.failed, "skipped": self.skipped,
            "seconds": round(time.monotonic() - self.began, 1), **figures}), flush=True)
        return 1 if self.failed or not self.ok else 0

    def say(self, *words):
        print(f"{self.label}:", *words, flush=True)
