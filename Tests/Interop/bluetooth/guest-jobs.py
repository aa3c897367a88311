#!/usr/bin/env python3
"""Runs jobs in the machine that a program outside it writes: `guest-jobs.py FOLDER`, a folder that both see.

A job is a file N.job of JSON: {"command": [...], "keep": FOLDER}. It runs at once, beside those before it, with its output
in N.out and N.err; N.stop asks it to stop. When it is over, N.end has its status, and name, size and SHA-256 of the files in
the folder to keep, which is removed. {"say": TEXT} writes a line, {"exit": STATUS} ends all of it, and so do five minutes
in which there was nothing to do.
"""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time

PATIENCE = 300


def write(path, value):
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(value, file)
    os.rename(path + ".new", path)


def files_in(folder):
    found = {}
    for name in sorted(os.listdir(folder)) if folder and os.path.isdir(folder) else []:
        with open(os.path.join(folder, name), "rb") as file:
            data = file.read()
        found[name] = [len(data), hashlib.sha256(data).hexdigest()]
    return found


class Job:
    def __init__(self, stem, job):
        self.stem, self.keep = stem, job.get("keep")
        with open(stem + ".out", "wb") as out, open(stem + ".err", "wb") as err:
            self.process = subprocess.Popen(job["command"], stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        self.is_stopping = False

    def is_over(self):
        if not self.is_stopping and os.path.exists(self.stem + ".stop"):
            self.is_stopping = True
            self.process.send_signal(signal.SIGTERM)
        status = self.process.poll()
        if status is None:
            return False
        write(self.stem + ".end", {"status": status, "files": files_in(self.keep)})
        if self.keep:
            shutil.rmtree(self.keep, ignore_errors=True)
        return True


def main():
    folder = sys.argv[1]
    running, number, busy_at = [], 0, time.monotonic()
    status = None
    while status is None:
        path = os.path.join(folder, "%d.job" % number)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                job = json.load(file)
            number += 1
            if "command" in job:
                running.append(Job(path[: -len(".job")], job))
            elif "say" in job:
                print(job["say"], flush=True)
            else:
                status = job["exit"]
            busy_at = time.monotonic()
            continue
        running = [job for job in running if not job.is_over()]
        if running:
            busy_at = time.monotonic()
        elif time.monotonic() - busy_at > PATIENCE:
            print("guest-jobs: nothing to do for %d s" % PATIENCE)
            status = 1
        time.sleep(0.03)
    for job in running:
        job.process.kill()
    sys.exit(status)


if __name__ == "__main__":
    main()
