import JSON

@testable import Credentials

/// Credentials and presentations of the W3C's data model that are SD-JWTs.
enum SDDataModelForgeries {
    typealias Entry = Forgery<SDSample>

    /// A credential bound to its holder, with the proof of the holder.
    static func makeCredential(_ sample: inout SDSample) {
        sample.header = ["alg": "ES256", "typ": "vc+sd-jwt", "kid": .string(Signer.p256.method)]
        sample.payload = JWTSample.credential
        sample.payload["cnf"] = .object(["jwk": .object(Signer.holder.jwk)])
        sample.disclosures = []
        sample.request.trust = JWTSample().request.trust
    }

    /// Makes such a credential and then changes it.
    private static func credential(
        _ change: @escaping @Sendable (inout SDSample) -> Void = { _ in }
    ) -> @Sendable (inout SDSample) -> Void {
        { sample in
            makeCredential(&sample)
            change(&sample)
        }
    }

    /// A presentation of a good credential.
    private static func presentation(
        type: JSONValue = "vp+sd-jwt", of media: String = "vc+jwt", _ text: String = JWTSample().text,
        _ change: @escaping @Sendable (inout SDSample) -> Void = { _ in }
    ) -> @Sendable (inout SDSample) -> Void {
        { sample in
            let presented = JWTSample.presentation(of: text, media: media)
            sample.header = presented.header
            sample.header["typ"] = type
            sample.payload = presented.payload
            sample.request = presented.request
            (sample.signer, sample.disclosures, sample.holderSigner) = (.holder, [], nil)
            change(&sample)
        }
    }

    private static var innerPresentation: String {
        var sample = SDSample()
        presentation()(&sample)
        return sample.text
    }

    static let all: [Entry] = [
        Entry(
            0, "a credential of the W3C with the proof of another", .kbSig, nil,
            credential {
                $0.holderSigner = .stranger
            }),
        Entry(
            0, "a credential of the W3C without the proof of its holder", .kbMissing, nil,
            credential {
                $0.holderSigner = nil
            }),
        Entry(
            0, "a credential of the W3C under the type of a presentation", .sdTyp, nil,
            credential {
                $0.header["typ"] = "vp+sd-jwt"
            }),
        Entry(0, "a presentation under the type of a credential", .sdTyp, nil, presentation(type: "vc+sd-jwt")),
        Entry(
            0, "a presentation as SD-JWT with another nonce", .vpChallenge, nil,
            presentation {
                $0.payload["nonce"] = "n-2"
            }),
        Entry(
            0, "a presentation as SD-JWT inside another", .sdTyp, nil,
            presentation(
                of: "vc+sd-jwt", innerPresentation)),
    ]

    static let twins: [Entry] = [
        Entry(0, "a credential of the W3C with the proof of its holder", .sigInvalid, .genuine, credential()),
        Entry(0, "a presentation as SD-JWT", .sigInvalid, .genuine, presentation()),
    ]
}
