import JSON

@testable import Credentials

/// The same statements written in other JSON, so that the signature stays valid and readers of the JSON find less.
enum SpellingForgeries {
    typealias Entry = Forgery<ProofSample>

    private static let credentials = "https://www.w3.org/2018/credentials#"
    private static let dateTime = "http://www.w3.org/2001/XMLSchema#dateTime"

    /// A credential whose end has come, before it is written otherwise.
    private static var past: ProofSample {
        var sample = MeaningForgeries.sample
        sample.document["expirationDate"] = "2024-12-31T00:00:00Z"
        sample.document["issuanceDate"] = "2024-01-01T00:00:00Z"
        return sample
    }

    /// A credential of version 2.0 that its issuer has revoked, before it is written otherwise.
    private static var revoked: ProofSample {
        var sample = ProofSample.statements("DataIntegrityProof", .p256, cryptosuite: "eddsa-rdfc-2022")
        sample.signer = .edwards
        sample.document["issuer"] = .string(Signer.edwards.did)
        sample.proof["verificationMethod"] = .string(Signer.edwards.method)
        var list = BitstringSample(bits: [7])
        list.signer = .edwards
        list.put(into: &sample, index: 7)
        return sample
    }

    private static func edit(
        _ base: @autoclosure @escaping @Sendable () -> ProofSample,
        _ change: @escaping @Sendable (inout JSONObject) -> Void
    ) -> @Sendable (inout ProofSample) -> Void {
        { sample in
            sample = base()
            sample.edit = change
        }
    }

    private static func editStatus(
        _ change: @escaping @Sendable (inout JSONObject) -> Void
    ) -> @Sendable (inout ProofSample) -> Void {
        edit(revoked) { document in
            guard var status = document["credentialStatus"]?.object else { return }
            change(&status)
            document["credentialStatus"] = .object(status)
        }
    }

    private static func editSubject(
        _ change: @escaping @Sendable (inout JSONObject) -> Void
    ) -> @Sendable (inout ProofSample) -> Void {
        edit(MeaningForgeries.sample) { document in
            guard var subject = document["credentialSubject"]?.object else { return }
            change(&subject)
            document["credentialSubject"] = .object(subject)
        }
    }

    /// Gives a claim of the subject another value.
    private static func editedClaim(_ name: String, _ value: JSONValue) -> (inout JSONObject) -> Void {
        { document in
            guard var subject = document["credentialSubject"]?.object else { return }
            subject[name] = value
            document["credentialSubject"] = .object(subject)
        }
    }

    private static func rename(_ name: String, _ other: String, in object: inout JSONObject) {
        let value = object[name]
        object[name] = nil
        object[other] = value
    }

    static let all: [Entry] = [
        Entry(71, "a whole number that no double tells from another", .parseJSON) { sample in
            sample = MeaningForgeries.sample
            sample.setClaim("urn:x:account", .number(JSONNumber(text: "9007199254740992") ?? JSONNumber(1)))
            let other = JSONNumber(text: "9007199254740993") ?? JSONNumber(1)
            sample.edit = editedClaim("urn:x:account", .number(other))
        },
        Entry(71, "a number with more digits than statements hold", .parseJSON) { sample in
            sample = MeaningForgeries.sample
            sample.setClaim("urn:x:share", .number(JSONNumber(text: "0.3") ?? JSONNumber(1)))
            let other = JSONNumber(text: "0.30000000000000004") ?? JSONNumber(1)
            sample.edit = editedClaim("urn:x:share", .number(other))
        },
        Entry(
            55, "the end under its IRI", .ldLabelAmbiguous, nil,
            edit(past) { document in
                document["expirationDate"] = nil
                document[credentials + "expirationDate"] = [
                    "@type": .string(dateTime), "@value": "2024-12-31T00:00:00Z",
                ]
            }),
        Entry(
            55, "the end under a compact IRI", .ldLabelAmbiguous, nil,
            edit(past) { document in
                document["expirationDate"] = nil
                document["cred:expirationDate"] = ["@type": .string(dateTime), "@value": "2024-12-31T00:00:00Z"]
            }),
        Entry(
            55, "the status under its IRI", .ldLabelAmbiguous, nil,
            edit(revoked) { rename("credentialStatus", credentials + "credentialStatus", in: &$0) }),
        Entry(
            55, "the status in a set", .ldLabelAmbiguous, .refused,
            edit(revoked) { $0["credentialStatus"] = ["@set": .array([$0["credentialStatus"] ?? .null])] }),
        Entry(
            55, "the type of the status as an IRI", .ldLabelAmbiguous, .refused,
            editStatus { $0["type"] = "https://www.w3.org/ns/credentials/status#BitstringStatusListEntry" }),
        Entry(
            55, "the type of the status under @type", .ldLabelAmbiguous, .refused,
            editStatus { rename("type", "@type", in: &$0) }),
        Entry(55, "the subject's name under @id", .ldLabelAmbiguous, nil, editSubject { rename("id", "@id", in: &$0) }),
        Entry(
            55, "the subject in a set", .ldLabelAmbiguous, nil,
            edit(MeaningForgeries.sample) {
                $0["credentialSubject"] = ["@set": .array([$0["credentialSubject"] ?? .null])]
            }),
        Entry(
            55, "a claim under its IRI", .ldLabelAmbiguous, nil,
            editSubject { rename("fullName", "https://schema.org/name", in: &$0) }),
        Entry(
            55, "a claim under a name with another type", .ldLabelAmbiguous
        ) { sample in
            sample = MeaningForgeries.sample
            sample.pin(MeaningForgeries.other, ["title": "https://schema.org/name"])
            sample.document["@context"] = .strings([
                "https://www.w3.org/2018/credentials/v1", MeaningForgeries.person, MeaningForgeries.other,
            ])
        },
        Entry(
            50, "a claim whose name has another normal form", .ldTermDropped, .refused
        ) { sample in
            sample = MeaningForgeries.sample
            sample.pin(MeaningForgeries.other, ["caf\u{E9}": "https://contexts.example/other#cafe"])
            sample.document["@context"] = .strings([
                "https://www.w3.org/2018/credentials/v1", MeaningForgeries.person, MeaningForgeries.other,
            ])
            sample.setClaim("caf\u{E9}", "x")
            sample.edit = { document in
                guard var subject = document["credentialSubject"]?.object else { return }
                rename("caf\u{E9}", "cafe\u{301}", in: &subject)
                document["credentialSubject"] = .object(subject)
            }
        },
    ]

    /// Unusual JSON that hides nothing.
    static let twins: [Entry] = [
        Entry(55, "a revoked credential's list, of another entry", .sigInvalid) { sample in
            sample = ProofSample.statements("DataIntegrityProof", .edwards, cryptosuite: "eddsa-rdfc-2022")
            var list = BitstringSample(bits: [7])
            list.signer = .edwards
            list.put(into: &sample, index: 8)
        },
        Entry(71, "a number of 16 digits", .sigInvalid) {
            $0.setClaim("urn:x:share", .number(JSONNumber(text: "0.1234567890123456") ?? JSONNumber(1)))
        },
        Entry(55, "an IRI that no name stands for", .sigInvalid) { $0.setClaim("urn:x:claim", "x") },
    ]
}
