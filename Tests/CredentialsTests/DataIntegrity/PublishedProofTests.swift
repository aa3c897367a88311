import ByteCoding
import CryptoSuite
import JSON
import LinkedData
import TestSupport
import Testing

@testable import Credentials

/// Proofs that the W3C published, over the statements that it published.
@Suite(.enabled(if: OutsideVectors.arePresent, "\(OutsideVectors.skipped)")) struct PublishedProofTests {
    private static let folder = "credentials/vc-di-eddsa/"

    /// A request whose trust store pins the contexts of the examples.
    private static func request() throws -> VerificationRequest {
        var request = ProofSample().request
        request.trust.contexts = try [
            ("https://www.w3.org/ns/credentials/examples/v2", "ex-v2"),
            ("https://w3id.org/citizenship/v4rc1", "citizenship-v4rc1"),
            ("https://www.w3.org/2018/credentials/examples/v1", "ex-v1"),
        ].map { try Samples.pin($0.0, "credentials/contexts/\($0.1).json") }
        return request
    }

    @Test(arguments: [
        ("eddsa-rdfc-2022/signedDataInt.json", CredentialReport.CredentialVerdict.notChecked),
        ("eddsa-rdfc-2022/employ/signedDataInt.json", .refused),
        ("Ed25519Signature2020/signedEdSig.json", .notChecked), ("proof-set-chain/signedProofSet1.json", .notChecked),
        ("proof-set-chain/signedProofSet2.json", .notChecked), ("proof-set-chain/signedProofChain1.json", .notChecked),
        ("proof-set-chain/signedProofChain2.json", .notChecked),
    ])
    func `a published signature is valid, of a key that an issuer with an address may have and another did:key may not`(
        _ signed: String, _ result: CredentialReport.CredentialVerdict
    ) throws {
        let report = LinkedDataVerifier(try Self.request()).verify(
            try OutsideVectors.contents(of: Self.folder + signed))
        let results = Set(report.content.signatures.map(\.isValid))
        #expect(results == [true], "\(report.checks.filter { $0.outcome != .passed })")
        #expect(report.result == result)
        #expect(report.carries(result == .refused ? .issMismatch : .keyUnresolved))
        for kind in [CredentialCheck.Kind.contexts, .coverage, .labels, .signature] {
            #expect(report.checks.contains { $0.kind == kind && $0.outcome == .passed }, "\(kind)")
        }
    }

    @Test func `the proofs of a published chain have the hashes that other programs compute`() throws {
        let document = try #require(try Samples.json(Self.folder + "proof-set-chain/signedProofChain2.json").object)
        let secured = try DocumentAndProofs(document)
        let hashes = try secured.entries.map { entry in
            let proof = try LinkedDataProof(entry.object, at: entry.location)
            return String(Hex.encode(try ProofOptions(proof, .usual).hash()).prefix(16))
        }
        #expect(hashes == ["eb39dbc5ffb37687", "10ab55052482f4ac", "1525a67027d749ca", "4d060ff1ad12ce31"])
        let third = try LinkedDataProof(secured.entries[2].object, at: secured.entries[2].location)
        let input = try secured.input(of: third)
        #expect(input["proof"]?.array?.count == 2)
        #expect(input["proof"]?[0]?["proofValue"] != nil)
    }
}
