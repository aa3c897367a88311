import ByteCoding
import Determinism
import JSON
import TestSupport
import Testing

@testable import Credentials

/// Documents that issuers in the field made, whose statements are not read here.
@Suite(.enabled(if: OutsideVectors.arePresent, "\(OutsideVectors.skipped)")) struct IssuedDocumentTests {
    private static let folder = "credentials/inji/ldp_vc/"

    /// A store that pins the keys of the issuers.
    private static func trust() throws -> TrustStore {
        var trust = TrustStore()
        var issuer = TrustedIssuer("did:web:vharsh.github.io:DID:local")
        issuer.document = try Samples.json(folder + "public_key/didEdPublicKey.json")
        trust.issuers = [issuer]
        trust.keys = try ["httpsMockKey", "idaPublicKey"].map { name in
            let document = try Samples.json(folder + "public_key/\(name).json")
            return PinnedKey(
                address: document["id"]?.string ?? "", document: document,
                issuers: [document["controller"]?.string ?? ""])
        }
        return trust
    }

    private static func report(_ name: String) throws -> CredentialReport {
        // 2025-06-01T00:00:00Z
        let request = VerificationRequest.sample(at: 1_748_736_000, try trust())
        return CredentialVerifier(request).verify(try OutsideVectors.contents(of: folder + name))
    }

    @Test(arguments: [
        ("Ed25519Signature2018SignedVC-did.json", "4f2b3244e22f15a7"), ("RS256SignedMosipVC.json", "07750d19e55b0b9d"),
    ])
    func `the statements of an issued proof have the hash that other programs compute`(
        _ name: String, _ hash: String
    ) throws {
        let object = try #require(try Samples.json(Self.folder + name)["proof"]?.object)
        let proof = try LinkedDataProof(object, at: .pointer("/proof"))
        #expect(Hex.encode(try ProofOptions(proof, .usual).hash()).hasPrefix(hash))
    }

    @Test(arguments: ["Ed25519Signature2018SignedVC-did.json", "tamperedVC.json"])
    func `a document whose statements are not read is not checked`(_ name: String) throws {
        let report = try Self.report(name)
        #expect(report.result == .notChecked, "\(report.checks.filter { $0.outcome != .passed })")
        #expect(report.carries(.formatUnknown))
        for kind in [CredentialCheck.Kind.parse, .form, .algorithm, .key, .keyPurpose, .issuer, .trust, .time] {
            #expect(report.checks.contains { $0.kind == kind && $0.outcome == .passed }, "\(kind)")
        }
        #expect(report.checks.allSatisfy { $0.kind != .signature || $0.outcome == .notDone })
    }

    @Test func `a document that has expired and lacks a member is refused without its statements`() throws {
        let report = try Self.report("RS256SignedMosipVC.json")
        #expect(report.result == .refused)
        #expect(report.carries(.vcMissingMember))
        #expect(report.carries(.timeExpired))
        #expect(report.checks.contains { $0.kind == .algorithm && $0.outcome == .passed })
    }
}
