import ByteCoding
import CryptoSuite
import JSON
import TestSupport
import Testing

@testable import Credentials

/// Proofs over JSON, against values that other programs computed, and forged ones.
@Suite struct JCSProofHashTests {
    @Test func `the hash and signature of an eddsa-jcs-2022 proof are those that other programs compute`() throws {
        var object = ProofSample().proof
        object["proofValue"] = "z1"
        let proof = try LinkedDataProof(object, at: .pointer("/proof"))
        let hash = try JCSProofHash.hash(of: proof, over: ProofSample().document, .sha256)
        #expect(
            Hex.encode(hash) == "69ee487947d9d958cd9b1530b88137b03e75bfe05351583c30a2079e84e64907"
                + "7c4663e07f57c5b32ce36055eab08bb019e7d6882984f92716ab331409ddd277")
        #expect(
            ProofSample().signed["proof"]?["proofValue"]
                == "z46d7hRfru3CJAHj8PVXFGXy9bvYGBgZ3UJtKAbKie87pnNMwdH7DjtdrWN3EswFq9dSi6U2yTDc5xjSVc12PxKiT")
    }

    @Test func `the sample credential with a proof over JSON is genuine`() {
        let report = ProofSample().report
        #expect(report.result == .genuine, "\(report.checks.filter { $0.outcome != .passed })")
        #expect(report.content.signatures.map(\.isValid) == [true])
        #expect(report.content.issuer == Signer.edwards.did)
    }

    @Test(.enabled(if: OutsideVectors.arePresent, "\(OutsideVectors.skipped)"))
    func `the published proof over JSON is valid, and whether its key is the issuer's is not known`() throws {
        let bytes = try OutsideVectors.contents(of: "credentials/vc-di-eddsa/eddsa-jcs-2022/signedJCS.json")
        let report = CredentialVerifier(ProofSample().request).verify(bytes)
        #expect(report.content.signatures.map(\.isValid) == [true])
        #expect(report.result == .notChecked)
        #expect(report.carries(.keyUnresolved))
        let document = try #require(try JSONValue(parsing: bytes).object)
        let proof = try LinkedDataProof(try #require(document["proof"]?.object), at: .pointer("/proof"))
        var unsecured = document
        unsecured["proof"] = nil
        let published = try OutsideVectors.contents(of: "credentials/vc-di-eddsa/eddsa-jcs-2022/combinedHashJCS.txt")
        let hash = Hex.encode(try JCSProofHash.hash(of: proof, over: unsecured, .sha256))
        #expect(hash.utf8.elementsEqual(published.filter { $0 > 32 }))
    }

    @Test(arguments: SignedJSONForgeries.all) func `a forged proof over JSON is refused for what was changed`(
        _ forgery: Forgery<ProofSample>
    ) {
        var sample = ProofSample()
        forgery.change(&sample)
        let report = sample.report
        #expect(report.result == forgery.result, "\(report.checks.filter { $0.outcome != .passed })")
        #expect(report.carries(forgery.code), "\(report.checks.filter { $0.outcome != .passed })")
    }

    @Test(arguments: SignedJSONForgeries.twins) func `a credential changed only to equivalent JSON is still genuine`(
        _ twin: Forgery<ProofSample>
    ) {
        var sample = ProofSample()
        twin.change(&sample)
        let report = sample.report
        #expect(report.result == .genuine, "\(report.checks.filter { $0.outcome != .passed })")
    }

    @Test func `JSON-LD contexts appended after signing a proof over JSON are left out of the claims`() {
        var sample = ProofSample()
        sample.edit = { document in
            document["@context"] = .strings(["https://www.w3.org/ns/credentials/v2", "https://example.org/more"])
        }
        let report = sample.report
        #expect(report.result == .genuine)
        #expect(report.content.claims?["@context"] == .strings(["https://www.w3.org/ns/credentials/v2"]))
        #expect(!report.content.notes.isEmpty)
    }

    @Test(arguments: ["9007199254740993", "1e400", "0.10000000000000000001", "123456789012345678901"])
    func `a JSON number that no double holds is refused in the canonical form of a proof`(_ text: String) throws {
        let value = try JSONValue(parsing: Array(text.utf8))
        #expect(Thrown.code { _ = try JCSProofHash.canonical(["n": value]) } == .parseJSON)
    }

    @Test(arguments: [
        ("1.0", "1"), ("1.50", "1.5"), ("-0", "0"), ("1e3", "1000"), ("100e-2", "1"), ("0.1", "0.1"), ("0e9", "0"),
        ("1e-7", "1e-7"), ("9007199254740991", "9007199254740991"),
    ])
    func `a JSON number that a double holds is signed in its shortest canonical form`(
        _ text: String, _ canonical: String
    ) throws {
        let value = try JSONValue(parsing: Array(text.utf8))
        #expect(String(decoding: try JCSProofHash.canonical(["n": value]), as: UTF8.self) == #"{"n":\#(canonical)}"#)
    }
}
