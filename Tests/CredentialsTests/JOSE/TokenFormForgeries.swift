import JSON

@testable import Credentials

/// Tokens that break one rule of their form, their times, their subject or their status, and no other one.
enum TokenFormForgeries {
    typealias Entry = Forgery<JWTSample>

    static let all = shapes + claims + status

    private static func presenting(
        _ change: @escaping @Sendable (inout JWTSample) -> Void
    ) -> @Sendable (inout JWTSample) -> Void {
        { sample in
            sample = .presentation(of: JWTSample().text)
            change(&sample)
        }
    }

    /// A presentation of version 1.1 by the subject of its credential.
    private static var formerPresentation: JWTSample {
        let credential = JWTSample.former.text
        var sample = JWTSample.presentation(of: credential)
        sample.header["typ"] = "JWT"
        sample.payload = [
            "iss": .string(Signer.holder.did), "aud": "https://verifier.example", "nonce": "n-1",
            "vp": .object([
                "@context": .strings(["https://www.w3.org/2018/credentials/v1"]),
                "type": .strings(["VerifiablePresentation"]), "verifiableCredential": .strings([credential]),
            ]),
        ]
        return sample
    }

    private static let shapes: [Entry] = [
        Entry(0, "a claim vp in a token for credentials", .jwtForm) { $0.payload["vp"] = .object(JSONObject()) },
        Entry(0, "a presentation in a token for credentials", .jwtTyp) {
            $0.payload["type"] = .strings(["VerifiableCredential", "VerifiablePresentation"])
        },
        Entry(
            0, "a claim vc in a token for presentations", .jwtForm, nil,
            presenting { $0.payload["vc"] = .object(JSONObject()) }),
        Entry(
            0, "a claim vp in a token for presentations", .jwtForm, nil,
            presenting { $0.payload["vp"] = .object(JSONObject()) }),
        Entry(
            0, "a presentation of version 1.1 inside another", .jwtTyp, nil,
            presenting { $0.payload["verifiableCredential"] = .strings([formerPresentation.text]) }),
        Entry(0, "a character behind the signature", .parseBase64) { $0.edit = { $0 + "*" } },
        Entry(0, "a header that says that the payload is in base 64", .algB64) { $0.header["b64"] = .bool(true) },
    ]

    private static let claims: [Entry] = [
        Entry(0, "two subjects under one sub", .jwtMapping) { sample in
            sample = .former
            let subjects: [JSONValue] = [
                .object(["id": .string(Signer.holder.did)]), .object(["id": .string(Signer.stranger.did)]),
            ]
            sample.setFormer("credentialSubject", .array(subjects))
        },
        Entry(0, "version 1.1 without a beginning", .vcMissingMember) { sample in
            sample = .former
            sample.payload["nbf"] = nil
            sample.setFormer("issuanceDate", nil)
        },
        Entry(0, "nbf after exp, both within the tolerance", .timeOrder) { sample in
            sample.payload["nbf"] = .int(1_735_689_790)
            sample.payload["exp"] = .int(1_735_689_730)
        },
        Entry(0, "a credential where a proof of the holder is demanded", .kbMissing) {
            $0.request.policy.requiresHolderProof = true
        },
        Entry(0, "a type that the issuer may not issue", .trustIssuer) { sample in
            var entry = TrustedIssuer(Signer.p256.did)
            entry.types = ["Other"]
            sample.request.trust.issuers = [entry]
        },
    ]

    private static func list(
        _ change: @escaping @Sendable (inout BitstringSample) -> Void
    ) -> @Sendable (inout JWTSample) -> Void {
        { sample in
            var list = BitstringSample(bits: [])
            change(&list)
            list.put(into: &sample, index: 5)
        }
    }

    private static let status: [Entry] = [
        Entry(0, "a list without its type", .stForm, .notChecked, list { $0.types = ["VerifiableCredential"] }),
        Entry(0, "a list whose subject has another type", .stForm, .notChecked, list { $0.subjectType = "Other" }),
        Entry(0, "a list without the letter of its base", .stForm, .notChecked, list { $0.base = "" }),
        Entry(0, "an index with a zero before it", .stForm, nil, list { $0.indexText = "05" }),
        Entry(0, "a negative index", .stForm, nil, list { $0.indexText = "-5" }),
        Entry(0, "a status of 65 bits", .stForm, nil, list { $0.size = 65 }),
    ]
}
