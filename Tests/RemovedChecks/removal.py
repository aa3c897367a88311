"""The shared parts of removing checks: a copy of the sources below .build-checks, its build, and a run of one suite."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PLACE = ROOT / ".build-checks"


def write(path, data):
    """Writes a file of a copy unless it is the same, so that a second run compiles only what has changed."""
    if path.is_file() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def make_copy(copy, apart=()):
    """Makes a folder the sources as they are now, but for the paths in `apart`, which the caller writes."""
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout.split("\n")
    names = {name for name in names if name and (ROOT / name).is_file()}
    for path in copy.rglob("*") if copy.exists() else []:
        if path.is_file() and str(path.relative_to(copy)) not in names | set(apart):
            path.unlink()
    for name in names - set(apart):
        write(copy / name, (ROOT / name).read_bytes())


def build(copy, folder, module, *flags):
    """Builds the tests of one module of a copy; the result of the compiler, with its words."""
    return subprocess.run(["swift", "build", "--build-tests", *flags, "--scratch-path", str(folder)], cwd=copy,
                          env=dict(os.environ, SYMBOLON_TARGETS=module), capture_output=True, text=True)


def errors(done):
    """The compiler's errors."""
    return "\n".join(line for line in (done.stdout + done.stderr).split("\n") if "error:" in line)[:8000]


def run(copy, folder, suite, **settings):
    """Runs one suite of what was built, with further variables of the environment."""
    bundle = next(folder.rglob("*PackageTests.xctest"))
    return subprocess.run([str(bundle), "--testing-library", "swift-testing", "--filter", suite], cwd=copy,
                          env=dict(os.environ, **settings), capture_output=True, text=True, timeout=7200)


def give_up(words):
    sys.exit(f"removed-checks: {words}")
