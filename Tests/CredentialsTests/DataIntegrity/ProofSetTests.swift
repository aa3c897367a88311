import JSON
import Testing

@testable import Credentials

/// Credentials with several proofs, one of a suite that is not known.
@Suite struct ProofSetTests {
    private static let unknown: JSONObject = [
        "type": "DataIntegrityProof", "cryptosuite": "other-suite-2030", "created": ProofSample.created,
        "verificationMethod": .string(Signer.edwards.method), "proofPurpose": "assertionMethod", "proofValue": "u1",
    ]

    /// A credential with a proof of a suite and others beside it.
    private static func sample(
        _ suite: String = "eddsa-rdfc-2022", beside others: @escaping @Sendable (JSONValue) -> [JSONValue]
    ) -> ProofSample {
        var sample = ProofSample.statements("DataIntegrityProof", .edwards, cryptosuite: suite)
        sample.edit = { $0["proof"] = .array(others($0["proof"] ?? .null)) }
        return sample
    }

    @Test(arguments: ["eddsa-rdfc-2022", "eddsa-jcs-2022"])
    func `a credential with the issuer's valid proof and one of an unknown suite is genuine`(_ suite: String) {
        for isFirst in [true, false] {
            let sample = Self.sample(suite) { isFirst ? [.object(Self.unknown), $0] : [$0, .object(Self.unknown)] }
            let report = sample.report
            #expect(report.result == .genuine, "\(report.checks.filter { $0.outcome != .passed })")
            let notes = report.checks.filter { $0.code == .algMismatch }
            #expect(notes.map(\.outcome) == [.passed])
            #expect(notes.map(\.location) == [.pointer(isFirst ? "/proof/0" : "/proof/1")])
        }
    }

    @Test func `a credential is genuine although a proof of an unknown suite names a valid one as previous`() {
        var sample = Self.sample { proof in
            var second = Self.unknown
            second["previousProof"] = "urn:x:1"
            return [proof, .object(second)]
        }
        sample.proof["id"] = "urn:x:1"
        #expect(sample.report.result == .genuine)
    }

    @Test func `a credential whose proof names one of an unknown suite as previous is not checked`() {
        var first = Self.unknown
        first["id"] = "urn:x:1"
        let previous = JSONValue.object(first)
        var sample = Self.sample { [previous, $0] }
        sample.proof["id"] = "urn:x:2"
        sample.proof["previousProof"] = "urn:x:1"
        sample.previous = [previous]
        let report = sample.report
        #expect(report.content.signatures.map(\.isValid) == [true])
        #expect(report.result == .notChecked)
        #expect(report.checks.contains { $0.code == .algMismatch && $0.outcome == .notDone })
    }

    @Test func `a selective-disclosure proof that names a previous proof leaves the credential not checked`() {
        let previous = JSONValue.object(Self.unknown)
        var sample = SelectiveForgeries.sample(isDerived: false)
        sample.edit = { document in
            guard var proof = document["proof"]?.object else { return }
            proof["previousProof"] = "urn:x:1"
            var first = previous.object ?? [:]
            first["id"] = "urn:x:1"
            document["proof"] = .array([.object(first), .object(proof)])
        }
        let report = sample.report
        #expect(report.result == .notChecked, "\(report.checks.filter { $0.outcome != .passed })")
        #expect(report.carries(.ldProofUnknownMember))
    }

    @Test func `a credential with an invalid proof and one of an unknown suite is refused`() {
        var sample = Self.sample { [$0, .object(Self.unknown)] }
        let add = sample.edit
        sample.edit = { document in
            add(&document)
            document["validFrom"] = "2024-01-01T00:00:00Z"
        }
        let report = sample.report
        #expect(report.result == .refused)
        #expect(report.carries(.sigInvalid))
        #expect(report.checks.contains { $0.code == .algMismatch && $0.outcome == .notDone })
    }

    @Test func `a credential with a stranger's valid proof and one of an unknown suite is refused`() {
        var sample = Self.sample { [$0, .object(Self.unknown)] }
        sample.document["issuer"] = .string(Signer.p256.did)
        let report = sample.report
        #expect(report.content.signatures.map(\.isValid) == [true])
        #expect(report.result == .refused)
        #expect(report.carries(.issMismatch))
        #expect(report.checks.contains { $0.code == .algMismatch && $0.outcome == .notDone })
    }

    @Test func `a presentation with its holder's valid proof and one of an unknown suite is genuine`() {
        var sample = PresentationProofTests.sample()
        let edit = sample.edit
        sample.edit = { document in
            edit(&document)
            var unknown = Self.unknown
            unknown["proofPurpose"] = "authentication"
            document["proof"] = .array([document["proof"] ?? .null, .object(unknown)])
        }
        #expect(sample.report.result == .genuine, "\(sample.report.checks.filter { $0.outcome != .passed })")
        sample.document["holder"] = .string(Signer.p256.did)
        #expect(sample.report.result == .refused)
    }
}
