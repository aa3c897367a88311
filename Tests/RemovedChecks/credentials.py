#!/usr/bin/env python3
"""Takes single conditions out of the code that verifies credentials, and says whether the kit of forgeries notices each.

A copy of the sources is made below .build-checks, in which Changes.swift gives each condition, binding, case,
assignment and call a number and a switch; the sources themselves have none. The copy is built once. A test in it verifies the
cases of the kit (Vectors/credentials) that reach a switch while it is thrown, in a process for each. The kit notices a change where
a case gets another result, other answers or other facts than its manifest says, or where the program ends. A change that no
case notices has a reason: another check, which the gate finds, or an entry of REASONS. Ends with status 1 when a change has
neither. --page writes the result to the documentation; --only TEXT looks at the files alone whose path contains the text.
"""

import concurrent.futures
import fnmatch
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "Interop"))

import evidence
from removal import PLACE, ROOT, errors, give_up, make_copy, run, write
from removal import build as build_tests

COPY = PLACE / "package"
SWITCH_PATH = "Sources/Foundations/JSON/RemovedCheck.swift"
TEST_PATH = "Tests/CredentialsTests/Kit/RemovedCheckTests.swift"
POLICY = "Sources/Runtime/Desk/Policy/DecisionPolicy.swift"
POLICY_PATH = "Tests/CredentialsTests/Kit/DecisionPolicy.swift"
PAGE = ROOT / "Documentation/Evidence/CredentialChecks.md"
# The changes that did not compile, so that a later run begins without them.
KEPT = PLACE / "uncompiled.json"
PROCESSES = 2
# A case takes milliseconds; a change after which one takes so much time of the processor does not end.
SECONDS_OF_A_CASE = 4

# The modules whose checks are removed. Left out are texts of errors, what `symbolon trust` lists, adds and warns of, what a wallet
# discloses, the signed requests of verifiers, the letters of keyboard scanners, and what is only said about the layers of a code.
MODULE = "Sources/Protocols/Credentials"
MODULES = [MODULE, "Sources/Protocols/Codes"]
NOT_CHANGED = ["*/KeyboardLayout.swift", "*/CodeLayer.swift", "*/CodeReport.swift",
               "*+Explanations.swift", "*Error.swift", "*+Kinds.swift", "*/TrustFile+Listing.swift", "*/TrustFile+Findings.swift",
               "*/TrustFileEditor.swift", "*/TrustMaterial.swift", "*/PresentableDisclosures.swift", "*/SignedToken.swift"]

KINDS = {
    "holds": "a condition counts as true: of a `guard`, of several of an `if`, or of a `where`",
    "never": "an `if` is never taken",
    "binds nothing": "a `guard` whose binding or pattern finds nothing",
    "not thrown": "a fault is not thrown: the function returns, or the loop goes on",
    "true": "an operand of `&&`, a choice or a truth value is true",
    "false": "an operand of `||`, a choice or a truth value is false",
    "nil": "what stands before `??` is nil",
    "no case": "a case of a `switch` with a `default` is left out",
    "not assigned": "an assignment is left out",
    "left out": "a call is left out, or what it records",
}

# Changes that no case of the kit notices, each with its class and the reason: by file and text, with the kind of change in brackets
# where only that one is meant, or by `in` and the name of the function. An entry that is not needed is a failure of this gate.
REASONS = {
    "COSE/CredentialCBORReader.swift: .tooLarge, .tooManyItems": "a limit: the bytes and items of an input in CBOR",
    "COSE/CredentialCBORReader.swift: in readerLimits": "a limit: the bytes of an input in CBOR",
    "CWT/CWTSignatureCheck.swift: !list.failed(.chain)":
        "another check: the rule that the chain breaks refuses the token, whatever its roots are",
    "CWT/CWTSignatureCheck.swift: path.isValid":
        "another check: the rule that the chain breaks refuses the token, whatever its roots are",
    "COSE/CertificateChecks.swift: in checkRevocation": "only shown: the age of a revocation list",
    "MobileDocuments/MobileDocumentDigestCheck.swift: value.string": "only shown: what the device of a holder says",
    "MobileDocuments/MobileDocumentSignerCheck.swift: in exclusion": "only shown: the root that is for other documents",
    "CWT/CWTClaims.swift: object[member.name] == nil": "only shown: which of two claims of one name",
    "CWT/CWTSignatureCheck.swift: first": "only shown: which of several keys that do not fit is named",
    "CWT/CWTSignatureCheck.swift: in chain": "no case says it: certificates without an order (x5bag)",
    "CWT/Claim169.swift: face": "only shown: which of two pictures of the face",
    "Codes/AadhaarCode.swift: parts.reserveCapacity(text.count / 19 + 1)": "speed: the space for a number is taken at once",
    "Codes/AadhaarCode.swift: bytes.reserveCapacity(8 * parts.count)": "speed: the space for a number is taken at once",
    "Codes/AadhaarCode.swift: !bytes.allSatisfy({ $0 < 0x80 })": "speed: a text of ASCII is taken as it is",
    "Codes/AadhaarCode.swift: $0 < 0x80": "speed: a text of ASCII is taken as it is",
    "Codes/CredentialCode.swift: .jwt, .sdJWT, .linkedData":
        "no case says it: a credential that is no code, of which the other formats have cases",
    "Codes/CredentialCode.swift: .mobileDocument":
        "no case says it: a credential that is no code, of which the other formats have cases",
    "Codes/CredentialCode.swift: .cwt": "same result: the digits of a token are recognised further on",
    "Codes/CredentialCode.swift: let (inner, layer) = decoded(text)":
        "same result: the digits of a token are recognised further on",
    "Codes/CredentialCode.swift: layers.append(layer)": "only shown: the layers of a code",
    "Codes/CredentialCode.swift: Self.isZlib(bytes)": "only shown: the cause of a text beyond the limit",
    "Codes/CredentialCode.swift: in decoded": "same result: what is not in digits, or empty, holds no token",
    "Codes/CredentialCode.swift: in healthCertificate": "only shown: the layers of a code",
    "Codes/CredentialCode.swift: in base45": "only shown: the layers of a code",
    "Codes/CredentialCode.swift: in aadhaar": "only shown: the layers of a code",
    "Codes/CredentialCode.swift: in healthCard": "only shown: the layers of a code",
    "Codes/CredentialCode.swift: layers.append(CodeLayer(.zip, count: file.count))": "only shown: the layers of a code",
    "Codes/CredentialCode.swift: layers.append(CodeLayer(.latin1, count: latin.count))": "only shown: the layers of a code",
    "Codes/CredentialCode.swift: layers.append(CodeLayer(.jsonAsCBOR, count: json.count))": "only shown: the layers of a code",
    "Codes/CredentialCode.swift: layers.append(CodeLayer(.encryption, \"COSE_Encrypt0\", count: bytes.count))":
        "only shown: the layers of a code",
    "Codes/CredentialCode.swift: parsed": "speed: a value that was read is not read again",
    "Codes/CredentialCode.swift: in unpacked": "speed: bytes that begin as no text are not looked at as one",
    "Codes/CredentialCode.swift: bytes.count > 2": "same result: no zlib stream is so short",
    "Codes/PixelPass.swift: values.reserveCapacity(elements.count)": "speed: the space for all elements is taken at once",
    "Codes/PixelPass.swift: in number": "no case says it: a signature over JSON with an integer beyond 64 bits",
    "Codes/SmartHealthCard.swift: token.reserveCapacity(body.count / 2)": "speed: the space for a token is taken at once",
    "JOSE/CompactJWS.swift: header[\"zip\"]?.string == \"DEF\"":
        "another check: a card that is compressed in another way is no card (`SmartHealthCard.swift`)",
    "Keys/KeyResolver.swift: in candidates": "no case says it: a code of an issuer whose document has several keys without names",
    "Trust/TrustFile+Store.swift: in all": "the operator's file: the folder of a list of signers",
    "Trust/TrustFile.swift: in folders": "the operator's file: the folder of a list of signers",
    "Trust/TrustFile.swift: in secretPaths": "the operator's file: who may read a key that decrypts",
    "CWT/CWTVerifier.swift: health != nil": "no case says it: a health certificate outside a code that needs the rules of one",
    "CWT/CWTVerifier.swift: person != nil": "no case says it: a person outside a code whose token needs the rules of one",
    "Codes/ZIPArchive.swift: start <= bytes.count": "another check: the file is longer than what is left of the archive",
    "Keys/PEMText.swift: in privateKey": "the operator's file: the two names of a private key in PEM",
    "Keys/PEMText.swift: der.first == 0x30": "the operator's file: what is PEM of a certificate and none",
    "Trust/SignerFile.swift: $0.first == 0x30": "the operator's file: base 64 that is no certificate",
    "Trust/TrustFile+Store.swift: throw TrustFileError( .fileMalformed, line: line, \"The file \\(name) has a certificate that cannot be read.\")":
        "another check: a list without a certificate is refused",
    "Trust/TrustFile+Store.swift: !decoded.isEmpty": "another check: a key without bytes is refused",
    "Codes/CodeVerifier.swift: bytes.count <= request.policy.limits.maximumBytes": "a limit: the bytes of an input",
    "Codes/CodeVerifier.swift: in members": "no case says it: the tokens in members, whose reports change no verdict",
    "Codes/CodeVerifier.swift: in collect": "no case says it: the tokens in members, whose reports change no verdict",
    "Codes/CodeVerifier.swift: in mayBeToken": "no case says it: the tokens in members, whose reports change no verdict",
    "Codes/CredentialCode.swift: in looks": "only shown: what a text that is no code looks like",
    "Codes/PixelPass.swift: in text": "no case says it: draws a code",
    "Codes/PixelPass.swift: in item": "no case says it: draws a code",
    "Checks/CredentialCheckList.swift: $0.outcome == check.outcome": "a limit: the checks of one kind and outcome that are kept",
    "Checks/CredentialCheckList.swift: checks.reserveCapacity(recorded.count + kinds.count)":
        "speed: the space for all checks is taken at once",
    "Checks/CredentialCheckList.swift: recorded.count < Self.maximumPerKind":
        "speed: the checks of one kind are counted only where there are many of all kinds",
    "Checks/CredentialCheckList.swift: in obstacle": "only shown: the check that one which was not reached names as its cause",
    "Checks/CredentialCheck.swift: in appending": "only shown: the place of a check",
    "Checks/CredentialCheck.swift: in description": "only shown: the place of a check",
    "Checks/CredentialReport.swift: in carries": "no case says it: asked of a finished report, of an answer to a request",
    "Checks/CredentialReport.swift: in decisiveCheck": "only shown: the check that a headline names",
    "Checks/CredentialReport.swift: isTimeKnown": "another check: what is issued had its times looked at, in each format",
    "Checks/StringProtocol+ExactComparison.swift: result.flatMap { $0 }": "same result: the bytes are compared by their indices instead",
    "Checks/StringProtocol+ExactComparison.swift: utf8.count == other.utf8.count": "same result: texts of different lengths differ in their bytes",
    "Checks/CredentialReport.swift: content.issuerName = nil": "only shown: the name of an issuer that did not issue it",
    "Checks/CredentialReport.swift: issuance != .genuine [never]": "only shown: the name of an issuer that did not issue it",
    "Claims/CredentialFacts.swift: isIssued = report.issuance == .genuine":
        "only shown: the quotation marks about an issuer that is only claimed",
    "Claims/CredentialFacts.swift: in quotedIssuer": "only shown: the quotation marks about an issuer that is only claimed",
    "Claims/CredentialFacts.swift: in isName": "only shown: the claims that the page of a desk sets apart as names",
    "Claims/CredentialFacts.swift: take(member.value, path: [member.name])":
        "no case says it: the answers to a request, which stand without a credential",
    "Claims/CredentialFacts.swift: top[\"credentialSubject\"] != nil":
        "only shown: the claims of what is refused, because a credential of the W3C has a subject",
    "CredentialVerifier.swift: bytes.count <= request.policy.limits.maximumBytes": "a limit: the bytes of an input",
    "DataIntegrity/Contexts/BuiltInJSONLDContexts.swift: in library":
        "speed: the contexts that credentials name first are processed once",
    "DataIntegrity/Contexts/JSONLDContextNotation.swift: in document":
        "another check: a test compares the built-in contexts with the digests of the published ones",
    "DataIntegrity/Contexts/JSONLDContextNotation.swift: in entries":
        "another check: a test compares the built-in contexts with the digests of the published ones",
    "DataIntegrity/Contexts/JSONLDContextNotation.swift: in full":
        "another check: a test compares the built-in contexts with the digests of the published ones",
    "DataIntegrity/Contexts/JSONLDContextNotation.swift: in value":
        "another check: a test compares the built-in contexts with the digests of the published ones",
    "DataIntegrity/DocumentMemberChecks.swift: member.value.holds(member: \"@context\")":
        "speed: what holds no context is not searched for one",
    "DataIntegrity/LinkedDataVerifier.swift: !unknown.isEmpty": "speed: without an unknown proof nothing is left to do",
    "DataIntegrity/LinkedDataVerifier.swift: $0.suite == .ecdsaSD2023":
        "speed: where statements stand is kept only for proofs that select them",
    "DataIntegrity/LinkedDataVerifier.swift: proofs.contains { $0.suite == .ecdsaSD2023 }":
        "speed: where statements stand is kept only for proofs that select them",
    "DataIntegrity/LinkedDataVerifier.swift: proofs.count + unknown.count == document.entries.count":
        "another check: a proof that cannot be read refuses the document, whatever the others sign",
    "DataIntegrity/LinkedDataVerifier.swift: taken?.unsecured": "same result: the document without its proof is made once more",
    "DataIntegrity/ProofInput.swift: forms[hash] = .failure(error)":
        "speed: the canonical form of a document is kept for its next proof",
    "DataIntegrity/ProofInput.swift: forms[hash] = .success(made)":
        "speed: the canonical form of a document is kept for its next proof",
    "DataIntegrity/ProofInput.swift: in documentHash":
        "another check: what of the document is dropped or movable is found without the previous proofs too",
    "DataIntegrity/ProofInput.swift: in recordJSON": "only shown: which of several proofs' contexts stand among the claims",
    "DataIntegrity/ProofInput.swift: let known = forms[hash]":
        "speed: the canonical form of a document is kept for its next proof",
    "DataIntegrity/ProofInput.swift: proof.suite.cryptosuite == nil":
        "same result: the contexts of such a proof are those of the document, or it was refused before",
    "DataIntegrity/ProofSignatureCheck.swift: firstError": "only shown: of the causes of several forms the first one is named",
    "DataIntegrity/DocumentAndProofs.swift: !ended.contains(name)": "speed: a proof that several build on is followed once",
    "DataIntegrity/DocumentAndProofs.swift: ended.insert(name)": "speed: a proof that several build on is followed once",
    "DataIntegrity/JCSProofHash.swift: throw CredentialError(.parseJSON, \"The document has no canonical form: \\(error.reason).\")":
        "another check: what has no canonical form but a number is refused where it is parsed",
    "DataIntegrity/RDFStatementReader.swift: $0.value.holds(member: \"@context\")":
        "speed: what holds no context is not searched for one",
    "DataIntegrity/RDFStatementReader.swift: SHA256.hash(bytes) == pin.digest":
        "the operator's file: its reader refuses such a context before, so that only a program's own trust store reaches it",
    "DataIntegrity/RDFStatementReader.swift: Self.digest(of: document) == pin.digest":
        "the operator's file: its reader refuses such a context before, so that only a program's own trust store reaches it",
    "DataIntegrity/RDFStatementReader.swift: false": "speed: what holds nothing is not searched",
    "DataIntegrity/RDFStatementReader.swift: in onlyBuiltIn": "speed: what the types of proofs mean under one context is kept",
    "DataIntegrity/RDFStatementReader.swift: in types": "speed: what the types of proofs mean under one context is kept",
    "DataIntegrity/RDFStatementReader.swift: in usualTypes": "speed: what the types of proofs mean under one context is kept",
    "DataIntegrity/RDFStatementReader.swift: pins[address] == nil":
        "the operator's file: a pin that gives the type of a proof another meaning; MeaningTests has one",
    "DataIntegrity/RDFStatementReader.swift: throw CredentialError(.ctxDigest, \"The context \\(address) has another digest.\", at: place)":
        "the operator's file: its reader refuses such a context before",
    "Desk/Policy/DecisionPolicy.swift: !reports.isEmpty": "no case says it: a payload in which no credential was found",
    "Desk/Policy/DecisionPolicy.swift: $0.outcome == .failed":
        "another check: a credential inside whose own proof failed is refused",
    "Formats/ByteSearch.swift: text[start] == first": "speed: bytes are compared only where the first one fits",
    "Formats/CredentialFormatDetection.swift: (0x20...0x7E).contains($0)": "speed: bytes that are no text are not read as base 64",
    "Formats/CredentialFormatDetection.swift: start == 0 && end == bytes.count - 1":
        "speed: a text without white space at its ends is not copied",
    "Formats/CredentialFormatDetection.swift: text.allSatisfy({ (0x20...0x7E).contains($0) })":
        "speed: bytes that are no text are not read as base 64",
    "Formats/ObjectFormatDetection.swift: false": "same result: of the members of a token only three are looked up",
    "Formats/ObjectFormatDetection.swift: name.contains(UInt8(ascii: \"\\\\\"))": "speed: a name without escapes is not read as JSON",
    "JOSE/CertificateKeyResolver.swift: path.isValid":
        "another check: the rule that the chain breaks refuses the token, whatever its roots are",
    "JOSE/CertificateKeyResolver.swift: texts.count <= VerificationLimits.maximumCertificates": "a limit: the certificates of a header",
    "JOSE/CertificateKeyResolver.swift: the rule count of certificate paths": "a limit: the certificates of a path",
    "JOSE/CertificateKeyResolver.swift: the rule profile of certificate paths":
        "only shown: the rule gives notes, and refuses nothing",
    "JOSE/JWTVerifier.swift: isMapped != nil": "another check: a claim that differs from its member refuses the token",
    "Keys/KeyResolver.swift: bytes.count <= 8192": "a limit: the bytes of a did:jwk",
    "Keys/KeyResolver.swift: found.count < maximumCandidates":
        "a limit: the keys of a set that a token without a name of its key is tried with",
    "Keys/KeyResolver.swift: kid": "only shown: the name of a key",
    "Keys/DecodedKeyCache.swift: in add": "speed: a key that is not kept is made anew",
    "Keys/DecodedKeyCache.swift: in key": "speed: a key that is not kept is made anew",
    "MobileDocuments/IssuingAuthorityList.swift: list[\"vicalProvider\"]?.text != nil":
        "no case says it: the ends of a list that `symbolon trust` shows",
    "MobileDocuments/IssuingAuthorityList.swift: in isIdentifier": "a limit: key identifiers of more bytes than one length has room for",
    "MobileDocuments/IssuingAuthorityList.swift: in words": "only shown: the age of a list",
    "MobileDocuments/DeviceSigned.swift: in transcript": "only shown: the form in which a wrong proof would be right",
    "MobileDocuments/DeviceSigned.swift: in explained": "only shown: the form in which a wrong proof would be right",
    "MobileDocuments/DeviceSigned.swift: secret.map { (try? mac.verify(message, by: $0)) != nil }":
        "only shown: the form in which a wrong proof would be right",
    "MobileDocuments/DeviceSigned.swift: (try? mac.verify(message, by: $0)) != nil":
        "only shown: the form in which a wrong proof would be right",
    "MobileDocuments/DeviceSigned.swift: (try? signature.verify(message, by: key, algorithm: algorithm)) != nil":
        "only shown: the form in which a wrong proof would be right",
    "MobileDocuments/ElementDisplayJSON.swift: in json": "a limit: the parts of an element that are shown",
    "MobileDocuments/MobileDocumentSession.swift: jwk[\"kty\"]?.string == \"EC\"":
        "the operator's file: the reader's key of a session",
    "MobileDocuments/MobileDocumentSession.swift: value.array?.count == 3": "the operator's file: the transcript of a session",
    "MobileDocuments/MobileDocumentSignerCheck.swift: !list.failed(.chain)":
        "another check: the rule that the chain breaks refuses the document, whatever its roots are",
    "MobileDocuments/MobileDocumentSignerCheck.swift: path.isValid":
        "another check: the rule that the chain breaks refuses the document, whatever its roots are",
    "SDJWT/DisclosureInsertion.swift: disclosures.reserveCapacity(texts.count)":
        "speed: the space for all disclosures is taken at once",
    "SDJWT/DisclosureInsertion.swift: result.reserveCapacity(elements.count)": "speed: the space for all elements is taken at once",
    "SDJWT/DisclosureInsertion.swift: seenDigests.reserveCapacity(texts.count * 2)":
        "speed: the space for all digests is taken at once",
    "SDJWT/SDJWTParts.swift: disclosures.count <= VerificationLimits.maximumDisclosures": "a limit: the disclosures",
    "SDJWT/SDJWTParts.swift: parts.count >= 2":
        "another check: a text without a tilde is not taken for an SD-JWT (`CredentialFormatDetection.swift`)",
    "SDJWT/SDJWTVerifier.swift: request.policy.acceptsFormerSpellings":
        "no case says it: no trust file refuses former spellings, and a program may",
    "Status/BitstringStatusList.swift: inner.policy.acceptsFormerSpellings = request.policy.acceptsFormerSpellings":
        "no case says it: no trust file refuses former spellings, and a program may",
    "Status/BitstringStatusList.swift: inner.policy.limits = request.policy.limits":
        "a limit: that of a status list, which no trust file sets",
    "Status/BitstringStatusList.swift: inner.policy.toleranceSeconds = request.policy.toleranceSeconds":
        "another check: the times of a status list are judged apart",
    "Status/BitstringStatusList.swift: request.policy.acceptsFormerSpellings":
        "no case says it: no trust file refuses former spellings, and a program may",
    "Status/StatusListTimes.swift: in init": "no case says it: the ends of a list that `symbolon trust` shows",
    "Status/CredentialStatusCheck.swift: request.policy.acceptsFormerSpellings":
        "no case says it: no trust file refuses former spellings, and a program may",
    "Trust/TrustGrammar.swift: forms.values.contains { $0.settings[head.name] != nil }":
        "only shown: the words about a setting that stands as an entry",
    "Trust/TrustGrammar.swift: $0.settings[head.name] != nil": "only shown: the words about a setting that stands as an entry",
    "Trust/TrustGrammar.swift: isSetting": "only shown: the words about a setting that stands as an entry",
    "Trust/TrustFile+Store.swift: bytes.starts(with: \"-----BEGIN \".utf8)":
        "only shown: the text of a mistake in a trust file",
    "Trust/TrustFile+Store.swift: isPEM": "only shown: the text of a mistake in a trust file",
    "Trust/TrustFile+Store.swift: store.makeKeys()": "speed: a key that is not kept is made anew",
    "Trust/TrustFile.swift: bytes.count <= Self.maximumBytes": "a limit: the bytes of a trust file",
    "Trust/TrustGrammar.swift: form.settings[missing]?.words": "only shown: the text of a mistake in a trust file",
    "Trust/TrustGrammar.swift: known.isEmpty": "only shown: the text of a mistake in a trust file",
    "Trust/TrustStore.swift: in makeKeys": "speed: a key that is not kept is made anew",
    "DataIntegrity/RDFStatementReader.swift: document.contains { $0.name != \"@context\" && $0.value.holds(member: \"@context\") }":
        "speed: what holds no context is not searched for one",
    "DataIntegrity/RDFStatementReader.swift: $0.name != \"@context\"":
        "speed: what holds no context is not searched for one",
    "Keys/KeyResolver.swift: let known = trust.knownKeys.key(ofIdentifier: did)":
        "speed: a key that is not kept is made anew",
    "Keys/VerificationKey.swift: bytes.count <= Certificate.maximumCount * 2":
        "a limit: the bytes of a key in PEM",
    "Desk/Policy/DecisionPolicy.swift: !path.isEmpty":
        "no case says it: a root without a file, which only a program's own trust store has",
}

SWITCH = """/// The changes that are made; of this copy only.
public enum RemovedCheck {
    nonisolated(unsafe) public static var out = [Bool](repeating: false, count: COUNT)
    nonisolated(unsafe) public static var reached = [Bool](repeating: false, count: COUNT)

    public static func isOut(_ number: Int) -> Bool {
        reached[number] = true
        return out[number]
    }
}
"""

POLICY_HEAD = """struct StationError: Error {
    enum Code { case policyMalformed }
    init(_ code: Code, _ reason: String) {}
}

struct DisplayText {
    let text: String
    init(_ text: String, limit: Int) { self.text = text }
}

"""

TEST = """import Codes
import Foundation
import JSON
import Testing

@testable import Credentials

#if canImport(Glibc)
    import Glibc
#endif

@_silgen_name("fork") private func makeProcess() -> Int32

@Suite(.serialized) struct RemovedCheckTests {
    enum Level: Int {
        case none, shown, cause, answer, verdict
    }

    struct Case {
        let line: JSONValue
        let entry: KitEntry
        let plain: CredentialReport
        let readReached: [Bool]
        let reached: [Bool]
    }

    struct Failed: Error {}

    /// The trial under way, for the process that waits: the case, or -1, and 1 where further checks are sought.
    nonisolated(unsafe) private static let tried: UnsafeMutablePointer<Int> = {
        let place = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
        guard let place, place != MAP_FAILED else {
            perror("mmap")
            exit(1)
        }
        return place.assumingMemoryBound(to: Int.self)
    }()

    /// Says which case is tried, and ends the process when it takes too much time of the processor.
    private static func begin(_ index: Int, seeking: Bool = false) {
        (tried[0], tried[1]) = (index, seeking ? 1 : 0)
        var limit = itimerval(
            it_interval: timeval(tv_sec: 0, tv_usec: 0), it_value: timeval(tv_sec: SECONDS, tv_usec: 0))
        setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &limit, nil)
    }

    private static let environment = ProcessInfo.processInfo.environment
    /// Every process writes whole lines at the end.
    private static let output = FileHandle(
        fileDescriptor: open(environment["REMOVED_OUTPUT"] ?? "", O_WRONLY | O_APPEND), closeOnDealloc: false)

    private static func write(_ line: String) {
        output.write(Data((line + "\\n").utf8))
    }

    private static func clear() {
        for index in RemovedCheck.reached.indices { RemovedCheck.reached[index] = false }
    }

    private static func read(_ line: JSONValue) throws -> KitEntry {
        var requests: [String: VerificationRequest] = [:]
        return try KitEntry(line, &requests)
    }

    private static func verified(_ entry: KitEntry) -> CredentialReport {
        entry.format == "code"
            ? CodeVerifier(entry.request).verify(entry.bytes).credential
            : CredentialVerifier(entry.request).verify(entry.bytes)
    }

    private static func decision(_ entry: KitEntry, _ report: CredentialReport) -> String? {
        guard let policy = entry.policy else { return nil }
        return (try? DecisionPolicy(parsing: policy.encoded))?.outcome(of: [report]).rawValue ?? "malformed"
    }

    private static func judge(_ entry: KitEntry, _ report: CredentialReport) -> (Level, String)? {
        if report.result != entry.result {
            let isAccepted = report.result == .genuine
            return (.verdict, isAccepted ? "accepted" : entry.result == .genuine ? "turned away" : "\\(report.result)")
        }
        if let decision = entry.decision, decision != Self.decision(entry, report) { return (.verdict, "decided otherwise") }
        if KitAnswers.answers(report) != entry.answers { return (.answer, "other answers") }
        if let shows = entry.shows, KitAnswers.shows(report) != shows { return (.answer, "other facts") }
        return nil
    }

    private static func codes(in report: CredentialReport) -> Set<String> {
        Set(report.checks.filter { $0.outcome != .passed && $0.code != nil }.map { "\\($0.code?.rawValue ?? ""): \\($0.reason)" })
            .union(report.inner.flatMap { codes(in: $0) })
    }

    private static func difference(_ a: CredentialReport, _ b: CredentialReport) -> String {
        if a.content.notes != b.content.notes { return "notes" }
        if a.content.signatures != b.content.signatures { return "descriptions of signatures" }
        if a.checks.map(\\.reason) != b.checks.map(\\.reason) { return "reasons of checks" }
        if a.checks.map(\\.location) != b.checks.map(\\.location) { return "places of checks" }
        if a.checks != b.checks { return "checks that decide nothing" }
        if a.content.claims != b.content.claims { return "claims of what is not genuine" }
        if a.inner != b.inner, a.inner.count == b.inner.count {
            return zip(a.inner, b.inner).first { $0 != $1 }.map { difference($0, $1) } ?? ""
        }
        return "content of what is not genuine"
    }

    private static func verdict(_ one: Case, _ number: Int) -> (Level, String, Set<String>) {
        RemovedCheck.out[number] = true
        defer { RemovedCheck.out[number] = false }
        var entry = one.entry
        if one.readReached[number] {
            guard let read = try? Self.read(one.line) else { return (.verdict, "not read", []) }
            entry = read
        }
        let report = verified(entry)
        if let (level, what) = judge(entry, report) { return (level, what, []) }
        let codes = Self.codes(in: report)
        if let code = entry.code, !report.carries(code) { return (.cause, "another cause", codes) }
        if report == one.plain { return (.none, "", codes) }
        let plain = Self.codes(in: one.plain)
        return codes == plain ? (.shown, difference(report, one.plain), codes) : (.cause, "other causes", codes)
    }

    /// The fewest further checks without which a case gets another result that the change alone does not give.
    private static func others(_ one: Case, beside first: Int, _ checks: [Bool]) -> Set<Int>? {
        func isOther(_ out: Set<Int>) -> Bool {
            for number in out { RemovedCheck.out[number] = true }
            defer { for number in out { RemovedCheck.out[number] = false } }
            return verified(one.entry).result == .genuine
        }
        var out: Set<Int> = [first]
        for _ in 0..<12 {
            clear()
            if isOther(out) { break }
            let more = RemovedCheck.reached.indices.filter { RemovedCheck.reached[$0] && checks[$0] && !out.contains($0) }
            guard !more.isEmpty else { return nil }
            out.formUnion(more)
        }
        guard isOther(out) else { return nil }
        for number in out.sorted() where number != first && isOther(out.subtracting([number])) { out.remove(number) }
        return out.count > 7 ? nil : out.subtracting([first])
    }

    /// Makes changes of what is made once and kept, such as the contexts that are built in: each in a process that has
    /// not verified anything yet.
    private static func tryFresh(_ numbers: [Int]) throws {
        let entries = try KitEntry.lines().map(read).filter { $0.format == "json-ld" }
            .sorted { ($0.result == .genuine ? 0 : 1) < ($1.result == .genuine ? 0 : 1) }
        let lines = try KitEntry.lines().map { $0["file"]?.string }
        for number in numbers {
            run(number, reach: entries.count) {
                for entry in entries {
                    let index = lines.firstIndex(of: entry.file) ?? -1
                    begin(index)
                    RemovedCheck.out[number] = true
                    guard let (level, what) = judge(entry, verified(entry)) else { continue }
                    return answer(number, reach: entries.count, level, what, first: index)
                }
                return answer(number, reach: entries.count, .none, "", first: -1)
            }
        }
    }

    private static func answer(
        _ number: Int, reach: Int, _ level: Level, _ what: String, first: Int, codes: Set<String> = [], others: Set<Int> = []
    ) -> JSONObject {
        [
            "number": .int(number), "reach": .int(reach), "level": .int(level.rawValue), "what": .string(what),
            "first": .int(first), "codes": .strings(codes.sorted()), "others": .array(others.sorted().map { .int($0) }),
        ]
    }

    /// Writes what `body` answers in a process of its own, or that the process ended; false where it ended while seeking.
    @discardableResult private static func run(_ number: Int, reach: Int, _ body: () -> JSONObject) -> Bool {
        (tried[0], tried[1]) = (-1, 0)
        let child = makeProcess()
        if child == 0 {
            write("end " + body().text)
            _exit(0)
        }
        var status: Int32 = 0
        while waitpid(child, &status, 0) == -1, errno == EINTR {}
        if status == 0 { return true }
        if tried[1] == 1 { return false }
        let what = status & 0x7F == SIGPROF ? "does not end" : "the program ends"
        write("end " + answer(number, reach: reach, .verdict, what, first: tried[0]).text)
        return true
    }

    @Test func `each change is made in turn`() throws {
        let given = try JSONValue(parsing: [UInt8](try Data(contentsOf: URL(filePath: Self.environment["REMOVED_SETS"] ?? ""))))
        let numbers = (given["numbers"]?.array ?? []).compactMap(\\.int)
        var (checks, seeks) = (RemovedCheck.out, RemovedCheck.out)
        for number in (given["checks"]?.array ?? []).compactMap(\\.int) { checks[number] = true }
        for number in (given["seek"]?.array ?? []).compactMap(\\.int) { seeks[number] = true }
        let fresh = (given["fresh"]?.array ?? []).compactMap(\\.int)
        try Self.tryFresh(fresh)
        var cases: [Case] = []
        for line in try KitEntry.lines() {
            Self.clear()
            let entry = try Self.read(line)
            let readReached = RemovedCheck.reached
            Self.clear()
            let report = Self.verified(entry)
            guard Self.judge(entry, report) == nil else {
                Self.write("wrong \\(entry.file)")
                throw Failed()
            }
            _ = (Self.codes(in: report), KitAnswers.shows(report))
            cases.append(
                Case(line: line, entry: entry, plain: report, readReached: readReached, reached: RemovedCheck.reached))
        }
        var files: [(file: KitTrustText, reached: [Bool])] = []
        for file in try KitTrustText.all() {
            Self.clear()
            guard try file.outcome() == file.expected else {
                Self.write("wrong \\(file.path)")
                throw Failed()
            }
            files.append((file, RemovedCheck.reached))
        }
        let order = cases.indices.sorted { (cases[$0].entry.result == .genuine ? 0 : 1, $0) < (cases[$1].entry.result == .genuine ? 0 : 1, $1) }
        for number in numbers {
            let tried = order.filter { cases[$0].reached[number] || cases[$0].readReached[number] }
            let read = files.indices.filter { files[$0].reached[number] }
            /// The outcome of the change, in this process.
            func answer(seeking: Bool) -> JSONObject {
                var (level, what, first) = (Level.none, "", -1)
                var codes: Set<String> = []
                for index in read where level == .none {
                    Self.begin(-2 - index)
                    RemovedCheck.out[number] = true
                    if (try? files[index].file.outcome()) != files[index].file.expected {
                        (level, what, first) = (.verdict, "a trust file is read otherwise", -2 - index)
                    }
                    RemovedCheck.out[number] = false
                }
                for index in (level == .none ? tried : []) {
                    Self.begin(index)
                    let found = Self.verdict(cases[index], number)
                    if found.0 == .cause || found.0 == .shown && level != .cause { codes.formUnion(found.2) }
                    if found.0.rawValue > level.rawValue { (level, what, first) = (found.0, found.1, index) }
                    if level == .verdict || level == .answer { break }
                }
                var others: Set<Int>?
                if level == .none, seeking {
                    for index in tried.filter({ cases[$0].entry.result != .genuine && cases[$0].reached[number] }).prefix(6) {
                        Self.begin(index, seeking: true)
                        if let found = Self.others(cases[index], beside: number, checks), found.count < others?.count ?? .max {
                            others = found
                        }
                    }
                }
                return Self.answer(
                    number, reach: tried.count + read.count, level, what, first: first, codes: codes, others: others ?? [])
            }
            let reach = tried.count + read.count
            if !Self.run(number, reach: reach, { answer(seeking: seeks[number]) }) {
                // Without the search for further checks, which ended the process.
                Self.run(number, reach: reach) { answer(seeking: false) }
            }
        }
        Self.write("done")
    }
}
"""


def changed_files():
    """The sources that are changed, and where their copies stand."""
    names = sorted(str(p.relative_to(ROOT)) for module in MODULES for p in (ROOT / module).rglob("*.swift"))
    names = [n for n in names if not any(fnmatch.fnmatch(n, p) for p in NOT_CHANGED)]
    return {**{n: n for n in names}, POLICY: POLICY_PATH}


def changer():
    """The program that changes sources, with the parser of the toolchain."""
    source, program = Path(__file__).with_name("Changes.swift"), PLACE / "change"
    if not program.is_file() or program.stat().st_mtime < source.stat().st_mtime:
        library = Path(shutil.which("swiftc")).resolve().parent.parent / "lib/swift/host"
        libraries = [f"-l{name}" for name in ("SwiftSyntax", "SwiftParser", "SwiftOperators")]
        subprocess.run(["swiftc", "-swift-version", "6", str(source), "-I", str(library), "-L", str(library), *libraries,
                        "-Xlinker", "-rpath", "-Xlinker", str(library), "-o", str(program)], check=True)
    return program


def change(files, left):
    """Writes the changed copies; gives the changes."""
    line = [str(changer()), "0", str(ROOT)]
    for name, copy in files.items():
        line += [name, str(COPY / copy)]
        (COPY / copy).parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(line, input="\n".join(sorted(left)), capture_output=True, text=True)
    if done.returncode:
        give_up("the sources cannot be changed\n" + done.stderr)
    changes = [json.loads(l) for l in done.stdout.splitlines()]
    changes += path_rules(files, len(changes))
    policy = (COPY / POLICY_PATH).read_text()
    policy = POLICY_HEAD + policy.replace("public import", "import").replace("public ", "")
    write(COPY / POLICY_PATH, policy.encode())
    write(COPY / SWITCH_PATH, SWITCH.replace("COUNT", str(len(changes))).encode())
    write(COPY / TEST_PATH, TEST.replace("SECONDS", str(SECONDS_OF_A_CASE)).encode())
    return changes


def path_rules(files, first):
    """Gives each rule of certificate paths a number, because they are found below the module and recorded by one loop."""
    place = MODULE + "/JOSE/CertificateKeyResolver.swift"
    error = (ROOT / MODULE / "Checks/CredentialError.swift").read_text()
    codes = dict(re.findall(r"case (\w+) = \"(credential\.[^\"]+)\"", error))
    source = (ROOT / place).read_text()
    rules = re.findall(r"case \.(\w+): \.(\w+)", source[source.index("extension CertificatePath.PathRule"):])
    table = ", ".join(f'"{codes[name]}": {first + i}' for i, (_, name) in enumerate(rules))
    for name, copy in files.items():
        text = (COPY / copy).read_text()
        text = text.replace("path.failures", "path.left").replace("path.isValid", "path.left.isEmpty")
        if name == place:
            text = text.replace("in failures {", "in left {").replace("failures.isEmpty", "left.isEmpty")
            text += ("\nextension CertificatePath {\n    static let numbers: [String: Int] = [%s]\n"
                     "    var left: [PathRuleViolation] {\n        failures.filter { failure in\n"
                     "            !(Self.numbers[failure.rule.code.rawValue].map { RemovedCheck.isOut($0) } ?? false)\n"
                     "        }\n    }\n}\n" % table)
        write(COPY / copy, text.encode())
    return [{"number": first + i, "file": place, "line": 0, "place": "rules", "kind": "holds", "code": name, "start": 0,
             "end": 0, "text": f"the rule {rule} of certificate paths"} for i, (rule, name) in enumerate(rules)]


def key(change):
    return f"{change['file']}:{change['kind']}:{change['start']}:{change['text']}"


def is_only_value(change):
    """True for an assignment of an initialiser that gives a property its only value."""
    if change["kind"] == "not assigned" and change["place"] == "init" and change["text"].startswith("("):
        return True
    match = re.match(r"(?:self\.)?(\w+) = ", change["text"])
    if change["kind"] != "not assigned" or change["place"] != "init" or not match:
        return False
    declared = rf"(?m)^\s*(?:\w+(?:\(set\))? )*(?:let (?:\w+, )*{match.group(1)}\b(?:, \w+)*: [^=\n{{]*|var {match.group(1)}: [^=\n{{?]*)$"
    return re.search(declared, (ROOT / change["file"]).read_text()) is not None


def is_kept(change):
    """True for a change of what is made once and kept, so that a process that has verified something does not make it anew."""
    return "/DataIntegrity/Contexts/" in change["file"] or change["place"] == "usualTypes"


def build(files, left):
    """Builds the copy, leaving out what does not compile; gives the changes."""
    left |= {key(c) for c in change(files, left) if is_only_value(c)}
    KEPT.write_text(json.dumps(sorted(left)))
    for _ in range(30):
        changes = change(files, left)
        done = build_tests(COPY, PLACE / "build", "CredentialsTests", "-Xswiftc", "-O")
        if done.returncode == 0:
            return changes
        found = uncompiled(done.stdout + done.stderr, files, changes)
        if not found - left:
            give_up("the copy cannot be built\n" + errors(done))
        left |= found
        KEPT.write_text(json.dumps(sorted(left)))
        print(f"removed-checks: {len(found)} changes do not compile", file=sys.stderr)
    give_up("the copy cannot be built")


def uncompiled(output, files, changes):
    """The changes that the compiler's errors name: of those on the line, the nearest; those of a property by its name."""
    by_copy = {str((COPY / copy).resolve()): name for name, copy in files.items()}
    found = set()
    for match in sorted(set(re.findall(r"(?m)^(/[^:\n]+):(\d+):(\d+): (error|note): (.*)$", output))):
        path, line, column, kind, text = match
        name = by_copy.get(str(Path(path).resolve()))
        if not name:
            continue
        named = re.match(r"'(?:self\.)?(\w+)' not initialized|(?:constant|variable) '(?:self\.)?(\w+)' .*before being initialized", text)
        if named:
            prop = named.group(1) or named.group(2)
            hits = [c for c in changes if c["file"] == name and c["kind"] == "not assigned"
                    and re.match(rf"(self\.)?{prop}\b(?!\.)", c["text"])]
            found |= {key(c) for c in hits}
            if hits:
                continue
        if kind == "note":
            continue
        if "from initializer" in text:
            found |= {key(c) for c in changes if c["file"] == name and c["place"] == "init" and c["kind"] == "not assigned"}
            continue
        lines = Path(path).read_text().split("\n")
        for at in range(int(line) - 1, max(int(line) - 12, -1), -1):
            spots = [(abs(m.start() - int(column)) if at == int(line) - 1 else -m.start(), int(m.group(1)))
                     for m in re.finditer(r"RemovedCheck\.isOut\((\d+)\)", lines[at])]
            if spots:
                found.add(key(changes[min(spots)[1]]))
                break
    return found


def work(worker, numbers, checks, seek, fresh):
    """Returns the result of each change, each in a process of its own; a change that ends its process counts as noticed."""
    output, given = PLACE / f"output-{worker}", PLACE / f"sets-{worker}.json"
    given.write_text(json.dumps({"numbers": [n for n in numbers if n not in fresh], "checks": checks, "seek": seek,
                                 "fresh": [n for n in numbers if n in fresh]}))
    output.write_text("")
    run(COPY, PLACE / "build", "RemovedCheckTests", REMOVED_SETS=str(given), REMOVED_OUTPUT=str(output), SWIFT_BACKTRACE="enable=no")
    results = {}
    for line in output.read_text(errors="replace").split("\n"):
        if line.startswith("wrong "):
            give_up("the copy answers otherwise than the manifest: " + line)
        if line.startswith("end "):
            answer = json.loads(line[4:])
            results[answer["number"]] = answer
    if len(results) != len(numbers):
        give_up("the test did not run to its end")
    return results


def name_of(change):
    """A change as the tables name it: where it stands, what is done, and its text."""
    return f"{short(change['file'])}: {change['text']}"


def short(path):
    return path.removeprefix(MODULE + "/").removeprefix("Sources/Protocols/").removeprefix("Sources/Runtime/")


def reason_of(change, answer, changes, used):
    """Why no case notices a change; nil when nothing says it."""
    for name in (f"{name_of(change)} [{change['kind']}]", name_of(change), f"{short(change['file'])}: in {change['place']}",
                 short(change["file"])):
        if name in REASONS:
            used.add(name)
            return REASONS[name]
    if answer["level"] == 2:
        said = [code.removeprefix("credential.").split(": ", 1) for code in answer["codes"]]
        if len(said) <= 2:
            return "another check: " + " ".join(f"{text} ({code})" for code, text in said)
        return "another check: " + ", ".join(sorted({code for code, _ in said}))
    if answer["level"] == 1:
        return "only shown: " + answer["what"]
    if answer["others"]:
        return "another check: " + "; ".join(f"`{name_of(changes[i])}`" for i in answer["others"])
    return None


def main():
    only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""
    PLACE.mkdir(exist_ok=True)
    files = changed_files()
    make_copy(COPY, ({*files} | {SWITCH_PATH, TEST_PATH, POLICY_PATH}) - {POLICY})
    left = set(json.loads(KEPT.read_text())) if KEPT.is_file() else set()
    changes = build(files, left)
    numbers = [c["number"] for c in changes if only in c["file"]]
    checks = [c["number"] for c in changes if c["kind"] in ("holds", "not thrown") or c["kind"] == "never" and c["code"]]
    seek = checks + [c["number"] for c in changes if c["kind"] in ("true", "false", "left out")]
    fresh = {c["number"] for c in changes if is_kept(c)}
    with concurrent.futures.ThreadPoolExecutor(PROCESSES) as pool:
        parts = [pool.submit(work, i, numbers[i::PROCESSES], checks, seek, fresh) for i in range(PROCESSES)]
        results = {n: a for part in parts for n, a in part.result().items()}
    (PLACE / "results.json").write_text(json.dumps([dict(c, **results[c["number"]]) for c in changes if c["number"] in results]))
    report(changes, results, len(left), only)


TOPICS = {
    "Printed codes": ["Codes/*", "CWT/Claim169*", "CWT/HealthCertificate*", "CWT/SignerListSignature*",
                      "Trust/SignerFile*"],
    "Holder": ["SDJWT/HolderProof*", "Checks/HolderChallenge*", "JOSE/Present*", "MobileDocuments/DeviceSigned*",
               "MobileDocuments/MobileDocumentSession*"],
    "Trust lines": ["Trust/*", "MobileDocuments/IssuingAuthorityList*", "JOSE/CertificateKeyResolver*", "COSE/CertificateChecks*"],
    "Status lists": ["Status/*"],
    "Facts": ["Claims/*"],
    "Policies and verdict": ["Checks/*", "Desk/Policy/*", "CredentialVerifier*"],
    "Keys and algorithms": ["Keys/*"],
    "Times": ["Times/*"],
    "JWT": ["JOSE/*"],
    "SD-JWT": ["SDJWT/*"],
    "CWT": ["CWT/*", "COSE/*"],
    "Mobile documents": ["MobileDocuments/*"],
    "Proofs inside": ["DataIntegrity/*"],
    "Recognition of formats": ["Formats/*"],
}

HEAD = """Single changes are made to the code that verifies credentials, one at a time: to the modules `Credentials` and `Codes` and the policy of
the desk. Conditions, bindings, cases, assignments and calls are taken out, and the kit of forgeries (`Vectors/credentials`) notices or
not. A case notices a change when it gets another result than its line of the manifest says, other answers (issued by, holder, now),
other facts or another decision of a desk, or when the program ends. `Scripts/removed-checks.sh credentials --page` writes this page.

"""

MIDDLE = """
## Changes that no case notices

Each has a reason, in one of these classes. *Another check*: without the condition the cases that reach it are refused by another
check or for another cause. *Only shown*: a text, note or description changes, and no verdict, answer or fact. *A limit* bounds work, and
what is beyond it may well be genuine; *the operator's file* looks at what the person who runs the verifier wrote; *no case says it*
needs what is in no file of the kit; *speed* finds the same in a longer way; *same result* is a change after which the code does the
same. The gate writes each change with its reason to `.build-checks/unnoticed.tsv`.

"""
CLASSES = ["another check", "only shown", "a limit", "speed", "same result", "the operator's file", "no case says it"]


def class_of(reason):
    return re.split("[:,]", reason or "no reason")[0]


def unnoticed_text(rows):
    """The changes that no case notices, from pairs of file and reason: how many of which class, and the reasons that are stated."""
    counts, stated = {}, {}
    for file, reason in rows:
        counts.setdefault(file, dict.fromkeys(CLASSES, 0))[class_of(reason)] += 1
        if class_of(reason) not in CLASSES[:2]:
            stated.setdefault(reason, set()).add(file)
    text = "| Where | " + " | ".join(CLASSES).capitalize() + " |\n" + "|---" * (len(CLASSES) + 1) + "|\n"
    text += "".join(f"| {file} | " + " | ".join(str(n or "") for n in of.values()) + " |\n" for file, of in sorted(counts.items()))
    text += "\n| Reason | Where |\n|---|---|\n"
    return text + "".join(f"| {cell(reason)} | {', '.join(sorted(files))} |\n" for reason, files in sorted(stated.items()))


def topic_of(change):
    name = short(change["file"])
    return next(t for t, patterns in TOPICS.items() if any(fnmatch.fnmatch(name, p) for p in patterns))


def case_of(answer, cases, files):
    """The case that notices a change: its file, and what was changed in it."""
    if answer["first"] < -1:
        return f"`{files[-2 - answer['first']]['trust']}`: {answer['what']}"
    case = cases[answer["first"]]
    return f"`{case['file']}`: {case['why'].split(': ', 1)[1].split('. ')[0].rstrip('.')} ({answer['what']})"


def cell(text):
    return re.sub(r"\s+", " ", text).replace("|", "\\|")


def report(changes, results, left, only):
    """Prints the figures; ends with status 1 when a change has neither a case nor a reason, or a reason is not needed."""
    manifest = json.loads((ROOT / "Vectors/credentials/manifest.json").read_text())
    cases, files = manifest["cases"], manifest["trust-lines"]
    error = (ROOT / MODULE / "Checks/CredentialError.swift").read_text()
    codes = dict(re.findall(r"case (\w+) = \"((?:credential|code)\.[^\"]+)\"", error))
    missing, used, without = [], set(), []
    topics, kinds, classes, by_code = {}, {}, {}, {}
    for one in changes:
        answer = results.get(one["number"])
        if answer is None:
            continue
        isNoticed = answer["level"] >= 3
        for table, name in ((topics, topic_of(one)), (kinds, one["kind"])):
            counts = table.setdefault(name, [0, 0, 0])
            counts[0] += 1
            counts[1] += isNoticed
            counts[2] += answer["what"] == "accepted"
        if one["code"] in codes:
            by_code.setdefault(codes[one["code"]], []).append(answer)
        if isNoticed:
            continue
        reason = reason_of(one, answer, changes, used)
        if reason is None:
            missing.append(f"{one['file']}:{one['line']}: in {one['place']}: {one['kind']}: {one['text']} "
                           f"(reached by {answer['reach']})")
        without.append((one, reason or ""))
        name = class_of(reason)
        classes[name] = classes.get(name, 0) + 1
    print("\n".join(missing))
    noticed = sum(counts[1] for counts in topics.values())
    figures = (f"{len(results)} changes compile and {left} do not; the kit notices {noticed}, "
               f"{sum(counts[2] for counts in topics.values())} of them by a forgery that is accepted; of the other "
               f"{len(results) - noticed}: " + ", ".join(f"{count} {name}" for name, count in sorted(classes.items())))
    print(figures)
    (PLACE / "unnoticed.tsv").write_text("".join(
        "\t".join([short(c["file"]), c["kind"], re.sub(r"\s+", " ", c["text"]), r]) + "\n" for c, r in without))
    stale = set(REASONS) - used if not only else set()
    if "--page" in sys.argv:
        text = HEAD + figures[0].upper() + figures[1:] + ".\n\n"
        text += "| Where | Changes | Noticed | By an accepted forgery |\n|---|---|---|---|\n"
        text += "".join(f"| {t} | {topics[t][0]} | {topics[t][1]} | {topics[t][2]} |\n" for t in TOPICS if t in topics)
        text += "\n| Change | Made | Noticed | By an accepted forgery |\n|---|---|---|---|\n"
        text += "".join(f"| {k}: {KINDS[k]} | {kinds[k][0]} | {kinds[k][1]} | {kinds[k][2]} |\n" for k in KINDS if k in kinds)
        text += "\n## Codes\n\nThe changes at what reports each code, and one case that notices one.\n\n"
        text += "| Code | Changes | Noticed | One of the cases |\n|---|---|---|---|\n"
        for code, answers in sorted(by_code.items()):
            found = sorted((a for a in answers if a["level"] >= 3), key=lambda a: a["what"] != "accepted")
            first = case_of(found[0], cases, files) if found else "none: see below"
            text += f"| {code} | {len(answers)} | {len(found)} | {cell(first)} |\n"
        text += MIDDLE + unnoticed_text([(short(c["file"]), r) for c, r in without])
        evidence.write_page(PAGE, "What each check of credentials is for", "credential-checks", text)
    if missing:
        give_up(f"{len(missing)} changes have neither a case nor a reason")
    if stale:
        give_up("REASONS holds what a case notices or what is not there: " + "; ".join(sorted(stale)))


if __name__ == "__main__":
    main()
