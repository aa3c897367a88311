import ByteCoding
import CryptoSuite
import JSON

@testable import Credentials

/// Credentials by keys and certificates that lie close to those of their issuer, and what issuers may issue.
enum IssuerForgeries {
    private static let address = "https://issuer.example/me"

    /// An issuer at an address that lets keys of others sign, by its document or a key entry.
    private static func named(
        document: JSONObject? = nil, key: String? = nil, signer: Signer = .p256,
        _ change: @escaping @Sendable (inout JWTSample) -> Void = { _ in }
    ) -> @Sendable (inout JWTSample) -> Void {
        { sample in
            sample.payload["issuer"] = .string(address)
            sample.signer = signer
            sample.header["alg"] = .string(signer.algorithm)
            sample.header["kid"] = .string(signer.method)
            if let document {
                var entry = TrustedIssuer(address)
                entry.document = .object(document)
                sample.request.trust.issuers = [entry]
            }
            if let key {
                sample.request.trust.keys = [PinnedKey(address: key, document: .object([:]), issuers: [address])]
            }
            change(&sample)
        }
    }

    private static func listing(_ method: JSONValue) -> JSONObject {
        ["id": .string(address), "assertionMethod": .array([method])]
    }

    private static func typed(_ types: [String], allowed: [String]) -> @Sendable (inout JWTSample) -> Void {
        { sample in
            sample.payload["type"] = .strings(types)
            var entry = TrustedIssuer(Signer.p256.did)
            entry.types = allowed
            sample.request.trust.issuers = [entry]
        }
    }

    static let tokens: [Forgery<JWTSample>] = [
        Forgery(
            0, "a key entry for the issuer with another key", .issMismatch, nil, named(key: Signer.stranger.method)),
        Forgery(
            0, "a key entry by the DID alone, for another issuer", .issMismatch, nil,
            named { sample in
                sample.request.trust.keys = [
                    PinnedKey(address: Signer.p256.did, document: .object([:]), issuers: ["https://other.example"])
                ]
            }),
        Forgery(
            0, "a document of the issuer that lists another's did:jwk", .issMismatch, nil,
            named(
                document: listing(.string(Signer.large.method)))),
        Forgery(
            0, "a document of the issuer that lists a key of another document", .issMismatch, nil,
            named(
                document: listing("did:web:other.example#1")
            ) { sample in
                var other = TrustedIssuer("did:web:other.example")
                other.document = .object([
                    "id": "did:web:other.example",
                    "verificationMethod": .array([
                        .object([
                            "id": "did:web:other.example#1", "type": "JsonWebKey2020",
                            "controller": "did:web:other.example", "publicKeyJwk": .object(Signer.p256.jwk),
                        ])
                    ]), "assertionMethod": .strings(["did:web:other.example#1"]),
                ])
                sample.header["kid"] = "did:web:other.example#1"
                sample.request.trust.issuers.append(other)
            }),
        Forgery(
            0, "the type of all credentials where another is allowed", .trustIssuer, nil,
            typed(
                ["VerifiableCredential"], allowed: ["Example"])),
    ]

    static let tokenTwins: [Forgery<JWTSample>] =
        ["PS384", "PS512"].map { name in
            Forgery(0, "a signature by \(name)", .sigInvalid, .genuine) { sample in
                sample.signer = .large
                sample.header["alg"] = .string(name)
                sample.header["kid"] = .string(Signer.large.method)
                sample.payload["issuer"] = .string(Signer.large.did)
            }
        } + [
            Forgery(
                0, "a key entry for the issuer with the did:key", .sigInvalid, .genuine, named(key: Signer.p256.did)),
            Forgery(
                0, "a document of the issuer that lists a did:jwk", .sigInvalid, .genuine,
                named(
                    document: listing(.string(Signer.large.method)), signer: .large)),
            Forgery(
                0, "a document of the issuer that holds the method whole", .sigInvalid, .genuine,
                named(
                    document: listing(["id": .string(Signer.p256.method)]))),
            Forgery(
                0, "the type of all credentials where it is allowed", .sigInvalid, .genuine,
                typed(
                    ["VerifiableCredential"], allowed: ["VerifiableCredential"])),
            Forgery(0, "a credential that names a name for its issuer", .sigInvalid, .genuine) { sample in
                sample.payload["issuer"] = .object(["id": .string(Signer.p256.did), "name": "Government of Utopia"])
            },
        ]

    // MARK: - Certificates

    private static func certified(
        _ issuer: String = SDSample.issuer, pinned: [String] = [], isLenient: Bool = false,
        _ change: @escaping @Sendable (inout CertificateSample) -> Void = { _ in },
        sample finish: @escaping @Sendable (inout SDSample) -> Void = { _ in }
    ) -> @Sendable (inout SDSample) -> Void {
        { sample in
            var certificates = CertificateSample()
            change(&certificates)
            certificates.put(into: &sample)
            sample.payload["iss"] = .string(issuer)
            sample.request.trust.roots = sample.request.trust.roots.map { root in
                var root = TrustedRoot(certificate: root.certificate, purpose: .tokens(issuers: pinned))
                root.isLenient = isLenient
                return root
            }
            finish(&sample)
        }
    }

    private static let otherUse: @Sendable (inout CertificateSample) -> Void = { $0.usage = [.keyCertSign] }

    /// A lenient root of another authority beside the one of the chain.
    private static func addLenient(_ sample: inout SDSample) {
        var other = CertificateSample()
        other.rootKey = .k1
        guard let certificate = try? other.rootCertificate() else { return }
        var root = TrustedRoot(certificate: certificate, purpose: .tokens(issuers: []))
        root.isLenient = true
        sample.request.trust.roots.append(root)
    }

    static let selective: [Forgery<SDSample>] = [
        Forgery(
            0, "a leaf of the host for an issuer without encryption", .issMismatch, nil,
            certified(
                "http://issuer.example")),
        Forgery(0, "a leaf of the host for a DID of it", .issMismatch, nil, certified("did:web:issuer.example")),
        Forgery(
            0, "a leaf of another address under a root for the issuer", .issMismatch, nil,
            certified(
                SDSample.issuer, pinned: [SDSample.issuer], { ($0.host, $0.uris) = (nil, ["https://other.example"]) })),
        Forgery(
            0, "a leaf of the beginning of the address", .issMismatch, nil,
            certified(
                SDSample.issuer + "/a", { ($0.host, $0.uris) = (nil, [SDSample.issuer]) })),
        Forgery(
            0, "a key for another use beside a lenient root", .x5Ku, nil,
            certified(SDSample.issuer, otherUse, sample: addLenient)),
        Forgery(
            0, "a certificate whose key is off its curve", .keyCurve, nil,
            certified(sample: { sample in
                guard case .ecdsa(let key) = Signer.p256, var leaf = try? CertificateSample().chain()[0],
                    let place = (0...(leaf.count - 32)).first(where: { Array(leaf[$0..<($0 + 32)]) == key.publicKey.y })
                else { return }
                leaf[place + 31] ^= 1
                sample.header["x5c"] = .strings([Base64.encode(leaf)])
            })),
    ]

    static let selectiveTwins: [Forgery<SDSample>] = [
        Forgery(
            0, "a leaf that names the address of the issuer", .sigInvalid, .genuine,
            certified {
                ($0.host, $0.uris) = (nil, [SDSample.issuer])
            }),
        Forgery(
            0, "a key for another use under a lenient root", .sigInvalid, .genuine,
            certified(
                SDSample.issuer, isLenient: true, otherUse)),
    ]
}
