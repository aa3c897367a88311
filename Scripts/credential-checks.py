#!/usr/bin/env python3
"""Takes out each check of the module Credentials in turn and names the files of the kit that then get through.

A copy of the sources is made below .build-checks, in which each condition that guards against a fault has a number and
can be switched off; the sources themselves have no switch. The copy is built once, and one test runs the kit of forgeries
(Vectors/credentials) against it, for each number over those files that reach the condition. Where nothing gets through, the
test takes out what else refuses the file, until it does, and so finds the other checks. Prints a table, and ends with status 1
when a condition has neither a file that gets through nor a reason. --page writes the result to the documentation.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACE = ROOT / ".build-checks"
COPY = PLACE / "package"
MODULE = "Sources/Protocols/Credentials"
SWITCH_PATH = MODULE + "/RemovedCheck.swift"
TEST_PATH = "Tests/CredentialsTests/Kit/RemovedCheckTests.swift"

PAGE = ROOT / "Documentation/CredentialChecks.md"

# Conditions that no file of the kit gets through without, each with its class and the reason. Where another check
# refuses the files that reach a condition, the gate finds it and says which. An entry that a file proves wrong is a
# failure of this gate, and so is a condition with neither a file nor a reason.
REASONS = {
    "COSE/COSEHeaders.swift: elements.count <= limits.maximumCertificates": "a limit: the certificates of a header",
    "DataIntegrity/StatementReader.swift: SHA256.hash(bytes) == pin.digest":
        "the operator's file: its reader refuses such a context before, so that only a program's own trust store reaches it",
    "DataIntegrity/StatementReader.swift: Self.digest(of: document) == pin.digest":
        "the operator's file: its reader refuses such a context before, so that only a program's own trust store reaches it",
    "JOSE/CertificateSigner.swift: texts.count <= limits.maximumCertificates":
        "a limit: the certificates of a header",
    "JOSE/CertificateSigner.swift: the rule count of certificate paths": "a limit: the certificates of a path",
    "JOSE/CertificateSigner.swift: the rule profile of certificate paths":
        "no output depends on it: the rule gives notes, and refuses nothing",
    "DataIntegrity/StatementReader.swift: pins[address] == nil":
        "the operator's file: a pin that gives the type of a proof another meaning; MeaningTests has one",
    "Keys/KeyResolver.swift: bytes.count <= 8192": "a limit: the bytes of a did:jwk",
    "SDJWT/SDJWTParts.swift: parts.count - 2 <= limits.maximumDisclosures": "a limit: the disclosures",
    "SDJWT/SDJWTParts.swift: disclosures.count <= limits.maximumDisclosures": "a limit: the disclosures",
    "SDJWT/SDJWTParts.swift: parts.count >= 2":
        "another check: a text without a tilde is not taken for an SD-JWT (`FormatDetection.swift`)",
}

# Files whose conditions without a fault only choose what is shown, how fast it is found, or how a text of ours is read.
NOT_JUDGING = {
    "Checks/ExactText.swift", "Claims/CredentialFacts.swift", "DataIntegrity/Contexts/ContextNotation.swift",
    "FormatDetection.swift", "MobileDocuments/ElementText.swift", "Trust/TrustFile.swift",
}

# Conditions that have a fault on neither way out, or on that one which is no `else`.
NOT_GUARDING = {
    "Keys/KeyResolver.swift: object[\"jwks\"] != nil || object[\"jwks_uri\"] != nil",
    "MobileDocuments/MobileDocumentSigner.swift: item.element.text?.isExactly(expected) != true",
    "MobileDocuments/MobileSecurityObject.swift: (try? Self.time(value, name)) != nil",
}

HEAD = """# What each check of credentials is for

`make credential-checks` takes the checks of the module `Credentials` out, one condition at a time and all conditions of one
code together, and verifies the kit of forgeries (`Vectors/credentials`) without them. This page is its result per code, and
the conditions that no file gets through without; the gate prints the table of all single conditions too. *Through* counts
forgeries that are then genuine.

"""

MIDDLE = """
## Conditions that no file gets through without

Each has a reason, in one of these classes. *Another check*: a file reaches the condition, and without it the check that is
named refuses the file, or codes say what does. *A limit*: it bounds work, and what is beyond it may well be genuine. *The
operator's file*: it looks at what the person who runs the verifier wrote. *No file says it*: what it needs is not in a file.
*The program ends*: without it nothing is accepted, because nothing comes after it. *No output depends on it*: it only notes.

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

TEST = """import Foundation
import JSON
import Testing

@testable import Credentials

@Suite(.serialized) struct RemovedCheckTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let output = environment["REMOVED_OUTPUT"].flatMap { FileHandle(forWritingAtPath: $0) }

    private static func write(_ line: String) {
        output?.seekToEndOfFile()
        output?.write(Data((line + "\\n").utf8))
    }

    private static func verify(_ entry: KitEntry, without out: Set<Int>) -> CredentialReport {
        (RemovedCheck.removed, RemovedCheck.reached) = (out, [])
        defer { RemovedCheck.removed = [] }
        return CredentialVerifier(entry.request).verify(entry.bytes)
    }

    /// The fewest further checks without which a file gets through that one removed check alone does not let through.
    private static func others(_ entry: KitEntry, beside first: Set<Int>) -> Set<Int>? {
        var out = first
        while verify(entry, without: out).result != .genuine {
            guard !RemovedCheck.reached.isSubset(of: out) else { return nil }
            out.formUnion(RemovedCheck.reached)
        }
        for number in out.subtracting(first).sorted() where verify(entry, without: out.subtracting([number])).result == .genuine {
            out.remove(number)
        }
        return out.subtracting(first)
    }

    private static func codes(in report: CredentialReport) -> Set<String> {
        Set(report.checks.filter { $0.outcome != .passed && $0.code != nil }.map { "\\($0.code?.rawValue ?? ""): \\($0.reason)" })
            .union(report.inner.flatMap { codes(in: $0) })
    }

    @Test func `each set of checks is taken out in turn`() throws {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: Self.environment["REMOVED_SETS"] ?? "")))
        let sets = try JSONValue(parsing: bytes).array ?? []
        let entries = try KitEntry.all()
        let forged = entries.indices.filter { entries[$0].result != .genuine }
        var reached: [Int: Set<Int>] = [:]
        for index in forged {
            _ = Self.verify(entries[index], without: [])
            reached[index] = RemovedCheck.reached
        }
        for set in sets {
            let number = set["set"]?.int ?? 0
            let out = Set((set["out"]?.array ?? []).compactMap(\\.int))
            let skipped = Set((set["skip"]?.array ?? []).compactMap(\\.int))
            let unsought = Set((set["unsought"]?.array ?? []).compactMap(\\.int))
            let tried = forged.filter { reached[$0]?.isDisjoint(with: out) == false }
            var through: [Int] = []
            var (codes, undone): (Set<String>, Set<String>) = ([], [])
            for index in tried where !skipped.contains(index) {
                Self.write("try \\(number) \\(index)")
                let report = Self.verify(entries[index], without: out)
                if report.result == .genuine {
                    through.append(index)
                } else {
                    codes.formUnion(Self.codes(in: report))
                    undone.formUnion(report.checks.filter { $0.outcome == .notDone }.map(\\.kind.rawValue))
                }
            }
            var found: Set<Int>?
            if through.isEmpty, out.count == 1 {
                for index in tried.prefix(8) where !skipped.contains(index) && !unsought.contains(index) {
                    Self.write("seek \\(number) \\(index)")
                    let others = Self.others(entries[index], beside: out)
                    if let others, others.count < found?.count ?? .max { found = others }
                }
            }
            let answer: JSONObject = [
                "set": .int(number), "reach": .int(tried.count), "through": .int(through.count),
                "first": .int(through.first ?? -1), "codes": .strings(codes.sorted()), "undone": .strings(undone.sorted()),
                "others": .array((found ?? []).sorted().map { .int($0) }), "ended": .int(skipped.count),
            ]
            Self.write("end " + answer.text)
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
            j = text.find('"""', i + 3)
            j = n if j < 0 else j + 3
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
            sys.exit(f"credential-checks: a condition cannot be read, near {text[match.start():match.start() + 80]!r}")
        fault = re.search(r"(?m)^\s*(?:return )?(throw CredentialError\(|[\w.]+\.fail\()|\{ (?:return )?"
                          r"(throw CredentialError\(|[\w.]+\.fail\()", masked[block:end])
        # A fault below a further condition is that one's.
        if not fault or re.search(r"\b(guard|if)\b", masked[block:block + fault.start() + 1]):
            continue
        head = text[block + fault.start():block + fault.end() + 160]
        names = [n for n in re.findall(r"\.(\w+)", head[:head.find('"') if '"' in head else None]) if n in codes]
        code = codes[names[0]] if names else "?"
        line = text.count("\n", 0, match.start()) + 1
        covered.append((block, end))
        base = {"file": str(path.relative_to(ROOT / MODULE)), "line": line, "code": code}
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
    found += silent(path, text, masked)
    for match in re.finditer(r"throw CredentialError\(|\b[\w.]+\.fail\(", masked):
        if any(a <= match.start() < b for a, b in covered):
            continue
        head = text[match.start():match.start() + 160]
        names = [n for n in re.findall(r"\.(\w+)", head[:head.find('"') if '"' in head else None]) if n in codes]
        if not names:
            continue
        line = text.count("\n", 0, match.start()) + 1
        fixed.append({"file": str(path.relative_to(ROOT / MODULE)), "line": line, "code": codes[names[0]],
                      "text": text[match.start():].split("\n")[0], "reason": "the last case of a choice, or an error of a reader"})
    return text, found, fixed


def silent(path, text, masked):
    """The conditions of guards that throw nothing: a step above refuses what they give up."""
    found, name = [], str(path.relative_to(ROOT / MODULE))
    for match in re.finditer(r"\bguard\b", masked):
        clauses, block = conditions(masked, match.end(), "else")
        body = masked[block:closing(masked, block)]
        if name in NOT_JUDGING or re.search(r"throw|\bfail\(", body) or not re.search(r"return (nil|false)|continue", body):
            continue
        for begin, stop in clauses:
            lead = begin + len(masked[begin:stop]) - len(re.sub(r"^[\s_]+", "", masked[begin:stop]))
            if text[begin:stop].strip() and not text[begin:stop].lstrip().startswith("//"):
                lead = begin + len(text[begin:stop]) - len(text[begin:stop].lstrip())
            clause = text[lead:stop].strip()
            site = {"file": name, "line": text.count("\n", 0, match.start()) + 1, "code": "?", "text": clause,
                    "edits": [(lead, "(("), (lead + len(clause), ") || RemovedCheck.isOut(%d))")]}
            if not re.match(r"(let|var|case)\b", clause) and name_of(site) not in NOT_GUARDING:
                found.append(site)
    return found


def write(path, data):
    """Writes a file of the copy unless it is the same, so that a second run compiles only what has changed."""
    if path.is_file() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def make_copy():
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True,
                           capture_output=True, text=True).stdout.split("\n")
    names = {name for name in names if name and (ROOT / name).is_file()}
    for path in COPY.rglob("*") if COPY.exists() else []:
        if path.is_file() and str(path.relative_to(COPY)) not in names | {SWITCH_PATH, TEST_PATH}:
            path.unlink()
    for name in names:
        if not (name.startswith(MODULE + "/") and name.endswith(".swift")):
            write(COPY / name, (ROOT / name).read_bytes())


def main():
    PLACE.mkdir(exist_ok=True)
    make_copy()
    error = (ROOT / MODULE / "Checks/CredentialError.swift").read_text()
    codes = dict(re.findall(r"case (\w+) = \"(credential\.[^\"]+)\"", error))
    all_sites, all_fixed = [], []
    for path in sorted((ROOT / MODULE).rglob("*.swift")):
        target = COPY / path.relative_to(ROOT)
        if "Explanations" in str(path):
            write(target, path.read_bytes())
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
            text = chain_rules(text, codes, all_sites)
        write(target, text.encode())
        all_fixed += fixed
    write(COPY / SWITCH_PATH, SWITCH.encode())
    write(COPY / TEST_PATH, TEST.encode())
    run(all_sites, all_fixed)


def chain_rules(text, codes, all_sites):
    """Gives each rule of certificate paths a number of its own."""
    rules = re.findall(r"case \.(\w+): \.(\w+)", text[text.index("extension CertificatePath.Rule"):])
    first = len(all_sites)
    for rule, name in rules:
        all_sites.append({"file": "JOSE/CertificateSigner.swift", "line": 0, "code": codes[name],
                          "text": f"the rule {rule} of certificate paths"})
    table = ", ".join('"%s": %d' % (codes[n], first + i) for i, (_, n) in enumerate(rules))
    loop = "        for failure in failures {\n"
    text = text.replace(loop, "        let failures = failures.filter { !RemovedCheck.isRuleOut($0.rule.code) }\n" + loop)
    text += "\nextension RemovedCheck {\n    static let rules: [String: Int] = [%s]\n" % table
    text += "    static func isRuleOut(_ code: CredentialError.Code) -> Bool {\n"
    return text + "        rules[code.rawValue].map { isOut($0) } ?? false\n    }\n}\n"


def build():
    environment = dict(os.environ, SYMBOLON_TARGETS="CredentialsTests")
    done = subprocess.run(["swift", "build", "--build-tests", "--scratch-path", str(PLACE / "build")], cwd=COPY,
                          env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit("\n".join(l for l in (done.stdout + done.stderr).split("\n") if "error:" in l)[:8000])


def outcomes(sets):
    """What happens without each set of numbers; a file that ends the program is left out the next time."""
    output, given = PLACE / "output", PLACE / "sets.json"
    bundle = next((PLACE / "build").rglob("*PackageTests.xctest"))
    results, skipped, unsought = {}, {}, {}
    while len(results) < len(sets):
        todo = [{"set": i, "out": numbers, "skip": sorted(skipped.get(i, [])),
                 "unsought": sorted(unsought.get(i, []))}
                for i, numbers in enumerate(sets) if i not in results]
        given.write_text(json.dumps(todo))
        output.write_text("")
        line = [str(bundle), "--testing-library", "swift-testing", "--filter", "RemovedCheckTests"]
        settings = dict(os.environ, REMOVED_SETS=str(given), REMOVED_OUTPUT=str(output))
        before, isLate = len(results), False
        try:
            subprocess.run(line, cwd=COPY, env=settings, capture_output=True, timeout=1800)
        except subprocess.TimeoutExpired:
            # A slow machine: what was written so far counts, and the rest is tried again.
            isLate = True
        begun = None
        for line in output.read_text().split("\n"):
            if line.startswith(("try ", "seek ")):
                begun = [int(word) for word in line.split()[1:]] + [line.split()[0]]
            elif line.startswith("end "):
                answer = json.loads(line[4:])
                results[answer["set"]] = answer
        if isLate:
            if len(results) == before:
                sys.exit("credential-checks: no set of conditions ended within 30 minutes; the machine is too slow or a set does not end")
            continue
        if len(results) < len(sets):
            if begun is None or begun[0] in results:
                sys.exit("credential-checks: the test did not run")
            (skipped if begun[2] == "try" else unsought).setdefault(begun[0], set()).add(begun[1])
    return [results[i] for i in range(len(sets))]


def name_of(site):
    """A condition as the tables name it: where it stands and its text."""
    return f"{site['file']}: {re.sub(chr(92) + 's+', ' ', site['text'])}"


def case_of(answer, cases):
    """The first case that gets through: its file, which may be that of other cases, too, and what was changed."""
    case = cases[answer["first"]]
    return f"`{case['file']}`: {case['why'].split(': ', 1)[1].split('. ')[0]}"


def reason_of(site, answer, all_sites):
    """Why no file gets through without a condition; nil when nothing says it."""
    stated = REASONS.get(name_of(site))
    if stated:
        return stated
    if answer["others"]:
        return "another check: " + "; ".join(f"`{name_of(all_sites[i])}`" for i in answer["others"])
    if answer["reach"] and answer["reach"] == answer["ended"]:
        return "the program ends: what follows takes what is not there, or does not end"
    if answer["undone"] and not answer["codes"]:
        return "another check: without the value these are not done, " + ", ".join(answer["undone"])
    if answer["codes"]:
        said = [code.removeprefix("credential.").split(": ", 1) for code in answer["codes"]]
        if len(said) <= 3:
            return "another check, which cannot be taken out: " + " ".join(f"{reason} ({code})" for code, reason in said)
        return "another check, which cannot be taken out: " + ", ".join(sorted({code for code, _ in said}))
    return None


def run(all_sites, fixed):
    build()
    named = sorted({s["code"] for s in all_sites if s["code"] != "?"})
    sets = [[i] for i in range(len(all_sites))]
    sets += [[i for i, s in enumerate(all_sites) if s["code"] == code] for code in named]
    results = outcomes(sets)
    json.dump([dict(s, **r) for s, r in zip(all_sites, results)], open(PLACE / "results.json", "w"), indent=1)
    cases = json.loads((ROOT / "Vectors/credentials/manifest.json").read_text())["cases"]
    single, grouped = results[:len(all_sites)], results[len(all_sites):]
    print("| Check | Code | Condition | Cases that reach it | Through | One of them, or why none |")
    print("|---|---|---|---|---|---|")
    missing, stale, without, kinds = [], set(REASONS), [], {}
    for site, answer in zip(all_sites, single):
        reason = None
        if not answer["through"]:
            reason = reason_of(site, answer, all_sites)
            stale.discard(name_of(site))
            without.append((site, reason))
            if not reason:
                missing.append(name_of(site))
            kind = re.split("[:,]", reason or "none")[0]
            kinds[kind] = kinds.get(kind, 0) + 1
        text = re.sub(r"\s+", " ", site["text"]).replace("|", "\\|")[:70]
        print(f"| {site['file']}:{site['line']} | {site['code'].replace('?', '–')} | `{text}` | {answer['reach']} | {answer['through']} | "
              f"{(reason or case_of(answer, cases)).replace('|', chr(92) + '|')} |")
    table = "| Code | Conditions | Cases that reach them | Through | One of them |\n|---|---|---|---|---|\n"
    lets = set()
    for code, answer in zip(named, grouped):
        alone = [r for s, r in zip(all_sites, single) if s["code"] == code and r["through"]]
        if not answer["through"] and alone:
            answer = alone[0]
        if answer["through"]:
            lets.add(code)
        first = case_of(answer, cases) if answer["through"] else "none: see below"
        table += (f"| {code} | {sum(s['code'] == code for s in all_sites)} | {answer['reach']} | {answer['through']} | "
                  f"{first} |\n")
    print("\n" + table)
    print("\n| Cannot be taken out | Code | Why |\n|---|---|---|")
    for item in fixed:
        print(f"| {item['file']}:{item['line']} | {item['code']} | {item['reason']} |")
    print(f"\nconditions: {len(all_sites)} can be taken out, {len(fixed)} cannot; alone, "
          f"{sum(r['through'] > 0 for r in single)} let a forgery through, {sum(r['reach'] == 0 for r in single)} "
          f"are reached by no file, {sum(r['ended'] > 0 for r in single)} end the program")
    print("without a file: " + ", ".join(f"{n} {k}" for k, n in sorted(kinds.items())))
    print(f"codes: {len(named)} have such conditions, {len(lets)} let a forgery through")
    if "--page" in sys.argv:
        PAGE.write_text(HEAD + table + MIDDLE + reasons_table(without))
    if missing:
        sys.exit("credential-checks: neither a file nor a reason for " + "; ".join(missing))
    if stale:
        sys.exit("credential-checks: REASONS holds what lets a file through or is not there: " + "; ".join(sorted(stale)))


def reasons_table(without):
    """The conditions without a file, for the page."""
    lines = ["| Where | Code | Condition | Why no file |", "|---|---|---|---|"]
    for site, reason in without:
        text = re.sub(r"\s+", " ", site["text"])
        cells = [site["file"], site["code"].replace("?", "–"), f"`{text}`", reason or ""]
        lines.append("| " + " | ".join(c.replace("|", "\\|") for c in cells) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
