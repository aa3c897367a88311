#!/usr/bin/env python3
"""Takes out each check of Tuvali's requests and their answers in turn, and plays the attacks that it prevents.

A copy of the sources is made below .build-checks, in which each check of CHECKS can be switched off by its name; the sources
themselves have no switch. The copy is built once, and one test plays every attack of Lab/Tests/TransferSimulationTests/Requests
without each check. An attack must succeed where its check is out, and fail with its code everywhere else.
"""

from removal import play

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
            SWITCHES
            for attack in RequestAttack.allCases {
                let outcome =
                    switch try? attack.play() {
                    case .succeeded: "succeeded"
                    case .prevented(let code): code
                    case nil: "error"
                    }
                lines += "\\(number)\\t\\(attack.rawValue)\\t\\(outcome)\\t\\(attack.code)\\n"
            }
        }
        let path = ProcessInfo.processInfo.environment["REMOVED_OUTPUT"] ?? ""
        try lines.write(to: URL(filePath: path), atomically: true, encoding: .utf8)
    }
}
"""


if __name__ == "__main__":
    play("request", CHECKS, {"Tuvali": TUVALI, "Presentations": PRESENTATIONS}, TEST_PATH, TEST, LATER)
