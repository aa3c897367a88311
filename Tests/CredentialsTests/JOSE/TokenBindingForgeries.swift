import JSON

@testable import Credentials

/// Tokens whose spelling, audience, status or holder is not what it must be.
enum TokenBindingForgeries {
    typealias Entry = Forgery<JWTSample>

    /// A credential without a subject that names a key in `cnf`.
    private static func bound(to signer: Signer) -> JWTSample {
        var credential = JWTSample()
        credential.payload["credentialSubject"] = ["name": "Ada"]
        credential.payload["cnf"] = .object(["jwk": .object(signer.jwk)])
        return credential
    }

    /// The issuer with one type that it may issue.
    private static func restrict(_ sample: inout JWTSample, to types: [String]) {
        var entry = TrustedIssuer(Signer.p256.did)
        entry.types = types
        sample.request.trust.issuers = [entry]
    }

    static let all: [Entry] = [
        Entry(46, "a second type that the issuer may not issue", .trustIssuer) { sample in
            sample.payload["type"] = .strings(["VerifiableCredential", "FarmerCredential", "IdentityCredential"])
            restrict(&sample, to: ["FarmerCredential"])
        },
        Entry(46, "no type where the issuer may issue one", .trustIssuer) { sample in
            sample.payload["type"] = .strings(["VerifiableCredential"])
            restrict(&sample, to: ["FarmerCredential"])
        },
        Entry(57, "a subject in the token that is another's", .jwtMapping) { $0.payload["sub"] = "did:example:other" },
        Entry(57, "an identifier in the token that is another", .jwtMapping) { sample in
            sample.payload["id"] = "urn:uuid:1"
            sample.payload["jti"] = "urn:uuid:2"
        },
        Entry(11, "an algorithm with a letter of the same normal form", .algUnknown) { sample in
            sample.signer = .k1
            sample.header["alg"] = "ES256\u{212A}"
            sample.header["kid"] = .string(Signer.k1.method)
            sample.payload["issuer"] = .string(Signer.k1.did)
        },
        Entry(45, "an issuer with another normal form", .issMismatch) { sample in
            sample.pin([Signer.p256.jwk], for: "https://issuer.example/caf\u{E9}")
            sample.request.trust.keys = [
                PinnedKey(
                    address: "https://issuer.example/key",
                    document: .object([
                        "id": "https://issuer.example/key", "controller": "https://issuer.example/caf\u{E9}",
                        "type": "JsonWebKey2020", "publicKeyJwk": .object(Signer.p256.jwk),
                    ]), issuers: ["https://issuer.example/caf\u{E9}"])
            ]
            sample.header["kid"] = "https://issuer.example/key"
            sample.payload["issuer"] = "https://issuer.example/cafe\u{301}"
        },
        Entry(61, "a type that is no text", .vcType) {
            $0.payload["type"] = .array(["VerifiableCredential", .int(5)])
        },
        Entry(63, "contexts other than those of the issuer", .ctxUnpinned) { sample in
            var entry = TrustedIssuer(Signer.p256.did)
            entry.contexts = ["https://www.w3.org/ns/credentials/v2", "https://contexts.example/person/v1"]
            sample.request.trust.issuers = [entry]
        },
        Entry(64, "a credential for another verifier", .vpDomain) { sample in
            sample.payload["aud"] = "https://other.example"
            sample.request.policy.audience = "https://verifier.example"
        },
        Entry(13, "a credential for this verifier without a proof of the holder", .kbMissing) { sample in
            sample.payload["aud"] = .strings(["https://verifier.example"])
            sample.request.policy.audience = "https://verifier.example"
        },
        Entry(13, "a credential where a nonce was given out", .kbMissing) { $0.request.policy.nonce = "n" },
        Entry(17, "a list that does not say its name", .stUri, .notChecked) { sample in
            BitstringSample(bits: []).put(into: &sample, index: 5, isNamed: false)
        },
        Entry(69, "bound to another's key, presented by its subject", .holderUnbound) { sample in
            var credential = bound(to: Signer.p256)
            credential.payload["credentialSubject"] = ["id": .string(Signer.holder.did)]
            sample = .presentation(of: credential.text)
        },
        Entry(69, "bound to another's key, without a subject", .holderUnbound) { sample in
            sample = .presentation(of: bound(to: Signer.p256).text)
        },
        Entry(69, "a bearer's credential where the holder is demanded", .holderUnbound, .notChecked) { sample in
            var credential = JWTSample()
            credential.payload["credentialSubject"] = ["name": "Ada"]
            sample = .presentation(of: credential.text)
            sample.request.policy.requiresHolderProof = true
        },
        Entry(69, "an SD-JWT of another holder in a presentation", .holderUnbound) { sample in
            var credential = SDSample()
            credential.holderSigner = nil
            credential.payload["cnf"] = .object(["jwk": .object(Signer.stranger.jwk)])
            sample = .presentation(of: credential.text, media: "dc+sd-jwt")
            sample.request.trust.issuers = credential.request.trust.issuers
        },
        Entry(71, "revoked by a list that tokens name", .stRevoked) { sample in
            let list = StatusSample.ofKey(value: 1)
            sample.payload["status"] = .object([
                "status_list": .object(["idx": .int(list.index), "uri": .string(list.address)])
            ])
            sample.request.trust.statusLists = [list.pinned]
        },
        Entry(88, "a list without a name", .stUri, .notChecked) { sample in
            BitstringSample(bits: []).put(into: &sample, index: 5, isNamed: false)
            sample.request.policy.setDemand(.required, on: .status)
        },
        Entry(
            0, "a list by a key that was revoked", .stSig, nil, addList(["revoked": "2024-01-01T00:00:00Z"])),
        Entry(
            0, "a list under a name whose key is another's", .stSig, nil,
            addList([:]) { list in
                list.header["kid"] = .string(Signer.stranger.method)
                list.signer = .stranger
            }),
        Entry(88, "a list of the future", .stForm, .notChecked) { sample in
            var list = BitstringSample(bits: [])
            list.begin = "2026-01-01T00:00:00Z"
            list.put(into: &sample, index: 5)
        },
    ]

    /// A list that another issuer signs, by a key of its document with these members more.
    private static func addList(
        _ more: JSONObject, _ change: @escaping @Sendable (inout StatusSample) -> Void = { _ in }
    ) -> @Sendable (inout JWTSample) -> Void {
        { sample in
            let did = "did:web:list.example"
            var method: JSONObject = [
                "id": .string(did + "#1"), "type": "JsonWebKey2020", "controller": .string(did),
                "publicKeyJwk": .object(Signer.holder.jwk),
            ]
            for member in more { method[member.name] = member.value }
            var (issuer, other) = (TrustedIssuer(Signer.p256.did), TrustedIssuer(did))
            issuer.statusIssuers = [did]
            other.document = .object([
                "id": .string(did), "verificationMethod": .array([.object(method)]),
                "assertionMethod": .strings([did + "#1"]),
            ])
            sample.request.trust.issuers = [issuer, other]
            var list = StatusSample(value: 0)
            list.claims["iss"] = .string(did)
            list.header["kid"] = .string(did + "#1")
            list.signer = .holder
            change(&list)
            sample.payload["status"] = .object([
                "status_list": .object(["idx": .int(list.index), "uri": .string(list.address)])
            ])
            sample.request.trust.statusLists = [list.pinned]
        }
    }

    static let twins: [Entry] = [
        Entry(22, "a good entry of a list of another issuer", .sigInvalid, .genuine, addList([:])),
        Entry(13, "bound to a key, presented with that key", .sigInvalid, .genuine) { sample in
            sample = .presentation(of: bound(to: Signer.holder).text)
            sample.request.policy.requiresHolderProof = true
        },
        Entry(14, "exactly the contexts of the issuer", .sigInvalid, .genuine) { sample in
            var entry = TrustedIssuer(Signer.p256.did)
            entry.contexts = ["https://www.w3.org/ns/credentials/v2"]
            sample.request.trust.issuers = [entry]
        },
        Entry(15, "an SD-JWT of the presenter in a presentation", .sigInvalid, .genuine) { sample in
            var credential = SDSample()
            credential.holderSigner = nil
            sample = .presentation(of: credential.text, media: "dc+sd-jwt")
            sample.request.trust.issuers = credential.request.trust.issuers
            sample.request.policy.requiresHolderProof = true
        },
        Entry(16, "a good entry of a list that tokens name", .sigInvalid, .genuine) { sample in
            let list = StatusSample.ofKey(value: 0)
            sample.payload["status"] = .object([
                "status_list": .object(["idx": .int(list.index), "uri": .string(list.address)])
            ])
            sample.request.trust.statusLists = [list.pinned]
        },
        Entry(18, "a list that names itself as its own status", .sigInvalid, .genuine) { sample in
            BitstringSample(bits: []).put(into: &sample, index: 5, selfReferring: true)
        },
    ]
}
