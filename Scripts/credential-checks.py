#!/usr/bin/env python3
"""Takes out each check of the module Credentials in turn and names the files of the kit that then get through.

A copy of the sources is made below .build-checks, in which each condition that guards against a fault has a number and
can be switched off; the sources themselves have no switch. The copy is built once, and one test runs the kit of forgeries
(Vectors/credentials) against it, for each number over those files that reach the condition. Prints a table, and ends with
status 1 when a code whose checks can be taken out lets nothing through and is not among EXPECTED. --page writes the table per code to the
documentation.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACE = ROOT / ".build-checks"
COPY = PLACE / "package"
MODULE = "Sources/Protocols/Credentials"

PAGE = ROOT / "Documentation/CredentialChecks.md"

# Codes whose conditions are out and still no file gets through, each with the reason. A code that comes to this list by a
# change is a failure of this gate, and so is one that lets a file through.
EXPECTED = {
    "credential.alg-none": "no key serves the algorithm none",
    "credential.alg-weak": "no key serves a weak algorithm, and no issuer of the kit has a weak key",
    "credential.ctx-digest": "the trust file's reader refuses such a context before; only a program's own trust store reaches it",
    "credential.ctx-proof": "the document's own contexts are refused, too",
    "credential.kb-key": "only a holder's key that is named by a DID of another method reaches it, and no proof fits that",
    "credential.key-curve": "libcrypto refuses a point of another length, too",
    "credential.ld-chain-broken": "the order of proofs is found by these conditions, and the program does not go on without them",
    "credential.ld-proof-unknown-member": "another member of the proof is refused, too",
    "credential.limit-certificates": "a limit for the work, not for the meaning",
    "credential.limit-disclosures": "a limit for the work, not for the meaning",
    "credential.parse-utf-8": "the parser of JSON refuses UTF-16, too",
    "credential.st-range": "the bit does not exist, and the program does not go on without the condition",
    "credential.x5-anchor": "the signer's key is taken from a path that ends at a root, and there is none",
    "credential.x5-ca": "a path that breaks this rule breaks another one, too",
    "credential.x5-chain": "a path that breaks this rule breaks another one, too",
    "credential.x5-name": "a path that breaks this rule breaks another one, too",
    "credential.x5-not-yet": "a path that breaks this rule breaks another one, too",
    "credential.x5-profile": "no file reaches it: what breaks a profile has a code of its own",
    "credential.x5-self-signed": "a certificate that signs itself has no root above it, either",
}

HEAD = """# What each check of credentials is for

`make credential-checks` takes the checks of the module `Credentials` out, one condition at a time and all conditions of one
code together, and verifies the kit of forgeries (`Vectors/credentials`) without them. This page is its result per code; the
gate prints the table of single conditions too. *Through* counts forgeries that are then genuine. For a code without any the
reason follows, and the codes of the checks that refuse the files then.

"""

SWITCH = """/// The checks that are taken out; of this copy alone.
enum RemovedCheck {
    nonisolated(unsafe) static var removed: Set<Int> = []
    nonisolated(unsafe) static var reached: Set<Int> = []

    static func isOut(_ number: Int) -> Bool {
        reached.insert(number)
        return removed.contains(number)
    }
}
"""

TEST = """import JSON
import Testing

@testable import Credentials

#if canImport(Darwin)
    import Foundation
#else
    import FoundationEssentials
#endif

@Suite(.serialized) struct RemovedCheckTests {
    private static let environment = ProcessInfo.processInfo.environment

    private static func write(_ line: String) {
        guard let path = environment["REMOVED_OUTPUT"] else { return }
        let old = (try? String(contentsOf: URL(filePath: path), encoding: .utf8)) ?? ""
        try? (old + line + "\\n").write(to: URL(filePath: path), atomically: true, encoding: .utf8)
    }

    @Test func `each set of checks is taken out in turn`() throws {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: Self.environment["REMOVED_SETS"] ?? "")))
        let sets = try JSONValue(parsing: bytes).array ?? []
        let forged = try KitEntry.all().filter { $0.result != .genuine }
        var reached: [Set<Int>] = []
        for entry in forged {
            RemovedCheck.reached = []
            _ = CredentialVerifier(entry.request).verify(entry.bytes)
            reached.append(RemovedCheck.reached)
        }
        let start = Self.environment["REMOVED_START"].flatMap(Int.init) ?? 0
        for (index, set) in sets.enumerated() where index >= start {
            let numbers = Set((set.array ?? []).compactMap(\\.int))
            Self.write("begin \\(index)")
            RemovedCheck.removed = numbers
            var (count, through) = (0, [String]())
            var others: Set<String> = []
            for (entry, reached) in zip(forged, reached) where !reached.isDisjoint(with: numbers) {
                count += 1
                let report = CredentialVerifier(entry.request).verify(entry.bytes)
                if report.result == .genuine { through.append(entry.file) }
                others.formUnion(report.checks.compactMap { $0.code?.rawValue })
            }
            RemovedCheck.removed = []
            let codes = through.isEmpty ? others.sorted().prefix(4).joined(separator: ",") : ""
            Self.write("end \\(index) \\(count) \\(through.count) \\(through.first ?? "-") \\(codes)")
        }
    }
}
"""


def mask(text):
    """The text with the contents of strings and comments blanked, so that brackets count."""
    out, i, n = list(text), 0, len(text)
    while i < n:
        if text.startswith("//", i):
            j = text.find("\n", i)
            j = n if j < 0 else j
        elif text.startswith('"""', i):
            j = text.find('"""', i + 3) + 3
        elif text[i] == '"':
            j, depth = i + 1, 0
            while j < n and (text[j] != '"' or depth):
                if text[j] == "\\" and text[j + 1] == "(":
                    depth, j = depth + 1, j + 2
                    continue
                if text[j] == "\\":
                    j += 2
                    continue
                if depth and text[j] == "(":
                    depth += 1
                if depth and text[j] == ")":
                    depth -= 1
                j += 1
            j += 1
        else:
            i += 1
            continue
        for k in range(i, min(j, n)):
            if out[k] != "\n":
                out[k] = "_"
        i = j
    return "".join(out)


def closing(masked, start):
    """The offset behind the bracket that closes the one at `start`."""
    depth = 0
    for i in range(start, len(masked)):
        if masked[i] in "([{":
            depth += 1
        elif masked[i] in ")]}":
            depth -= 1
            if depth == 0:
                return i + 1
    raise ValueError("no closing bracket")


def conditions(masked, start, ends):
    """The clauses from `start` to the word or brace that ends them, and where the block begins."""
    clauses, depth, begin, i = [], 0, start, start
    while True:
        c = masked[i]
        if depth == 0 and ends == "else" and re.match(r"else\s*\{", masked[i:]) and not masked[i - 1].isalnum():
            clauses.append((begin, i))
            return clauses, masked.index("{", i)
        if depth == 0 and ends == "{" and c == "{" and masked[i - 1] == " " and not is_closure(masked, i):
            clauses.append((begin, i))
            return clauses, i
        if c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        elif c == "," and depth == 0:
            clauses.append((begin, i))
            begin = i + 1
        i += 1


def is_closure(masked, i):
    """Whether a brace after a condition is that of a closure: in this style more of the condition follows on its line."""
    rest = masked[closing(masked, i):].split("\n", 1)[0].strip()
    return "\n" not in masked[i:closing(masked, i)] and rest != "" and not rest.startswith("else")


def sites(path, codes):
    """The conditions of one file that guard against a fault, and those that cannot be switched."""
    text = path.read_text()
    masked = mask(text)
    found, fixed, covered = [], [], []
    starts = re.finditer(r"\bguard\b|(?m:^[ ]*)(?:\} else )?\bif\b(?= )", masked)
    for match in starts:
        word = "guard" if match.group().endswith("guard") else "if"
        try:
            clauses, block = conditions(masked, match.end(), "else" if word == "guard" else "{")
            end = closing(masked, block)
        except (ValueError, IndexError):
            continue
        fault = re.search(r"(?m)^\s*(?:return )?(throw CredentialError\(|\w+\.fail\()|\{ (?:return )?"
                          r"(throw CredentialError\(|\w+\.fail\()", masked[block:end])
        if not fault or (word == "if" and "guard" in masked[block:block + fault.start()]):
            continue
        head = text[block + fault.start():block + fault.end() + 160]
        names = [n for n in re.findall(r"\.(\w+)", head[:head.find('"') if '"' in head else None]) if n in codes]
        code = codes[names[0]] if names else "?"
        line = text.count("\n", 0, match.start()) + 1
        covered.append((block, end))
        base = {"file": str(path.relative_to(COPY / MODULE)), "line": line, "code": code}
        if word == "if":
            found.append(dict(base, edits=[(clauses[-1][1], ", !RemovedCheck.isOut(%d) ")],
                              text=text[match.end():block].strip()))
            continue
        for begin, stop in clauses:
            clause = text[begin:stop].strip()
            if re.match(r"(let|var|case)\b", clause):
                fixed.append(dict(base, text=clause, reason="later steps need the value"))
                continue
            lead = len(text[begin:stop]) - len(text[begin:stop].lstrip())
            trail = len(text[begin:stop].rstrip())
            found.append(dict(base, text=clause, edits=[(begin + lead, "(("),
                                                        (begin + trail, ") || RemovedCheck.isOut(%d))")]))
    for match in re.finditer(r"throw CredentialError\(|\b\w+\.fail\(", masked):
        if any(a <= match.start() < b for a, b in covered):
            continue
        head = text[match.start():match.start() + 160]
        names = [n for n in re.findall(r"\.(\w+)", head[:head.find('"') if '"' in head else None]) if n in codes]
        if not names:
            continue
        line = text.count("\n", 0, match.start()) + 1
        fixed.append({"file": str(path.relative_to(COPY / MODULE)), "line": line, "code": codes[names[0]],
                      "text": text[match.start():].split("\n")[0], "reason": "the last case of a choice, or an error of a reader"})
    return text, found, fixed


def make_copy():
    if COPY.exists():
        shutil.rmtree(COPY)
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout.split("\n")
    for name in names:
        source = ROOT / name
        if name and source.is_file():
            target = COPY / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)


def main():
    PLACE.mkdir(exist_ok=True)
    make_copy()
    error = (COPY / MODULE / "Checks/CredentialError.swift").read_text()
    codes = dict(re.findall(r"case (\w+) = \"(credential\.[^\"]+)\"", error))
    all_sites, all_fixed = [], []
    for path in sorted((COPY / MODULE).rglob("*.swift")):
        if "Explanations" in str(path):
            continue
        text, found, fixed = sites(path, codes)
        edits = []
        for site in found:
            number = len(all_sites)
            all_sites.append(site)
            edits += [(at, i, piece % number if "%d" in piece else piece)
                      for i, (at, piece) in enumerate(site.pop("edits"))]
        for at, _, piece in sorted(edits, key=lambda e: (-e[0], e[1])):
            text = text[:at] + piece + text[at:]
        filtered = "path.failures.filter({ !RemovedCheck.isRuleOut($0.rule.code) })"
        text = text.replace("path.failures", filtered).replace("path.isValid", filtered + ".isEmpty")
        # The rules of certificate paths are found below this module, and recorded by one loop.
        if path.name == "CertificateSigner.swift":
            text, count = chain_rules(text, codes, all_sites)
        path.write_text(text)
        all_fixed += fixed
    (COPY / MODULE / "RemovedCheck.swift").write_text(SWITCH)
    (COPY / "Tests/CredentialsTests/Kit/RemovedCheckTests.swift").write_text(TEST)
    run(all_sites, all_fixed, codes)


def chain_rules(text, codes, all_sites):
    """Gives each code of a broken rule of certificate paths a number of its own."""
    names = [n for n in codes if n.startswith("x5")]
    first = len(all_sites)
    for name in names:
        all_sites.append({"file": "JOSE/CertificateSigner.swift", "line": 0, "code": codes[name],
                          "text": "rule of certificate paths"})
    table = ", ".join('"%s": %d' % (codes[n], first + i) for i, n in enumerate(names))
    loop = "        for failure in failures {\n"
    text = text.replace(loop, "        let failures = failures.filter { !RemovedCheck.isRuleOut($0.rule.code) }\n" + loop)
    text += "\nextension RemovedCheck {\n    static let rules: [String: Int] = [%s]\n" % table
    text += "    static func isRuleOut(_ code: CredentialError.Code) -> Bool {\n"
    text += "        rules[code.rawValue].map { isOut($0) } ?? false\n    }\n}\n"
    return text, len(names)


def build():
    environment = dict(os.environ, SYMBOLON_TARGETS="CredentialsTests")
    done = subprocess.run(["swift", "build", "--build-tests", "--scratch-path", str(PLACE / "build")], cwd=COPY,
                          env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit("\n".join(l for l in (done.stdout + done.stderr).split("\n") if "error:" in l)[:8000])


def outcomes(sets):
    """For each set of numbers: how many files reach it, how many get through, and the first of these; or a crash."""
    output, given = PLACE / "output", PLACE / "sets.json"
    given.write_text(json.dumps(sets))
    output.unlink(missing_ok=True)
    bundle = next((PLACE / "build").rglob("*PackageTests.xctest"))
    results, start = {}, 0
    while start < len(sets):
        subprocess.run([str(bundle), "--testing-library", "swift-testing", "--filter", "RemovedCheckTests"], cwd=COPY,
                       env=dict(os.environ, REMOVED_SETS=str(given), REMOVED_OUTPUT=str(output),
                                REMOVED_START=str(start)), capture_output=True, timeout=1800)
        begun = -1
        for line in output.read_text().split("\n") if output.exists() else []:
            words = line.split(" ")
            if words[0] == "begin":
                begun = int(words[1])
            elif words[0] == "end":
                results[int(words[1])] = (int(words[2]), int(words[3]), words[4], words[5])
        if begun < 0:
            sys.exit("credential-checks: the test did not run")
        if begun not in results:
            results[begun] = (0, 0, "crash", "")
        start = begun + 1
    return [results[i] for i in range(len(sets))]


def run(all_sites, fixed, codes):
    build()
    named = sorted({s["code"] for s in all_sites if s["code"] != "?"})
    sets = [[i] for i in range(len(all_sites))]
    sets += [[i for i, s in enumerate(all_sites) if s["code"] == code] for code in named]
    results = outcomes(sets)
    single, grouped = results[:len(all_sites)], results[len(all_sites):]
    print("| Check | Code | Condition | Files that reach it | Through | One of them, or what refuses them |")
    print("|---|---|---|---|---|---|")
    for site, (reach, through, first, others) in zip(all_sites, single):
        if reach == 0 and site["line"] == 0:
            continue
        text = re.sub(r"\s+", " ", site["text"]).replace("|", "\\|")[:70]
        print(f"| {site['file']}:{site['line']} | {site['code']} | `{text}` | {reach} | {through} | {others or first} |")
    table = "| Code | Conditions | Files that reach them | Through | One of them, or why none |\n|---|---|---|---|---|\n"
    lets = set()
    for code, (reach, through, first, others) in zip(named, grouped):
        alone = [r for s, r in zip(all_sites, single) if s["code"] == code and r[1] > 0]
        if through == 0 and alone:
            reach, through, first, others = alone[0]
        if through > 0:
            lets.add(code)
        note = f"`{first}`" if through else EXPECTED.get(code, "")
        if not through and others:
            note += " (" + ", ".join(f"`{c.removeprefix('credential.')}`" for c in others.split(",")) + ")"
        table += f"| {code} | {sum(s['code'] == code for s in all_sites)} | {reach} | {through} | {note} |\n"
    print("\n" + table)
    print("\n| Cannot be taken out | Code | Why |\n|---|---|---|")
    for item in fixed:
        print(f"| {item['file']}:{item['line']} | {item['code']} | {item['reason']} |")
    print(f"\nconditions: {len(all_sites)} can be taken out, {len(fixed)} cannot; alone, "
          f"{sum(r[1] > 0 for r in single)} let a forgery through, {sum(r[0] == 0 and r[2] != 'crash' for r in single)} "
          f"are reached by no file, {sum(r[2] == 'crash' for r in single)} end the program")
    summary = f"codes: {len(named)} have such conditions, {len(lets)} let a forgery through"
    print(summary)
    if "--page" in sys.argv:
        PAGE.write_text(HEAD + table)
    surprise = sorted(set(named) - lets - set(EXPECTED))
    if surprise:
        sys.exit("credential-checks: nothing gets through without " + ", ".join(surprise))
    if set(EXPECTED) & lets:
        sys.exit("credential-checks: EXPECTED holds codes that let files through: " + ", ".join(sorted(set(EXPECTED) & lets)))


if __name__ == "__main__":
    main()
