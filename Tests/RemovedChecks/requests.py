#!/usr/bin/env python3
"""Takes out each check of Tuvali's requests and their answers in turn, and plays the attacks that it prevents.

A copy of the sources is made below .build-checks, in which each check of CHECKS can be switched off by its name; the sources
themselves have no switch. The copy is built once, and one test plays every attack of Lab/Tests/TransferSimulationTests/Requests
without each check. An attack must succeed where its check is out, and fail with its code everywhere else.
"""

import json
import sys
import time

from removal import PLACE, ROOT, build, errors, give_up, make_copy, run, write

COPY = PLACE / "request-package"
BUILD = PLACE / "request-build"
TEST_PATH = "Lab/Tests/TransferSimulationTests/Requests/RemovedRequestCheckTests.swift"
PRESENTATIONS = "Sources/Protocols/Presentations"
TUVALI = "Sources/Protocols/Tuvali"

# The checks: their name; file, text and what stands there instead, for each place; the attacks that succeed without.
CHECKS = [
    ("ble_key", [(f"{PRESENTATIONS}/Request/PresentationRequestParser.swift", "guard key == channel.requestKey else",
                  "guard key == channel.requestKey || OUT else")], ["requestRelayed", "requestReplayed"]),
    ("unbound requests", [(f"{PRESENTATIONS}/Request/PresentationRequestParser.swift", "guard acceptsUnbound else",
                           "guard acceptsUnbound || OUT else")], ["unboundRequestRelayed"]),
    ("signature of the request", [(f"{PRESENTATIONS}/Request/PresentationRequestParser.swift",
                                   "guard signature.isValid, let key", "guard signature.isValid || OUT, let key")],
     ["signedRequestChanged"]),
    ("nonce of the answer", [(f"{PRESENTATIONS}/Answer/PresentationAnswerChecker.swift", "guard given == nonce else",
                              "guard given == nonce || OUT else"),
                             (f"{PRESENTATIONS}/Answer/PresentationAnswerChecker.swift", "verification.policy.nonce = nonce",
                              "verification.policy.nonce = OUT ? nil : nonce")],
     ["presentationForwarded", "answerReplayed", "sessionReplayed"]),
    ("presenter", [(f"{PRESENTATIONS}/Answer/PresentationAnswerChecker.swift", "guard signature, wrong == nil else",
                    "guard (signature && wrong == nil) || OUT else")], ["presenterReplaced"]),
    ("key of the direction", [(f"{TUVALI}/Keys/SessionKeys.swift", 'info: Array("SKWallet".utf8)',
                               'info: Array((OUT ? "SKVerifier" : "SKWallet").utf8)')], ["keysSwapped"]),
    ("tag", [(f"{TUVALI}/Request/SealedRequest.swift", """            zipped = try AuthenticatedCipher.aesGCM.open(
                sealed.dropFirst(saltBytes), key: key, nonce: vector, additionalData: announcement.bytes)
""", """            let text = Array(sealed.dropFirst(saltBytes).dropLast(16))
            zipped = OUT
                ? Array(
                    try AuthenticatedCipher.aesGCM.seal(text, key: key, nonce: vector, additionalData: []).dropLast(16))
                : try AuthenticatedCipher.aesGCM.open(
                    sealed.dropFirst(saltBytes), key: key, nonce: vector, additionalData: announcement.bytes)
""")], ["sealedRequestChanged"]),
    ("request=1", [(f"{TUVALI}/Wallet/WalletSession.swift", "isRequired: uri.asks && ", "isRequired: !OUT && uri.asks && ")],
     ["readsDropped"]),
    ("limits of decompression",
     [(f"{TUVALI}/Request/SealedRequest.swift", "limits: unzipLimits)",
       "limits: OUT ? Gzip.Limits(maximumBytes: 1 << 28, maximumRatio: 1 << 20) : unzipLimits)"),
      (f"{TUVALI}/Request/VerifierRequestMessage.swift", "bytes.count - count - 1 <= Self.maximumContentBytes",
       "OUT || bytes.count - count - 1 <= Self.maximumContentBytes")], ["zipBomb"]),
    ("largest size", [(f"{TUVALI}/Request/VerifierRequestReader.swift",
                       "guard announcement.sealedBytes <= UInt32(clamping: SealedRequest.maximumBytes) else",
                       "guard OUT || announcement.sealedBytes <= UInt32(clamping: SealedRequest.maximumBytes) else")],
     ["sizeAboveLimit"]),
    ("data past the size", [(f"{TUVALI}/Request/VerifierRequestReader.swift", "guard count <= total, count",
                             "guard count <= total || OUT, count")], ["sizeTooSmall"]),
    ("smallest window", [(f"{TUVALI}/Request/VerifierRequestReader.swift", "data.count >= Self.smallestWindowBytes else",
                          "OUT || data.count >= Self.smallestWindowBytes else")], ["tinyWindows"]),
    ("time of all reads", [(f"{TUVALI}/Request/VerifierRequestReader.swift", "beganAt + WalletConfiguration.requestWait",
                            "beganAt + (OUT ? .seconds(100_000) : WalletConfiguration.requestWait)")], ["slowWindows"]),
    ("number of reads", [(f"{TUVALI}/Request/VerifierRequestServer.swift", "return readCount <= readLimit",
                          "return OUT || readCount <= readLimit")], ["endlessReads"]),
]
# Attacks that fail without a check of theirs as well, but later: bytes of a wrong key that no tag refuses are no gzip stream.
LATER = {("tag", "keysSwapped"): "tuvali.wallet.request-malformed"}

SWITCH = """/// The check that is taken out; of this copy alone.
enum %s {
    nonisolated(unsafe) static var removed = -1
}
"""

TEST = """import Testing

@testable import Presentations
@testable import Tuvali

#if canImport(Darwin)
    import Foundation
#else
    import FoundationEssentials
#endif

@Suite(.serialized) struct RemovedRequestCheckTests {
    @Test func `every attack is played without each check`() throws {
        var lines = ""
        for number in -1..<COUNT {
            RemovedTuvaliCheck.removed = number
            RemovedPresentationsCheck.removed = number
            for attack in RequestAttack.allCases {
                let outcome =
                    switch try? attack.play() {
                    case .succeeded: "succeeded"
                    case .prevented(let code): code
                    case nil: "error"
                    }
                lines += "\\(number) \\(attack.rawValue) \\(outcome) \\(attack.code)\\n"
            }
        }
        let path = ProcessInfo.processInfo.environment["REMOVED_OUTPUT"] ?? ""
        try lines.write(to: URL(filePath: path), atomically: true, encoding: .utf8)
    }
}
"""


def edited():
    """The files of the copy that differ, with their text."""
    texts = {}
    for number, (name, places, _) in enumerate(CHECKS):
        for path, old, new in places:
            module = "Presentations" if path.startswith(PRESENTATIONS) else "Tuvali"
            text = texts.get(path) or (ROOT / path).read_text()
            if text.count(old) != 1:
                give_up(f"{path} has {text.count(old)} places of the check {name}; mend CHECKS")
            switch = f"(Removed{module}Check.removed == {number})"
            texts[path] = text.replace(old, new.replace("OUT", switch))
    for module, folder in [("Tuvali", TUVALI), ("Presentations", PRESENTATIONS)]:
        texts[folder + "/RemovedCheck.swift"] = SWITCH % f"Removed{module}Check"
    texts[TEST_PATH] = TEST.replace("COUNT", str(len(CHECKS)))
    return texts


def play():
    output = PLACE / "request-output"
    output.unlink(missing_ok=True)
    done = run(COPY, BUILD, "RemovedRequestCheckTests", REMOVED_OUTPUT=str(output))
    if not output.exists():
        give_up("the attacks were not played\n" + (done.stdout + done.stderr)[-4000:])
    results = {}
    for line in output.read_text().splitlines():
        number, attack, outcome, code = line.split(" ")
        results[int(number), attack] = (outcome, code)
    return results


def main():
    began = time.monotonic()
    PLACE.mkdir(exist_ok=True)
    texts = edited()
    make_copy(COPY, texts)
    for path, text in texts.items():
        write(COPY / path, text.encode())
    done = build(COPY, BUILD, "TransferSimulationTests")
    if done.returncode:
        give_up("the copy cannot be built\n" + errors(done))
    results = play()
    attacks = [attack for number, attack in results if number == -1]
    wrong = []
    for number in range(-1, len(CHECKS)):
        name, through = ("none", []) if number < 0 else (CHECKS[number][0], CHECKS[number][2])
        for attack in attacks:
            outcome, code = results[number, attack]
            wanted = "succeeded" if attack in through else LATER.get((name, attack), code)
            if outcome != wanted:
                wrong.append(f"without {name}: {attack} ends with {outcome}, not with {wanted}")
        succeeded = [a for a in attacks if results[number, a][0] == "succeeded"]
        print(f"{'with every check' if number < 0 else 'without ' + name}: "
              + (", ".join(succeeded) + " succeed" if succeeded else f"{len(attacks)} attacks fail with their codes"))
    unguarded = set(attacks) - {attack for _, _, through in CHECKS for attack in through}
    wrong += [f"no check prevents {attack}" for attack in sorted(unguarded)]
    print(json.dumps({"attacks": len(attacks), "checks": len(CHECKS), "wrong": len(wrong),
                      "seconds": round(time.monotonic() - began)}))
    for line in wrong:
        print("removed-checks: " + line, file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
