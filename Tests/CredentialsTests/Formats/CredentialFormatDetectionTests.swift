import ByteCoding
import CBOR
import Determinism
import JSON
import Testing

@testable import Credentials

/// Everyday inputs that only resemble a credential, each beside one that is a credential and broken.
@Suite struct CredentialFormatDetectionTests {
    private func report(_ bytes: [UInt8]) -> CredentialReport {
        let request = VerificationRequest(
            policy: VerificationPolicy(), trust: TrustStore(), at: WallTime(millisecondsSinceEpoch: 1_735_689_700_000))
        return CredentialVerifier(request).verify(bytes)
    }

    private func expectUnknown(_ bytes: [UInt8], at place: SourceLocation = #_sourceLocation) {
        let report = report(bytes)
        let note = Comment(rawValue: "\(String(decoding: bytes.prefix(40), as: UTF8.self)) \(report.checks)")
        #expect(report.format == .unknown, note, sourceLocation: place)
        #expect(report.result == .notChecked, note, sourceLocation: place)
        #expect(report.checks.contains { $0.code == .formatUnknown }, note, sourceLocation: place)
    }

    private func expectRefused(
        _ bytes: [UInt8], _ format: CredentialFormat, at place: SourceLocation = #_sourceLocation
    ) {
        let report = report(bytes)
        let note = Comment(rawValue: "\(String(decoding: bytes.prefix(40), as: UTF8.self)) \(report.checks)")
        #expect(report.format == format, note, sourceLocation: place)
        #expect(report.result == .refused, note, sourceLocation: place)
    }

    private func kit(_ path: String) throws -> [UInt8] { try KitEntry.contents(of: path) }

    // Texts.

    @Test(arguments: [
        "Read this first. It says how to build. Then run the tests.",
        "www.example.org", "1.2.3", "a.b.c", "...", "~",
        "~/notes.txt", "HC1:6BFOXN*TS0BI$ZD.P9UOL97O4-2HH77HRM3DSPTDRWDG4.ISWHQ1O.KO2RD", "eyes.are.blue",
        "eyes~nose~mouth", "192.168.0.1", "Zm9v.YmFy.YmF6", "OPENID4VP://connect?name=A.B&key=ab~cd",
    ])
    func `text with dots or tildes that is no JWT is of no known credential format`(text: String) {
        expectUnknown(Array(text.utf8))
    }

    @Test func `a JWT credential is detected and refused whichever of its parts is broken`() {
        let token = JWTSample().text
        let parts = token.split(separator: ".").map(String.init)
        for broken in [
            "\(parts[0]).\(parts[1])", "\(token).\(parts[2])", "\(parts[0])..\(parts[2])", "\(parts[0]).@.\(parts[2])",
            "\(parts[0]).\(parts[1]).@", "@\(parts[0]).\(parts[1]).\(parts[2])", ".\(parts[1]).\(parts[2])",
            "W10.\(parts[1]).\(parts[2])", "\(parts[0])=.\(parts[1]).\(parts[2])", "e30.e30.", "eyB9.e30.",
        ] {
            expectRefused(Array(broken.utf8), .jwt)
        }
        // Nothing shows what it was.
        expectUnknown(Array("@\(parts[0]).@.\(parts[2])".utf8))
    }

    @Test func `an SD-JWT is detected and refused whichever of its parts is broken`() {
        let text = SDSample().text
        let token = String(text.prefix { $0 != "~" })
        for broken in ["\(token)~~", "\(token)~a.b~", "@\(text)", "\(token.dropLast(90))~", "\(token)~x"] {
            expectRefused(Array(broken.utf8), .sdJWT)
        }
    }

    @Test(arguments: [
        "hello", "test", "pets", "snow", "only", "2026", "Salut, ça va. Bien", "Привет. Мир", "Тянуть", "مرحبا", "日本語。",
        "ÒÒÒ",
    ])
    func `a word that is base64 by chance, and text in any script, is of no known credential format`(text: String) {
        expectUnknown(Array(text.utf8))
    }

    // Objects in JSON.

    @Test(arguments: [
        #"{}"#, #"{"name":"symbolon","version":"1.0.0"}"#, #"{"a":"#, #"{"event":{"payload":"x"}}"#,
        #"{"payload":"hello","signature":"sha256=ab"}"#,
        #"{"payload":"e30","payloadType":"application/json","signatures":[{"keyid":"","sig":"AA"}]}"#,
        #"{"@context":"https://schema.org","@type":"Person","name":"Ada"}"#,
        #"{"@context":"https://www.w3.org/ns/did/v1","id":"did:example:1","verificationMethod":[]}"#,
        #"{"credential":{"@context":"https://www.w3.org/2018/credentials/v1","proof":{}}}"#, #"{"proof":43}"#,
        #"{"keys":[{"kty":"OKP"}]}"#, #"{ some text in braces. }"#, #"{"type":"openid_credential"}"#,
    ])
    func `a JSON object that has no member of a credential is of no known credential format`(text: String) {
        expectUnknown(Array(text.utf8))
    }

    @Test(arguments: [
        #"{"@context":["https://www.w3.org/2018/credentials/v1""#,
        #"{"@context":["https:\/\/www.w3.org\/ns\/credentials\/v2"]}"#,
        #"{"type":["VerifiableCredential"]}"#, #"{"id":"x","type":"VerifiablePresentation"}"#,
        #"{"name":"{\"}","credentialSubject":{}}"#, #"{"proof":{"type":"DataIntegrityProof"}}"#, #"{"proof":[]}"#,
        #"{"verifiableCredential":[]}"#, #"{"credenti\u0061lSubject":{}}"#, #"{ "a" : [1, {"b": 2}] , "proof" : {} }"#,
    ])
    func `a JSON object with a member of a credential is refused when it is no credential`(text: String) {
        expectRefused(Array(text.utf8), .linkedData)
    }

    @Test(arguments: [
        #"{"payload":"e30","protected":"e30"}"#, #"{"payload":"@","protected":"@","signature":"@"}"#,
        #"{"signatures":[{"protected":"e30","signature":""}],"payload":"e30"}"#,
        #"{"signatures":[{"protected":"e30","signature":""}],"payload":"e30""#,
    ])
    func `a JSON object with the members of an SD-JWT is refused when it is no SD-JWT`(text: String) {
        expectRefused(Array(text.utf8), .sdJWT)
    }

    // Binary data.

    @Test func `a CBOR map with no member of a credential is of no known credential format`() throws {
        let maps: [CBORItem] = [
            .map([:]), .map([.unsigned(1): .unsigned(2), .unsigned(3): .negative(6)]),
            .map([.text("fmt"): .text("none"), .text("authData"): .bytes([1])]),
            .map([.text("version"): .text("1.0"), .text("docRequests"): .array([])]),
        ]
        for map in maps {
            expectUnknown(map.encoded)
            expectUnknown(Array(Base64URL.encode(map.encoded).utf8))
        }
    }

    @Test(arguments: [
        "d4c3b2a1020004000000000000000000", "a1b2c3d4000200040000", "d9d9f7a10102", "d818410a", "c11a5f5e1000",
        "8401020304", "d25f00", "9f01ff", "d0d2c9d7c5d4",
    ])
    func `bytes that only begin as CBOR are of no known credential format`(hex: String) throws {
        expectUnknown(try #require(Hex.decode(hex)))
    }

    @Test func `a truncated mobile document is detected and refused, whatever its first member`() throws {
        let document = try kit("mdoc/good-a-whole-document.cbor")
        for count in [40, document.count / 2, document.count - 1] {
            expectRefused(Array(document.prefix(count)), .mobileDocument)
        }
        let value = try CBORValue(parsing: document)
        #expect(value["documents"] != nil || value["docType"] != nil || value["issuerAuth"] != nil)
        let others = [
            CBORItem.map([.text("x"): .unsigned(1), .text("issuerAuth"): .unsigned(1)]),
            .map([.text("version"): .text("1.0"), .text("documents"): .array([])]),
            .map([.text("version"): .text("1.0"), .text("status"): .unsigned(0), .text("documents"): .unsigned(0)]),
        ]
        for other in others {
            expectRefused(other.encoded, .mobileDocument)
            expectRefused(Array(Base64URL.encode(other.encoded).utf8), .mobileDocument)
        }
    }

    @Test func `a truncated CWT, or one with another COSE tag, is detected and refused`() throws {
        let token = try kit("cwt/good-a-token.cbor")
        for count in [4, token.count / 2, token.count - 1] { expectRefused(Array(token.prefix(count)), .cwt) }
        for head in ["d28443a10126", "d18443a10126", "d83dd28443", "d862844340", "8443a10126"] {
            expectRefused(try #require(Hex.decode(head)), .cwt)
        }
    }
}
