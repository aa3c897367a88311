"""The shared parts of removing checks: a copy of the sources below .build-checks, its build, and a run of one suite."""

import json
import os
import subprocess
import sys
import time
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


SWITCH = """/// The check that is taken out; of this copy alone.
enum %s {
    @safe nonisolated(unsafe) static var removed = -1
}
"""


def switched(checks, folders):
    """The sources in which each check can be switched off, with the file of the switch for each module of `folders`."""
    texts = {f"{folder}/RemovedCheck.swift": SWITCH % f"Removed{module}Check" for module, folder in folders.items()}
    for number, (name, places, _) in enumerate(checks):
        for path, old, new in places:
            module = next(module for module, folder in folders.items() if path.startswith(folder + "/"))
            text = texts.get(path) or (ROOT / path).read_text()
            if text.count(old) != 1:
                give_up(f"{path} has {text.count(old)} places of the check {name}; mend CHECKS")
            texts[path] = text.replace(old, new.replace("OUT", f"(Removed{module}Check.removed == {number})"))
    return texts


def play(kind, checks, folders, test_path, test, later=None):
    """Builds a copy with switches, plays each attack without each check, and ends with status 1 where one ends otherwise.

    `checks` holds a name; file, text and what stands there instead, for each place; and the attacks that succeed without.
    The test writes a line for each attack: number of the check, attack, outcome and code, with tabs between. An attack that
    no removed check lets through has its code, or that of `later`; without `later` it fails with any code, and attacks may
    be prevented by checks that are not in the list.
    """
    began = time.monotonic()
    PLACE.mkdir(exist_ok=True)
    copy, output = PLACE / f"{kind}-package", PLACE / f"{kind}-output"
    texts = switched(checks, folders)
    switches = "\n".join(f"            Removed{module}Check.removed = number" for module in folders)
    texts[test_path] = test.replace("COUNT", str(len(checks))).replace("SWITCHES", switches.strip())
    make_copy(copy, texts)
    for path, text in texts.items():
        write(copy / path, text.encode())
    done = build(copy, PLACE / f"{kind}-build", [part for part in test_path.split("/") if part.endswith("Tests")][-1])
    if done.returncode:
        give_up("the copy cannot be built\n" + errors(done))
    output.unlink(missing_ok=True)
    done = run(copy, PLACE / f"{kind}-build", Path(test_path).stem, REMOVED_OUTPUT=str(output))
    if not output.exists():
        give_up("the attacks were not played\n" + (done.stdout + done.stderr)[-4000:])
    results = {}
    for line in output.read_text().splitlines():
        number, attack, outcome, code = line.split("\t")
        results[int(number), attack] = (outcome, code)
    attacks = [attack for number, attack in results if number == -1]
    wrong = [f"there is no attack {attack}" for _, _, through in checks for attack in through if attack not in attacks]
    for number in range(-1, len(checks)):
        name, through = ("none", []) if number < 0 else (checks[number][0], checks[number][2])
        if number >= 0 and not through:
            wrong.append(f"without {name} no attack is said to succeed")
        for attack in attacks:
            outcome, code = results[number, attack]
            wanted = "succeeded" if attack in through else (later or {}).get((name, attack), code)
            isAnyCode = number >= 0 and later is None and attack not in through
            if outcome == "succeeded" if isAnyCode else outcome != wanted:
                wrong.append(f"without {name}: {attack} ends with {outcome}, not with {wanted}")
        succeeded = [a for a in attacks if results[number, a][0] == "succeeded"]
        print(f"{'with every check' if number < 0 else 'without ' + name}: "
              + (", ".join(succeeded) + " succeed" if succeeded else f"{len(attacks)} attacks fail with their codes"))
    unguarded = set(attacks) - {attack for _, _, through in checks for attack in through}
    if later is not None:
        wrong += [f"no check prevents {attack}" for attack in sorted(unguarded)]
    print(json.dumps({"attacks": len(attacks), "checks": len(checks), "let through by one": len(attacks) - len(unguarded),
                      "wrong": len(wrong), "seconds": round(time.monotonic() - began)}))
    for line in wrong:
        print("removed-checks: " + line, file=sys.stderr)
    sys.exit(1 if wrong else 0)
