import ByteCoding
import CryptoSuite
import JSON
import TestSupport
import Testing

@testable import Credentials

/// Signatures without their payload, and the many ways to write them wrongly.
@Suite struct DetachedJWSTests {
    private static let good = #"{"alg":"EdDSA","b64":false,"crit":["b64"]}"#

    private static func text(_ header: String, middle: String = "", signature: String = "AAAA") -> String {
        Base64URL.encode(Array(header.utf8)) + "." + middle + "." + signature
    }

    private static func read(_ text: String) throws -> DetachedJWS {
        try DetachedJWS(parsing: text, method: "did:example:1#key", limits: VerificationLimits())
    }

    @Test func `a detached JWS of a proof signs its header and the raw hashes`() throws {
        let jws = try Self.read(Self.text(Self.good))
        #expect(jws.algorithm == .edDSA)
        let hashes = try #require(
            Hex.decode(
                "b327c90bd5099a5925bb8d76b730a78e5f5b7c022f876ef137f34671df9bca4a"
                    + "cdda4a6c38b7dcb8560aaebf20804aac2b2175a20badb97f591436b914c86658"))
        let input = jws.signingInput(hashes)
        #expect(input.count == 121)
        #expect(
            Hex.encode(SHA256.hash(input)) == "bc3f21d3fc8494a9b9fe92efed302b9700f1d37aabe22bfee75e8e2f4bfb4ab2")
    }

    static let wrong: [(String, CredentialError.Code)] = [
        (text(good, middle: "e30"), .sigForm), (text(good) + ".AAAA", .sigForm), ("AAAA", .sigForm),
        (text("[]"), .sigForm), (text("{"), .parseJSON), (text(good, signature: "AAA="), .parseBase64),
        (text(good).split(separator: ".").joined(separator: "=.."), .parseBase64),
        (text(#"{"alg":"EdDSA","alg":"EdDSA","b64":false,"crit":["b64"]}"#), .parseDuplicateKey),
        (text(#"{"alg":"none","b64":false,"crit":["b64"]}"#, signature: ""), .algNone),
        (text(#"{"alg":"HS256","b64":false,"crit":["b64"]}"#), .algMismatch),
        (text(#"{"b64":false,"crit":["b64"]}"#), .algMismatch),
        (text(#"{"alg":"EdDSA","b64":true,"crit":["b64"]}"#), .algB64),
        (text(#"{"alg":"EdDSA","crit":["b64"]}"#), .algB64), (text(#"{"alg":"EdDSA","b64":false}"#), .algCrit),
        (text(#"{"alg":"EdDSA","b64":false,"crit":[]}"#), .algCrit),
        (text(#"{"alg":"EdDSA","b64":false,"crit":["b64","b64"]}"#), .algCrit),
        (text(#"{"alg":"EdDSA","b64":false,"crit":["b64","exp"]}"#), .algCrit),
        (text(#"{"alg":"EdDSA","b64":false,"crit":"b64"}"#), .algCrit),
        (text(#"{"alg":"EdDSA","b64":false,"crit":["b64"],"kid":"did:example:2#key"}"#), .keyForm),
    ]

    @Test(arguments: 0..<DetachedJWSTests.wrong.count)
    func `a malformed detached JWS is refused with the code of its defect`(_ index: Int) {
        let (text, code) = Self.wrong[index]
        #expect(Thrown.code { _ = try Self.read(text) } == code)
    }

    @Test func `a detached JWS with a kid that repeats the method or is no DID URL is accepted`() throws {
        for kid in ["did:example:1#key", "key-1"] {
            let header = #"{"x5t#S256":"AA","b64":false,"crit":["b64"],"kid":"\#(kid)","alg":"ES256K"}"#
            #expect(try Self.read(Self.text(header)).algorithm == .es256K)
        }
    }

    @Test func `a credential whose detached JWS is cut short or extended is not genuine`() {
        let sample = ProofSample.statements("Ed25519Signature2018", .edwards)
        let text = Array((sample.signed["proof"]?["jws"]?.string ?? "").utf8)
        let verify: ([UInt8]) throws -> DetachedJWS? = { bytes in
            var changed = sample
            let text = String(decoding: bytes, as: UTF8.self)
            changed.changeProof("jws") { _ in .string(text) }
            return changed.report.result == .genuine ? try Self.read(text) : nil
        }
        #expect(sample.report.result == .genuine)
        #expect(DecoderVerifier.acceptedTruncations(of: text, by: verify) == [])
        #expect(DecoderVerifier.acceptedExtensions(of: text, by: verify) == [])
    }
}
