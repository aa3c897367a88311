import ByteCoding
import CryptoSuite
import JSON

@testable import Credentials

/// SD-JWTs that break one rule of their form, their certificates or their holder, and no other one.
enum SDFormForgeries {
    typealias Entry = Forgery<SDSample>

    static let all = disclosures + claims + certificates + status

    private static let disclosures: [Entry] = [
        Entry(0, "a salt that is a number", .sdMalformed) { $0.add(5, "a", "b") },
        Entry(0, "four elements in an array", .sdMalformed) { sample in
            let text = SDSample.disclosure("s", "a", "b", "c")
            sample.disclosures.append(text)
            sample.payload["more"] = .array([.object(["...": .string(SDSample.digest(text))])])
        },
        Entry(0, "a digest of an element outside an array", .sdReserved) {
            $0.payload["o"] = .object(["...": "x"])
        },
        Entry(0, "a second digest algorithm inside", .sdReserved) {
            $0.payload["o"] = .object(["_sd_alg": "sha-256"])
        },
        Entry(0, "disclosed arrays 100 deep in one another", .limitDepth) { sample in
            var text = SDSample.disclosure("s", "x")
            sample.disclosures.append(text)
            for _ in 0..<100 {
                let inner = JSONValue.array([.object(["...": .string(SDSample.digest(text))])])
                text = SDSample.disclosure("s", inner)
                sample.disclosures.append(text)
            }
            sample.payload["deep"] = .array([.object(["...": .string(SDSample.digest(text))])])
        },
    ]

    private static let claims: [Entry] = [
        Entry(0, "a type without a letter", .vcType) { $0.payload["vct"] = "" },
        Entry(0, "a holder whose key another document holds", .kbKey) { sample in
            let did = "did:web:holder.example"
            var entry = TrustedIssuer(did)
            entry.document = .object([
                "id": .string(did),
                "verificationMethod": .array([
                    .object([
                        "id": .string(did + "#1"), "type": "JsonWebKey2020", "controller": .string(did),
                        "publicKeyJwk": .object(Signer.holder.jwk),
                    ])
                ]), "authentication": .strings([did + "#1"]),
            ])
            sample.request.trust.issuers.append(entry)
            sample.payload["cnf"] = .object(["kid": .string(did + "#1")])
        },
    ]

    private static func put(
        _ change: @escaping @Sendable (inout CertificateSample) -> Void
    ) -> @Sendable (inout SDSample) -> Void {
        { sample in
            var certificates = CertificateSample()
            change(&certificates)
            certificates.put(into: &sample)
        }
    }

    private static let certificates: [Entry] = [
        Entry(0, "an issuer that is no text beside certificates", .vcType) { sample in
            CertificateSample().put(into: &sample)
            sample.payload["iss"] = 5
        },
        Entry(0, "a leaf that is not valid yet", .x5NotYet) { sample in
            put { $0.notBefore = 1_740_000_000 }(&sample)
            sample.payload["iat"] = nil
        },
        Entry(0, "a leaf issued by one that is no authority", .x5Ca, nil, put { $0.between = .stranger }),
        Entry(
            0, "a leaf of nobody's before a genuine authority", .x5Chain, nil,
            put { certificates in
                certificates.between = .authority
                certificates.isForeign = true
            }),
        Entry(0, "a certificate without its padding", .parseBase64) { sample in
            // Of four names of different lengths, one gives a certificate whose text is padded.
            for name in ["Issuer", "Issuer 1", "Issuer 12", "Issuer 123"] {
                put { $0.name = name }(&sample)
                guard let text = sample.header["x5c"]?[0]?.string, text.hasSuffix("=") else { continue }
                sample.header["x5c"] = .strings([String(text.prefix { $0 != "=" })])
                return
            }
        },
        Entry(0, "an empty array of certificates", .x5Chain) { sample in
            CertificateSample().put(into: &sample)
            sample.header["x5c"] = .array([])
        },
        Entry(0, "a pinned root that signs itself", .x5Ku) { sample in
            CertificateSample().put(into: &sample)
            guard let root = try? CertificateSample().rootCertificate() else { return }
            sample.header["x5c"] = .strings([Base64.encode(root)])
            sample.header["alg"] = "ES384"
            sample.signer = .p384
            sample.request.trust.roots = [
                TrustedRoot(certificate: root, purpose: .tokens(issuers: [SDSample.issuer], types: []))
            ]
        },
    ]

    private static let status: [Entry] = [
        Entry(0, "a negative index", .stForm) { sample in
            var list = StatusSample()
            list.index = -1
            sample.addStatus(list)
        },
        Entry(0, "a list by the right key that names another issuer", .stSig) { sample in
            var list = StatusSample()
            list.claims["iss"] = "https://other.example"
            sample.addStatus(list)
        },
        // With P-256 and SHA-256 the bytes that are signed are the same.
        Entry(0, "a list that names the algorithm of another curve", .stSig) { sample in
            var list = StatusSample()
            list.header["alg"] = "ES256K"
            sample.addStatus(list)
        },
    ]

    /// Forms in JSON, each with what it is and its answer.
    static func forms(
        of sample: SDSample
    ) -> [(name: String, object: JSONObject, answer: MobileDocumentForgery.Answer)] {
        var many = sample.json(general: true)
        if let first = many["signatures"]?[0], var other = first.object {
            other["header"] = nil
            many["signatures"] = .array([first] + [JSONValue](repeating: .object(other), count: 16))
        }
        return [
            ("a member in both headers", sample.json(unprotected: ["typ": "dc+sd-jwt"]), .refused(.sdMalformed)),
            ("a disclosure that is a number", sample.json(adding: 5), .refused(.sdMalformed)),
            ("an empty disclosure", sample.json(adding: ""), .refused(.sdMalformed)),
            ("17 signatures", many, .notChecked(.limitProofs)),
        ]
    }
}

extension SDSample {
    /// The flattened JSON form with one more value among the disclosures.
    fileprivate func json(adding value: JSONValue) -> JSONObject {
        var object = json()
        guard var header = object["header"]?.object else { return object }
        header["disclosures"] = .array((header["disclosures"]?.array ?? []) + [value])
        object["header"] = .object(header)
        return object
    }
}
