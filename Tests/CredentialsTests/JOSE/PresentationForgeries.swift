import ByteCoding
import JSON

@testable import Credentials

/// Presentations that are tokens: when they were made, and what stands inside.
enum PresentationForgeries {
    typealias Entry = Forgery<JWTSample>

    private static func presenting(_ values: JSONValue...) -> @Sendable (inout JWTSample) -> Void {
        { sample in
            sample = .presentation(of: JWTSample().text)
            sample.payload["verifiableCredential"] = .array(values)
        }
    }

    /// A presentation of an SD-JWT, with the SD-JWT's issuer trusted.
    private static func presenting(
        _ credential: @escaping @Sendable () -> SDSample
    ) -> @Sendable (inout JWTSample) -> Void {
        { sample in
            let credential = credential()
            sample = .presentation(of: credential.text, media: "dc+sd-jwt")
            sample.request.trust.issuers = credential.request.trust.issuers
        }
    }

    private static func selective(subject: String?) -> SDSample {
        var credential = SDSample()
        credential.holderSigner = nil
        credential.payload["cnf"] = nil
        credential.payload["sub"] = subject.map(JSONValue.string)
        return credential
    }

    /// An SD-JWT with a proof of its own, which was made for a wallet.
    private static func proven(by signer: Signer) -> SDSample {
        var credential = SDSample()
        credential.holderPayload["aud"] = "https://wallet.example"
        credential.holderSigner = signer
        return credential
    }

    /// A credential of several subjects.
    private static func credential(of subjects: [String]) -> JSONValue {
        var credential = JWTSample()
        credential.payload["credentialSubject"] = .array(subjects.map { ["id": .string($0), "name": "Ada"] })
        return .string(credential.text)
    }

    static let all: [Entry] = [
        Entry(0, "the name of a key that is a number", .jwtForm) { $0.header["kid"] = .int(5) },
        Entry(0, "an issuer that is an empty object", .vcType) { $0.payload["issuer"] = .object([:]) },
        Entry(0, "an issuer that is a number", .vcType) { $0.payload["issuer"] = .int(5) },
        Entry(0, "a begin that is a number", .timeFormat) { $0.payload["validFrom"] = .int(5) },
        Entry(0, "revoked by its entry, and cleared by its token's status", .stRevoked) { sample in
            BitstringSample(bits: [5]).put(into: &sample, index: 5)
            let list = StatusSample.ofKey(value: 0)
            sample.payload["status"] = .object([
                "status_list": .object(["idx": .int(list.index), "uri": .string(list.address)])
            ])
            sample.request.trust.statusLists.append(
                PinnedStatusList(address: list.address, bytes: list.pinned.bytes, fetchedAt: sample.request.time))
        },
        Entry(0, "a type that is a number", .jwtTyp) { $0.header["typ"] = .int(5) },
        Entry(0, "an issuer outside a credential of version 2.0 alone", .vcMissingMember) { sample in
            sample.payload["issuer"] = nil
            sample.payload["iss"] = .string(Signer.p256.did)
        },
        Entry(0, "no subject in an array", .vcType) { $0.payload["credentialSubject"] = .array([]) },
        Entry(0, "a number as a subject in an array", .vcType) { $0.payload["credentialSubject"] = .array([.int(5)]) },
        Entry(0, "a number in the place of a credential", .vcType, nil, presenting(.int(1))),
        Entry(
            0, "a credential of two others", .holderUnbound, nil,
            presenting(
                credential(of: [Signer.p384.did, "did:example:child"]))),
        Entry(
            0, "an SD-JWT whose subject is another", .holderUnbound, nil,
            presenting {
                selective(subject: Signer.p384.did)
            }),
        Entry(0, "an SD-JWT with the proof of another inside", .kbSig, nil, presenting { proven(by: .stranger) }),
        Entry(0, "an enveloped credential of another media type", .jwtTyp) { sample in
            sample = .presentation(of: JWTSample().text, media: "jwt")
        },
        Entry(0, "a presentation made ten minutes and two tolerances ago", .kbIat) { sample in
            sample = .presentation(of: JWTSample().text)
            sample.payload["iat"] = .int(1_735_689_760 - 720)
        },
    ]

    static let twins: [Entry] = [
        Entry(0, "an SD-JWT with a proof inside where the holder is demanded", .sigInvalid, .genuine) { sample in
            presenting { proven(by: .holder) }(&sample)
            sample.request.policy.requiresHolderProof = true
        },
        Entry(0, "a token inside where the holder is demanded", .sigInvalid, .genuine) { sample in
            sample = .presentation(of: JWTSample().text)
            sample.request.policy.requiresHolderProof = true
        },
        Entry(0, "a credential of the W3C as SD-JWT inside", .sigInvalid, .genuine) { sample in
            var credential = SDSample()
            SDDataModelForgeries.makeCredential(&credential)
            credential.holderSigner = nil
            sample = .presentation(of: credential.text, media: "vc+sd-jwt")
        },
        Entry(0, "a credential of version 1.1 whose token names the presenter", .sigInvalid, .genuine) { sample in
            var credential = JWTSample.former
            credential.setFormer("credentialSubject", ["name": "Ada"])
            sample = .presentation(of: credential.text)
        },
        Entry(0, "a key of the holder outside and inside", .sigInvalid, .genuine) { sample in
            var credential = JWTSample.former
            let key: JSONValue = .object(["jwk": .object(Signer.holder.jwk)])
            credential.payload["cnf"] = key
            credential.setFormer("cnf", key)
            sample = .presentation(of: credential.text)
        },
        Entry(0, "a presentation made a minute ago", .sigInvalid, .genuine) { sample in
            sample = .presentation(of: JWTSample().text)
            sample.payload["iat"] = .int(1_735_689_700)
        },
        Entry(0, "an old presentation where nothing was asked", .sigInvalid, .genuine) { sample in
            sample = .presentation(of: JWTSample().text)
            sample.payload["iat"] = .int(1_735_689_760 - 864_000)
            sample.request.policy.nonce = nil
            sample.request.policy.audience = nil
        },
        Entry(0, "a presentation that names no holder", .sigInvalid, .genuine) { sample in
            sample = .presentation(of: JWTSample().text)
            sample.payload["holder"] = nil
        },
        Entry(
            0, "the presenter as the second of two subjects", .sigInvalid, .genuine,
            presenting(
                credential(of: ["did:example:child", Signer.holder.did]))),
        Entry(
            0, "an SD-JWT whose subject is the presenter", .sigInvalid, .genuine,
            presenting {
                selective(subject: Signer.holder.did)
            }),
        Entry(
            0, "an SD-JWT with a proof for another inside", .sigInvalid, .genuine,
            presenting {
                proven(by: .holder)
            }),
        Entry(0, "a token inside that was issued to a wallet", .sigInvalid, .genuine) { sample in
            var credential = JWTSample()
            credential.payload["aud"] = "https://wallet.example"
            sample = .presentation(of: credential.text)
        },
    ]
}
