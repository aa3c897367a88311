import JSON
import Testing

@testable import Credentials

/// Presentations with a proof inside.
@Suite struct PresentationProofTests {
    /// A presentation of the sample credential by its subject.
    static func sample(of credential: ProofSample = ProofSample()) -> ProofSample {
        var credential = credential
        credential.setClaim("id", .string(Signer.edwards.did))
        var sample = ProofSample()
        sample.document = [
            "@context": .strings(["https://www.w3.org/ns/credentials/v2"]),
            "type": .strings(["VerifiablePresentation"]), "holder": .string(Signer.edwards.did),
            "verifiableCredential": .array([.object(credential.signed)]),
        ]
        sample.proof["proofPurpose"] = "authentication"
        sample.proof["challenge"] = "n-1"
        sample.proof["domain"] = .strings(["https://other.example", "https://verifier.example"])
        sample.request.policy.nonce = "n-1"
        sample.request.policy.audience = "https://verifier.example"
        return sample
    }

    /// Forgeries of presentations, by the numbers of the list that test kits share.
    static let forgeries: [Forgery<ProofSample>] = [
        Forgery(78, "another challenge", .vpChallenge) { $0.proof["challenge"] = "N-1" },
        Forgery(79, "no challenge", .vpChallenge) { $0.proof["challenge"] = nil },
        Forgery(80, "another domain", .vpDomain) { $0.proof["domain"] = "https://other.example" },
        Forgery(80, "no domain", .vpDomain) { $0.proof["domain"] = nil },
        Forgery(82, "purpose", .keyPurpose) { $0.proof["proofPurpose"] = "assertionMethod" },
        Forgery(83, "credential of another", .holderUnbound) { sample in
            sample.document["verifiableCredential"] = .array([.object(ProofSample().signed)])
        },
        Forgery(84, "credential changed", .sigInvalid) { sample in
            var credential = ProofSample()
            credential.setClaim("id", .string(Signer.edwards.did))
            credential.edit = { $0["name"] = "x" }
            sample.document["verifiableCredential"] = .array([.object(credential.signed)])
        },
        Forgery(81, "another holder", .vpHolder) { $0.document["holder"] = .string(Signer.holder.did) },
        Forgery(79, "an old proof", .timeExpired) { $0.proof["created"] = "2024-12-31T23:00:00Z" },
        Forgery(95, "no credential", .vcMissingMember) { $0.document["verifiableCredential"] = [] },
        Forgery(95, "no proof", .vcMissingMember) { $0.edit = { $0["proof"] = nil } },
        Forgery(95, "too many credentials", .limitProofs) { sample in
            var credential = ProofSample()
            credential.setClaim("id", .string(Signer.edwards.did))
            sample.document["verifiableCredential"] = .array(
                Array(repeating: .object(credential.signed), count: 17))
        },
        Forgery(84, "a presentation inside", .vcType) { sample in
            sample.document["verifiableCredential"] = .array([.object(sample.signed)])
        },
        Forgery(84, "a credential too", .vcType) { sample in
            sample.document["type"] = .strings(["VerifiablePresentation", "VerifiableCredential"])
        },
    ]

    @Test func `a presentation by the subject of its credential is genuine`() {
        let report = Self.sample().report
        #expect(report.result == .genuine, "\(report.checks.filter { $0.outcome != .passed }) \(report.inner)")
        #expect(report.inner.count == 1)
        #expect(report.checks.contains { $0.kind == .holder && $0.outcome == .passed })
    }

    @Test(arguments: PresentationProofTests.forgeries)
    func `a forged presentation with a proof inside is refused for what was changed`(_ forgery: Forgery<ProofSample>) {
        var sample = Self.sample()
        forgery.change(&sample)
        let report = sample.report
        #expect(report.result == forgery.result, "\(report.checks.filter { $0.outcome != .passed })")
        #expect(report.carries(forgery.code), "\(report.checks.filter { $0.outcome != .passed })")
    }

    @Test func `a presented credential without a subject identifier leaves the holder not shown`() {
        var credential = ProofSample()
        credential.document["credentialSubject"] = ["name": "Ada"]
        var sample = Self.sample()
        sample.document["verifiableCredential"] = .array([.object(credential.signed)])
        let report = sample.report
        #expect(report.result == .notChecked)
        #expect(report.issuance == .genuine && report.holder == .notShown)
        #expect(report.checks.contains { $0.kind == .holder && $0.outcome == .notDone })
    }

    @Test func `a JWT credential inside a presentation with a proof over JSON is verified`() {
        var token = JWTSample()
        token.payload["credentialSubject"] = .object(["id": .string(Signer.edwards.did)])
        var sample = Self.sample()
        sample.document["verifiableCredential"] = .array([.string(token.text)])
        let report = sample.report
        #expect(report.result == .genuine, "\(report.checks.filter { $0.outcome != .passed }) \(report.inner)")
        #expect(report.inner.map(\.format) == [.jwt])
    }
}
