import ByteCoding
import CryptoSuite
import JSON
import LinkedData
import TestSupport
import Testing

@testable import Credentials

/// Documents that issuers in the field made.
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

    /// The contexts that the issuers name and that are not built in.
    private static func contexts(acceptLabels: Bool) throws -> [PinnedJSONLDContext] {
        try [
            ("https://piyush7034.github.io/my-files/farmer.json", "farmer"),
            ("https://vharsh.github.io/DID/SchoolCredential.json", "school"),
            ("https://api.collab.mosip.net/.well-known/mosip-ida-context.json", "mosip-ida"),
        ].map { try Samples.pin($0.0, "credentials/inji/contexts/\($0.1)-context.json", acceptsLabels: acceptLabels) }
            + [try Samples.pin(inline: #"{"sec":"https://w3id.org/security#"}"#)]
    }

    private static func report(_ name: String, acceptLabels: Bool = true) throws -> CredentialReport {
        var trust = try trust()
        trust.contexts = try contexts(acceptLabels: acceptLabels)
        // 2025-06-01T00:00:00Z
        let request = VerificationRequest.sample(at: 1_748_736_000, trust)
        return CredentialVerifier(request).verify(try OutsideVectors.contents(of: folder + name))
    }

    @Test(arguments: [
        ("Ed25519Signature2018SignedVC-did.json", "4f2b3244e22f15a7"), ("RS256SignedMosipVC.json", "07750d19e55b0b9d"),
    ])
    func `the RDF statements of an issued proof have the hash that other programs compute`(
        _ name: String, _ hash: String
    ) throws {
        let object = try #require(try Samples.json(Self.folder + name)["proof"]?.object)
        let proof = try LinkedDataProof(object, at: .pointer("/proof"))
        #expect(Hex.encode(try ProofOptions(proof, .usual).hash()).hasPrefix(hash))
    }

    @Test func `an issued JSON-LD credential is genuine if its pinned context accepts synonymous names`() throws {
        let report = try Self.report("Ed25519Signature2018SignedVC-did.json")
        #expect(report.result == .genuine, "\(report.checks.filter { $0.outcome != .passed })")
        let notes = report.content.notes.joined()
        for name in ["landOwnershipType", "primaryCropType", "secondaryCropType"] { #expect(notes.contains(name)) }
    }

    @Test func `synonymous names in a JSON-LD context leave an issued credential not checked`() throws {
        let report = try Self.report("Ed25519Signature2018SignedVC-did.json", acceptLabels: false)
        #expect(report.result == .notChecked)
        #expect(report.carries(.ldLabelAmbiguous))
        #expect(report.content.signatures.map(\.isValid) == [true])
    }

    @Test func `a credential whose valid signature covers no claim is refused`() throws {
        let report = try Self.report("RS256SignedMosipVC.json")
        #expect(report.result == .refused)
        for code in [CredentialError.Code.ldTermDropped, .vcMissingMember, .timeExpired] {
            #expect(report.carries(code), "\(code)")
        }
        #expect(report.content.signatures.map(\.isValid) == [true])
    }

    @Test func `an issued JSON-LD credential that was changed is refused`() throws {
        let report = try Self.report("tamperedVC.json")
        #expect(report.result == .refused, "\(report.checks.filter { $0.outcome != .passed })")
        #expect(report.carries(.sigInvalid))
    }

    @Test(arguments: [
        ("Ed25519Signature2018SignedVC-did.json", "83ea85b4d4f2aca9"), ("RS256SignedMosipVC.json", "c9b24d7805896701"),
    ])
    func `the RDF statements of an issued credential have the hash that other programs compute`(
        _ name: String, _ hash: String
    ) throws {
        var document = try #require(try Samples.json(Self.folder + name).object)
        document["proof"] = nil
        var request = VerificationRequest.sample(try Self.trust())
        request.trust.contexts = try Self.contexts(acceptLabels: true)
        let statements = try RDFStatementReader(request).read(document)
        #expect(Hex.encode(SHA256.hash(try RDFCanonicalForm(of: statements.dataset).quads)).hasPrefix(hash))
    }
}
