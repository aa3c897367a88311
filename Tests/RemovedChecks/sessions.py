#!/usr/bin/env python3
"""Takes out each check of sessions of mobile documents in turn, and plays the forgeries that it prevents.

As `requests.py`, with the forgeries of Tests/MobileDocumentsTests/Forgeries; C1 to C15 are the checks of ISO/IEC 18013-5, clause 12.8.
"""

from removal import play

TEST_PATH = "Tests/MobileDocumentsTests/Forgeries/RemovedSessionCheckTests.swift"
SESSION = "Sources/Protocols/MobileSession"
READING = "Sources/Runtime/MobileDocuments"
CREDENTIALS = "Sources/Protocols/Credentials"
CRYPTO = "Sources/Foundations/CryptoSuite"
MOBILE = f"{CREDENTIALS}/MobileDocuments"
CERTIFICATES = f"{CRYPTO}/Certificates"

# The checks: their name; file, text and what stands there instead, for each place; the forgeries that succeed without.
CHECKS = [
    ("C1: version of the answer",
     [(f"{SESSION}/Response/DeviceResponse.swift", "DeviceEngagement.major(of: version) == 1 else",
       "OUT || DeviceEngagement.major(of: version) == 1 else"),
      (f"{MOBILE}/MobileDocument.swift", 'version.hasPrefix("1."),', 'OUT || version.hasPrefix("1."),')],
     ["version 2.0 of the answer"]),
    ("C2: root not from the chain",
     [(f"{MOBILE}/MobileDocumentSignerCheck.swift", "+ listed.roots,",
       "+ listed.roots + (OUT ? Array(chain.certificates.dropFirst().suffix(1)) : []),")],
     ["authority of the forger in the chain"]),
    ("C3: profile of the signer",
     [(f"{CERTIFICATES}/LeafCertificateProfile.swift", "            if uses?.contains(where: suitable",
       "            if !OUT, uses?.contains(where: suitable"),
      (f"{CERTIFICATES}/LeafCertificateProfile.swift", "!usage.contains(.digitalSignature) {",
       "!OUT, !usage.contains(.digitalSignature) {")],
     ["signer with the key of a reader", "signer that may not sign"]),
    ("C4: path to the root",
     [(f"{CERTIFICATES}/CertificatePath.swift", "if !certificate.isSigned(by:", "if !OUT, !certificate.isSigned(by:"),
      (f"{CERTIFICATES}/CertificatePath.swift", "if certificate.isExpired(", "if !OUT, certificate.isExpired(")],
     ["signer of an authority of the same name", "signer that has expired"]),
    ("C5: country and state of the signer",
     [(f"{CERTIFICATES}/LeafCertificateProfile.swift", "if leaf.subject.country == nil ||",
       "if !OUT, leaf.subject.country == nil ||"),
      (f"{CERTIFICATES}/LeafCertificateProfile.swift", "if state != nil, leaf", "if !OUT, state != nil, leaf")],
     ["signer of another country", "signer of another state"]),
    ("C6: revocation",
     [(f"{CREDENTIALS}/COSE/CertificateChecks.swift", "if zip(lists, answers).contains(where: { $0.0.thisUpdate == newest",
       "if !OUT, zip(lists, answers).contains(where: { $0.0.thisUpdate == newest")], ["signer that was revoked"]),
    ("C7: types of the root",
     [(f"{MOBILE}/MobileDocumentSignerCheck.swift", "types.isEmpty || types.containsExactly(type),",
       "OUT || types.isEmpty || types.containsExactly(type),")], ["authority for another type of document"]),
    ("C8: signature of the issuer",
     [(f"{MOBILE}/MobileDocumentVerifier.swift", "            try document.issuerAuth.verify(",
       "            if OUT { return }\n            try document.issuerAuth.verify(")],
     ["signed object changed", "signature of another signer"]),
    ("C9: version and digests of the signed object",
     [(f"{MOBILE}/MobileSecurityObject.swift", 'guard version.hasPrefix("1."),', 'guard OUT || version.hasPrefix("1."),'),
      (f"{MOBILE}/MobileSecurityObject.swift", "digestAlgorithm = Self.algorithms[algorithm]",
       "digestAlgorithm = Self.algorithms[algorithm] ?? (OUT ? .sha256 : nil)")],
     ["signed object of version 2.0", "digests by SHA-1"]),
    ("C10: digest of each element",
     [(f"{MOBILE}/MobileDocumentDigestCheck.swift", "if algorithm.hash(item.value.encoding) != digest {",
       "if !OUT, algorithm.hash(item.value.encoding) != digest {"),
      (f"{MOBILE}/MobileDocumentDigestCheck.swift", "list.fail(.mdDigestMissing,", "if !OUT { list.fail(.mdDigestMissing,"),
      (f"{MOBILE}/MobileDocumentDigestCheck.swift", 'no digest for an element.", at: item.value.place)',
       'no digest for an element.", at: item.value.place) }')],
     ["value of an element changed", "element of another document", "digest of another namespace", "element renamed",
      "element without a digest", "element moved to another namespace", "second document forged"]),
    ("C10: nothing twice",
     [(f"{MOBILE}/MobileDocumentDigestCheck.swift", "if !identifiers.insert(", "if !OUT, !identifiers.insert("),
      (f"{MOBILE}/MobileDocumentVerifier.swift", "for element in signed.elements where document.holds(",
       "for element in signed.elements where !OUT && document.holds(")],
     ["element twice", "name twice with two digests", "element of the issuer signed by the device too"]),
    ("C11: type of the document",
     [(f"{MOBILE}/MobileDocumentVerifier.swift", "if let type = document.type, !type", "if !OUT, let type = document.type, !type"),
      (f"{MOBILE}/MobileDocumentVerifier.swift", "guard types.isEmpty || types", "guard OUT || types.isEmpty || types")],
     ["type outside changed", "another type of document than was asked for"]),
    ("C12: times",
     [(f"{MOBILE}/MobileDocumentVerifier.swift", "guard start >= signed else", "guard OUT || start >= signed else"),
      (f"{MOBILE}/MobileDocumentVerifier.swift", "            try CredentialTime.check(from: start,",
       "            if OUT { return }\n            try CredentialTime.check(from: start,"),
      (f"{CERTIFICATES}/CertificatePath.swift", "if let signingTime, !leaf", "if !OUT, let signingTime, !leaf")],
     ["document that has ended", "document that has not begun", "document valid before it was signed",
      "document signed before its certificate"]),
    ("C13: authorizations of the device's key",
     [(f"{MOBILE}/DeviceSigned.swift", "where !object.authorizations", "where !OUT && !object.authorizations")],
     ["element that the device may not sign", "element that the device may sign in another namespace"]),
    ("C14: proof in this session",
     [(f"{MOBILE}/DeviceSigned.swift", "try signature.verify(payload,", "if OUT { return }; try signature.verify(payload,"),
      (f"{MOBILE}/DeviceSigned.swift", "try mac.verify(signedBytes(", "if OUT { return }; try mac.verify(signedBytes(")],
     ["proof of the first document in the second", "proof over the transcript of another session",
      "MAC over the transcript of another session", "relay by a second reader", "MAC with the key of another session",
      "engagement changed after the code", "reader's key swapped", "transcript without the engagement",
      "transcript of a handover by NFC", "transcript in a byte string with a tag", "proof by the key of another device",
      "MAC by the key of another device", "proof for another type of document", "element added behind the proof",
      "another algorithm of the proof", "another algorithm of the MAC", "signature of zeros", "MAC of no bytes"]),
    ("C14: exactly one proof",
     [(f"{MOBILE}/DeviceSigned.swift", "case (let signature?, nil):", "case (let signature?, let other) where other == nil || OUT:")],
     ["both proofs"]),
    ("C14: no payload in the proof",
     [(f"{MOBILE}/DeviceSigned.swift", "guard signature.payload == nil else", "guard OUT || signature.payload == nil else")],
     ["payload in the proof"]),
    ("C14: a proof is demanded",
     [(f"{READING}/MobileReading.swift", "requiresHolderProof = true", "requiresHolderProof = !OUT")],
     ["nothing signed by the device"]),
    ("C15: country and state in the document",
     [(f"{MOBILE}/MobileDocumentSignerCheck.swift", "guard !names.isEmpty, !names", "guard !OUT, !names.isEmpty, !names")],
     ["document that names another country", "document that names another state"]),
    ("C18: retention", [(f"{SESSION}/Response/ReturnedElements.swift", ".filter(\\.isRetained)",
                         ".filter { $0.isRetained || OUT }")],
     ["element that was asked for the session alone is kept"]),
    ("tag", [(f"{SESSION}/Session/SessionCipher.swift", "        return try? AuthenticatedCipher.aesGCM.open(",
              """        if OUT {
            let text = try? AuthenticatedCipher.aesGCM.seal(
                Array(sealed.dropLast(16)), key: incoming.key, nonce: nonce, additionalData: [])
            return text.map { Array($0.dropLast(16)) }
        }
        return try? AuthenticatedCipher.aesGCM.open(""")], ["bit of the tag changed"]),
    ("counter", [(f"{SESSION}/Session/SessionCipher.swift", "self.counter = counter == .max ? nil : counter + 1",
                  "if !OUT { self.counter = counter == .max ? nil : counter + 1 }")],
     ["counter skipped", "request repeated behind the answer"]),
    ("transcript in the keys", [(f"{SESSION}/Session/SessionCipher.swift", "salt: transcript.salt,",
                                 "salt: OUT ? [] : transcript.salt,")],
     ["answer under keys of a changed engagement", "request for another engagement"]),
    ("key of the direction",
     [(f"{SESSION}/Session/SessionCipher.swift", "Array(side.label.utf8)", "Array((OUT ? Side.reader : side).label.utf8)"),
      (f"{SESSION}/Session/SessionCipher.swift", "return side.identifier +", "return (OUT ? Side.reader : side).identifier +")],
     ["answer under the reader's own key"]),
    ("status ends the session",
     [(f"{SESSION}/Session/ReaderSession.swift", "guard let data = message.data else {",
       "guard let data = message.data else {\n            if OUT { return }")],
     ["status 20 before the answer", "status 10 before the answer"]),
    ("Ident", [(f"{SESSION}/Link/ClientLink.swift", "guard value == ident else", "guard OUT || value == ident else")],
     ["Ident of another code", "Ident of no bytes"]),
    ("State 01", [(f"{SESSION}/Link/ServerLink.swift", "guard characteristic == .state, value == [LinkState.start] else",
                   "guard OUT || characteristic == .state && value == [LinkState.start] else")], ["start by another value"]),
    ("one central", [(f"{SESSION}/Link/ServerLink.swift", "if case .ready(let peer) = phase, peer == link {",
                      "if case .ready(let peer) = phase, peer == link || OUT {")], ["request of a second central"]),
    ("signature of the reader",
     [(f"{SESSION}/Request/ReaderAuthentication.swift", "            try signature.verify(message,",
       "            if !OUT { try signature.verify(message,"),
      (f"{SESSION}/Request/ReaderAuthentication.swift", "VerificationKey(leaf.publicKey), algorithm: algorithm)",
       "VerificationKey(leaf.publicKey), algorithm: algorithm) }")],
     ["reader's signature for another session", "flag of retention changed behind the signature"]),
    ("certificate of the reader",
     [(f"{SESSION}/Request/ReaderAuthentication.swift", "guard let failure = path", "guard !OUT, let failure = path")],
     ["signature by the key of a document signer"]),
]

TEST = """import Testing

@testable import Credentials
@testable import CryptoSuite
@testable import MobileDocuments
@testable import MobileSession

#if canImport(Darwin)
    import Foundation
#else
    import FoundationEssentials
#endif

@Suite(.serialized) struct RemovedSessionCheckTests {
    @Test func `every forgery is played without each check`() throws {
        var lines = ""
        for number in -1..<COUNT {
            SWITCHES
            for forgery in SessionForgery.all {
                let outcome =
                    switch try? forgery.play() {
                    case .accepted: "succeeded"
                    case .refused(let code): code
                    case nil: "error"
                    }
                lines += "\\(number)\\t\\(forgery.name)\\t\\(outcome)\\t\\(forgery.code)\\n"
            }
        }
        let path = ProcessInfo.processInfo.environment["REMOVED_OUTPUT"] ?? ""
        try lines.write(to: URL(filePath: path), atomically: true, encoding: .utf8)
    }
}
"""


if __name__ == "__main__":
    play("session", CHECKS, {"MobileSession": SESSION, "MobileDocuments": READING, "Credentials": CREDENTIALS,
                             "CryptoSuite": CRYPTO}, TEST_PATH, TEST)
