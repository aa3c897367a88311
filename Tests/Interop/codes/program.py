"""Our command over many files in one call, and what it says of each."""

import collections
import json
import os
import re
import resource
import subprocess
import time

Verdict = collections.namedtuple("Verdict", "result codes checks")
# One file for a person: its verdict, the code of the check that decided, and a sentence.
LINE = re.compile(r"^.+?: (not-checked|refused|genuine): ([a-z0-9.-]+), (.+\.)$")
STATUSES = {"genuine": 0, "refused": 12, "not-checked": 13}


class Program:
    """`symbolon`, and a folder for the files that it reads."""

    def __init__(self, path, folder):
        self.path, self.folder, self.count = os.path.abspath(path), folder, 0
        self.environment = dict(os.environ, HOME=folder, LLVM_PROFILE_FILE=os.devnull)

    def file(self, data, name=None):
        """Writes a file under a name of its own."""
        self.count += 1
        path = os.path.join(self.folder, name or f"{self.count}.txt")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data.encode() if isinstance(data, str) else data)
        os.chmod(path, 0o600)
        return path

    def run(self, *arguments):
        return subprocess.run([self.path, *arguments], capture_output=True, text=True, env=self.environment,
                              stdin=subprocess.DEVNULL, timeout=600)

    def verify(self, files, trust, at, *options):
        """The verdict of each file, in order; all files under one trust file and one clock."""
        done = self.run("verify", *files, "--trust", trust, "--at", at, "--json", *options)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        if [line.get("file") for line in lines] != list(files):
            raise RuntimeError(f"{len(lines)} verdicts of {len(files)} files, status {done.returncode}: {done.stderr[-600:]}")
        verdicts = [verdict(line) for line in lines]
        worst = max((STATUSES[found.result] for found in verdicts), key=[0, 13, 12].index)
        if done.returncode != worst:
            raise RuntimeError(f"status {done.returncode}, and the worst verdict has {worst}")
        return verdicts

    def verify_alone(self, file, trust, at):
        """What a person is told of one file: status, line, seconds of a processor, and the most memory in MB."""
        with subprocess.Popen(
                [self.path, "verify", file, "--trust", trust, "--at", at], stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment) as process:
            output = process.stdout.read().decode(errors="replace")
            errors = process.stderr.read().decode(errors="replace")
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        # Linux counts what this process had when it forked, so the memory is never said too small.
        return process.returncode, output, errors, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024

    def seconds(self, files, trust, at):
        """Seconds by the clock of one call, whatever its verdicts."""
        begun = time.perf_counter()
        self.run("verify", *files, "--trust", trust, "--at", at, "--json")
        return time.perf_counter() - begun


def verdict(line):
    checks = tuple((check["check"], check["outcome"], check["code"]) for check in line["checks"])
    return Verdict(line["result"], tuple(code for _, _, code in checks if code), checks)


def memory_of_this_process():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
