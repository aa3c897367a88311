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

    private static func verify(_ bytes: [UInt8], statements: String) throws -> CredentialReport {
        let quads = try OutsideVectors.contents(of: folder + statements)
        let reader = StatementReader { (_: JSONObject) throws(CredentialError) in
            do throws(LinkedDataError) {
                return DocumentStatements(dataset: try NQuadsReader.read(quads))
            } catch {
                throw CredentialError(error)
            }
        }
        return LinkedDataVerifier(ProofSample().request, reader: reader).verify(bytes)
    }

    @Test(arguments: [
        ("eddsa-rdfc-2022/signedDataInt.json", "eddsa-rdfc-2022/canonDocDataInt.txt"),
        ("eddsa-rdfc-2022/employ/signedDataInt.json", "eddsa-rdfc-2022/employ/canonDocDataInt.txt"),
        ("Ed25519Signature2020/signedEdSig.json", "Ed25519Signature2020/canonDocEdSig.txt"),
        ("proof-set-chain/signedProofSet1.json", "eddsa-rdfc-2022/canonDocDataInt.txt"),
        ("proof-set-chain/signedProofSet2.json", "eddsa-rdfc-2022/canonDocDataInt.txt"),
    ])
    func `a published signature is valid, and not one of the issuer that is named`(
        _ signed: String, _ statements: String
    ) throws {
        let report = try Self.verify(try OutsideVectors.contents(of: Self.folder + signed), statements: statements)
        let results = Set(report.content.signatures.map(\.isValid))
        #expect(results == [true], "\(report.checks.filter { $0.outcome != .passed })")
        #expect(report.result == .refused)
        #expect(report.carries(.issMismatch))
    }

    @Test func `the proofs of a published chain have the hashes that other programs compute`() throws {
        let document = try #require(try Samples.json(Self.folder + "proof-set-chain/signedProofChain2.json").object)
        let secured = try SecuredDocument(document, limits: VerificationLimits())
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
