import JSON

@testable import Credentials

/// Verdict forgeries of credentials with proofs inside.
extension VerdictForgeries {
    private static func restricted(_ sample: inout ProofSample, to types: [String]) {
        var entry = TrustedIssuer(Signer.edwards.did)
        entry.types = types
        sample.request.trust.issuers = [entry]
    }

    /// A presentation by `Signer.edwards` of a token that names a key in `cnf`.
    private static func presenting(tokenBoundTo signer: Signer, subject: String?) -> ProofSample {
        var token = JWTSample()
        token.payload["cnf"] = .object(["jwk": .object(signer.jwk)])
        token.payload["credentialSubject"] = subject.map { ["id": .string($0), "name": "Ada"] } ?? ["name": "Ada"]
        var sample = PresentationProofTests.sample()
        sample.document["verifiableCredential"] = .array([.string(token.text)])
        return sample
    }

    /// An issuer at an address whose document lists a did:key for one purpose.
    private static func listed(_ sample: inout ProofSample, for purpose: String, key: String = Signer.edwards.method) {
        sample.document["issuer"] = "https://issuer.example/me"
        var entry = TrustedIssuer("https://issuer.example/me")
        entry.document = .object(["id": "https://issuer.example/me", purpose: .strings([key])])
        sample.request.trust.issuers = [entry]
    }

    static let linkedData: [Forgery<ProofSample>] =
        [["Example"], ["Example", "Third"], ["Second"]].map { allowed in
            Forgery(0, "types \(allowed.joined(separator: " and ")) for a credential of two", .trustIssuer) { sample in
                sample.document["type"] = .strings(["VerifiableCredential", "Example", "Second"])
                restricted(&sample, to: allowed)
            }
        }
        + [
            Forgery(0, "no type where one is allowed", .trustIssuer) { restricted(&$0, to: ["Example"]) },
            Forgery(0, "an issuer whose document lists the key for presenting only", .issMismatch) {
                listed(&$0, for: "authentication")
            },
            Forgery(0, "an issuer whose document lists another key", .issMismatch) {
                listed(&$0, for: "assertionMethod", key: Signer.p256.method)
            },
            Forgery(0, "a key entry for another issuer", .issMismatch) { sample in
                sample.document["issuer"] = "https://issuer.example/me"
                sample.request.trust.keys = [
                    PinnedKey(
                        address: Signer.edwards.method, document: .object([:]), issuers: ["https://other.example"])
                ]
            },
            Forgery(0, "a did:key under an issuer that is not named", .keyUnresolved) {
                $0.document["issuer"] = "https://issuer.example/me"
            },
            Forgery(0, "a did:key under an issuer that is named without its keys", .keyUnresolved) { sample in
                sample.document["issuer"] = "https://issuer.example/me"
                sample.request.trust.issuers = [TrustedIssuer("https://issuer.example/me")]
            },
            Forgery(0, "a did:key under another did:key", .issMismatch) {
                $0.document["issuer"] = .string(Signer.p256.did)
            },
            Forgery(0, "a status of a type that is not known", .stUnknown) {
                $0.document["credentialStatus"] = ["id": "https://a.example/1", "type": "Other"]
            },
        ]
        + ([nil, Signer.edwards.did] as [String?]).map { subject in
            Forgery(0, "a token bound to another, \(subject == nil ? "of no one" : "of the presenter")", .holderUnbound)
            {
                $0 = presenting(tokenBoundTo: .stranger, subject: subject)
            }
        }
        + demandsOfHolder.map { demand in
            Forgery(0, "without a proof of the holder, \(demand.name)", .kbMissing) { demand.make(&$0.request.policy) }
        }

    static let linkedDataTwins: [Forgery<ProofSample>] = [
        Forgery(0, "all of its types allowed", .sigInvalid, .genuine) { sample in
            sample.document["type"] = .strings(["VerifiableCredential", "Example", "Second"])
            restricted(&sample, to: ["Second", "Example"])
        },
        Forgery(0, "an issuer whose document lists the did:key for issuing", .sigInvalid, .genuine) {
            listed(&$0, for: "assertionMethod")
        },
        Forgery(0, "a key entry for the issuer", .sigInvalid, .genuine) { sample in
            sample.document["issuer"] = "https://issuer.example/me"
            sample.request.trust.keys = [
                PinnedKey(
                    address: Signer.edwards.did, document: .object([:]), issuers: ["https://issuer.example/me"])
            ]
        },
        Forgery(0, "a token bound to the presenter, of no one", .sigInvalid, .genuine) {
            $0 = presenting(tokenBoundTo: .edwards, subject: nil)
        },
        Forgery(0, "a token bound to the presenter, of its child", .sigInvalid, .genuine) {
            $0 = presenting(tokenBoundTo: .edwards, subject: "did:example:child")
        },
    ]
}
