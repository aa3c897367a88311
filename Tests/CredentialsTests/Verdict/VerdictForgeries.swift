import ByteCoding
import JSON

@testable import Credentials

/// Credentials whose signature is right, and which stand wrong beside it: another holder, type, issuer or status.
enum VerdictForgeries {
    // MARK: - Tokens

    /// The forms in which `cnf` names the key of a holder.
    private static func confirmations(_ signer: Signer) -> [(name: String, value: JSONValue)] {
        [
            ("its key", .object(["jwk": .object(signer.jwk)])),
            ("its did:key", .object(["kid": .string(signer.method)])),
            (
                "its did:jwk",
                .object(["kid": .string("did:jwk:" + Base64URL.encode(JSONValue.object(signer.jwk).encoded) + "#0")])
            ),
        ]
    }

    private static let versions: [(name: String, isFormer: Bool)] = [("2.0", false), ("1.1", true)]

    private static func credential(isFormer: Bool, bound cnf: JSONValue, subject: String?) -> JWTSample {
        var sample = isFormer ? JWTSample.former : JWTSample()
        let value: JSONObject = subject.map { ["id": .string($0), "name": "Ada"] } ?? ["name": "Ada"]
        sample.payload["cnf"] = cnf
        guard isFormer, var inner = sample.payload["vc"]?.object else {
            sample.payload["credentialSubject"] = .object(value)
            return sample
        }
        inner["credentialSubject"] = .object(value)
        sample.payload["vc"] = .object(inner)
        sample.payload["sub"] = subject.map(JSONValue.string)
        return sample
    }

    private static let subjects: [(name: String, did: String?)] = [
        ("no subject", nil), ("the presenter as subject", Signer.holder.did),
        ("its holder as subject", Signer.p384.did),
    ]

    /// Bound to the key of another, with any subject; the presenter is `Signer.holder`.
    static let stolenTokens: [Forgery<JWTSample>] = versions.flatMap { version in
        subjects.flatMap { subject in
            confirmations(.stranger).map { cnf in
                Forgery(
                    0, "version \(version.name) bound to another by \(cnf.name), with \(subject.name)", .holderUnbound
                ) {
                    let credential = credential(isFormer: version.isFormer, bound: cnf.value, subject: subject.did)
                    $0 = .presentation(of: credential.text)
                }
            }
        }
    }

    /// Bound to the key of the presenter.
    static let boundTokens: [Forgery<JWTSample>] = versions.flatMap { version in
        subjects.flatMap { subject in
            confirmations(.holder).map { cnf in
                Forgery(
                    0, "version \(version.name) bound to its presenter by \(cnf.name), with \(subject.name)",
                    .sigInvalid,
                    .genuine
                ) {
                    let credential = credential(isFormer: version.isFormer, bound: cnf.value, subject: subject.did)
                    $0 = .presentation(of: credential.text)
                }
            }
        }
    }

    private static let strange: [(name: String, value: JSONValue)] = [
        ("an identifier list", .object(["identifier_list": .object(["id": "AAAA", "uri": "https://a.example/l"])])),
        ("a way that is not known", .object(["other": .object(["uri": "https://a.example/l"])])),
        ("nothing", .object([:])),
    ]

    private static func restricted(_ issuer: String, to types: [String], _ trust: inout TrustStore) {
        var entry = trust.issuer(issuer) ?? TrustedIssuer(issuer)
        entry.types = types
        trust.issuers.removeAll { $0.identifier == issuer }
        trust.issuers.append(entry)
    }

    static let tokens: [Forgery<JWTSample>] =
        stolenTokens
        + strange.map { status in
            Forgery(0, "a status by \(status.name)", .stUnknown) { $0.payload["status"] = status.value }
        }
        + [
            Forgery(0, "a status of a type that is not known", .stUnknown) {
                $0.payload["credentialStatus"] = ["id": "https://a.example/1", "type": "Other"]
            },
            Forgery(0, "two keys of the holder, outside and inside", .jwtMapping) { sample in
                sample = credential(isFormer: true, bound: confirmations(.holder)[0].value, subject: nil)
                var inner = sample.payload["vc"]?.object ?? [:]
                inner["cnf"] = confirmations(.stranger)[0].value
                sample.payload["vc"] = .object(inner)
            },
            Forgery(0, "a presentation signed ten days ago with the right nonce", .kbIat) { sample in
                sample = .presentation(of: JWTSample().text)
                sample.payload["iat"] = .int(1_735_689_760 - 864_000)
            },
            Forgery(0, "a presentation where no nonce was given out and the holder is demanded", .kbUnchecked) {
                sample in
                sample = .presentation(of: JWTSample().text)
                sample.request.policy.nonce = nil
            },
        ]
        + [["Example"], ["Other"], ["Other", "VerifiableCredential"]].enumerated().map { index, allowed in
            Forgery(0, "types \(allowed.joined(separator: " and ")) for a credential of two", .trustIssuer) { sample in
                sample.payload["type"] = .strings(["VerifiableCredential", "Example", "Second"])
                restricted(Signer.p256.did, to: allowed, &sample.request.trust)
            }
        }

    static let tokenTwins: [Forgery<JWTSample>] =
        boundTokens
        + [["Example"], ["Other", "Example"], ["Example", "VerifiableCredential"]].map { allowed in
            Forgery(0, "a type among \(allowed.joined(separator: " and "))", .sigInvalid, .genuine) { sample in
                restricted(Signer.p256.did, to: allowed, &sample.request.trust)
            }
        }
        + [
            Forgery(0, "the DID of the issuer as the name of its key", .sigInvalid, .genuine) {
                $0.header["kid"] = .string(Signer.p256.did)
            },
            Forgery(0, "the fragment of the key without its sign", .sigInvalid, .genuine) {
                $0.header["kid"] = .string(String(Signer.p256.method.dropFirst(Signer.p256.did.utf8.count + 1)))
            },
            Forgery(0, "an https issuer whose document lists the did:key", .sigInvalid, .genuine) { sample in
                sample.payload["issuer"] = "https://issuer.example/me"
                var entry = TrustedIssuer("https://issuer.example/me")
                entry.document = .object([
                    "id": "https://issuer.example/me", "assertionMethod": .strings([Signer.p256.method]),
                ])
                sample.request.trust.issuers = [entry]
            },
            Forgery(0, "an https issuer with a key entry for the did:key", .sigInvalid, .genuine) { sample in
                sample.payload["issuer"] = "https://issuer.example/me"
                sample.request.trust.keys = [
                    PinnedKey(
                        address: Signer.p256.method, document: .object([:]), issuers: ["https://issuer.example/me"])
                ]
            },
            Forgery(0, "a status that is optional", .sigInvalid, .genuine) { sample in
                sample.payload["status"] = strange[0].value
                sample.request.policy.isStatusOptional = true
            },
        ]

    // MARK: - SD-JWT

    /// The names that the leaf of a chain has, under a root for `https://issuer.example`.
    private static let hosts: [String?] = [nil, "issuer.example", "other.example", "sub.issuer.example"]

    private static func certified(_ sample: inout SDSample, host: String?, issuers: [String], types: [String] = []) {
        var certificates = CertificateSample()
        certificates.host = host
        certificates.put(into: &sample)
        sample.request.trust.roots = sample.request.trust.roots.map {
            TrustedRoot(certificate: $0.certificate, purpose: .tokens(issuers: issuers, types: types))
        }
    }

    private static func stripped(_ sample: inout SDSample, nonce: String?, audience: String?) {
        sample.holderSigner = nil
        sample.request.policy.nonce = nonce
        sample.request.policy.audience = audience
    }

    static let selective: [Forgery<SDSample>] =
        ["other.example", "sub.issuer.example"].map { (host: String) in
            Forgery(0, "a leaf of \(host) under a root for the issuer", .issMismatch) {
                certified(&$0, host: host, issuers: [SDSample.issuer])
            }
        }
        + [
            ("a root for another issuer", "https://other.example"),
            ("a root for a longer address", SDSample.issuer + "/a"),
        ]
        .map { name, issuer in
            Forgery(0, name, .x5Anchor) { certified(&$0, host: "issuer.example", issuers: [issuer]) }
        }
        + hosts.map { host in
            Forgery(0, "no issuer under a root that names one, leaf of \(host ?? "nobody")", .x5Anchor) { sample in
                certified(&sample, host: host, issuers: [SDSample.issuer])
                sample.payload["iss"] = nil
            }
        }
        + [String?.none, "issuer.example"].map { (host: String?) in
            Forgery(0, "a root for other types, leaf of \(host ?? "nobody")", .trustIssuer) {
                certified(&$0, host: host, issuers: [SDSample.issuer], types: ["https://other.example/vct"])
            }
        }
        + [
            Forgery(0, "types of the issuer's entry beside its root", .trustIssuer) { sample in
                certified(&sample, host: "issuer.example", issuers: [SDSample.issuer])
                restricted(SDSample.issuer, to: ["https://other.example/vct"], &sample.request.trust)
            },
            Forgery(0, "types of the issuer's entry", .trustIssuer) { sample in
                restricted(SDSample.issuer, to: ["https://other.example/vct"], &sample.request.trust)
            },
            Forgery(0, "stripped of its proof, with a nonce", .kbMissing) { stripped(&$0, nonce: "n", audience: nil) },
            Forgery(0, "stripped of its proof, with an audience", .kbMissing) {
                stripped(&$0, nonce: nil, audience: "a")
            },
            Forgery(0, "a proof where no nonce was given out and the holder is demanded", .kbUnchecked) { sample in
                sample.request.policy.nonce = nil
                sample.request.policy.audience = nil
                sample.request.policy.requiresHolderProof = true
            },
            Forgery(0, "a proof for the audience where no nonce was given out", .kbUnchecked) {
                $0.request.policy.nonce = nil
            },
            Forgery(0, "digests by SHA3-512", .sdAlg) { $0.payload["_sd_alg"] = "sha3-512" },
            Forgery(0, "a W3C credential under the type of another format", .sdTyp) { sample in
                sample.payload = JWTSample.credential
                sample.disclosures = []
            },
        ]
        + strange.map { status in
            Forgery(0, "a status by \(status.name)", .stUnknown) { $0.payload["status"] = status.value }
        }
        + [
            ("a list made tomorrow", "nbf", JSONValue.int(1_735_776_160)), ("a list of another type", "sub", "urn:x"),
        ].map { name, member, value in
            Forgery(0, name, member == "nbf" ? .stForm : .stUri, .notChecked) { sample in
                var list = StatusSample(value: 0)
                list.claims[member] = value
                sample.addStatus(list)
            }
        }

    static let selectiveTwins: [Forgery<SDSample>] =
        [String?.none, "issuer.example"].map { (host: String?) in
            Forgery(0, "a root for the issuer, leaf of \(host ?? "nobody")", .sigInvalid, .genuine) {
                certified(&$0, host: host, issuers: [SDSample.issuer])
            }
        }
        + [[SDSample.type], ["https://other.example/vct", SDSample.type]].map { types in
            Forgery(0, "a root for \(types.count) types", .sigInvalid, .genuine) {
                certified(&$0, host: "issuer.example", issuers: [SDSample.issuer], types: types)
            }
        }
        + [
            Forgery(0, "no issuer under a root for all", .sigInvalid, .genuine) { sample in
                certified(&sample, host: nil, issuers: [])
                sample.payload["iss"] = nil
            },
            Forgery(0, "the issuer as the name of its only key", .sigInvalid, .genuine) {
                $0.header["kid"] = .string(SDSample.issuer)
            },
            Forgery(0, "a claim issuer beside iss", .sigInvalid, .genuine) { sample in
                sample.payload["issuer"] = ["id": "did:web:gov.example", "name": "Government of Utopia"]
                sample.payload["validUntil"] = "2099-01-01T00:00:00Z"
            },
        ]
}
