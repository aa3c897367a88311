import JSON

@testable import Credentials

/// The same statements in a document that is arranged otherwise, so that the signature stays valid and readers of the
/// JSON find members elsewhere, or as other values.
enum PlacementForgeries {
    typealias Entry = Forgery<ProofSample>

    private static let terms: JSONObject = [
        "age": ["@id": "https://contexts.example/other#age", "@type": "http://www.w3.org/2001/XMLSchema#integer"],
        "spouse": ["@id": "https://contexts.example/other#spouse", "@type": "@id"],
        "place": ["@id": "https://contexts.example/other#place"], "ex": "https://contexts.example/ex#",
        "named": ["@id": "https://contexts.example/other#named", "@container": "@id"],
        "translated": ["@id": "https://contexts.example/other#translated", "@container": "@language"],
        "steps": ["@id": "https://contexts.example/other#steps", "@container": "@list"],
    ]

    /// A credential about two people who name each other.
    static var sample: ProofSample {
        var sample = ProofSample.statements("Ed25519Signature2018", .edwards)
        sample.document["@context"] = .strings(["https://www.w3.org/2018/credentials/v1", MeaningForgeries.other])
        sample.pin(MeaningForgeries.other, terms)
        sample.document["credentialSubject"] = [
            "id": "urn:x:1", "age": .number(JSONNumber(17)), "place": "Pune",
            "spouse": ["id": "urn:x:2", "age": .number(JSONNumber(30)), "spouse": "urn:x:1"],
        ]
        return sample
    }

    private static func later(
        _ change: @escaping @Sendable (inout JSONObject) -> Void
    ) -> @Sendable (inout ProofSample) -> Void {
        { sample in
            sample = Self.sample
            sample.edit = { document in
                guard var subject = document["credentialSubject"]?.object else { return }
                change(&subject)
                document["credentialSubject"] = .object(subject)
            }
        }
    }

    private static func entry(
        _ name: String, _ change: @escaping @Sendable (inout JSONObject) -> Void
    ) -> Entry { Entry(55, name, .ldPlacement, nil, later(change)) }

    private static func claim(_ name: String, _ value: JSONValue) -> @Sendable (inout ProofSample) -> Void {
        { sample in
            sample = Self.sample
            sample.setClaim(name, value)
        }
    }

    /// Forgeries whose signature is valid.
    static let moved: [Entry] = [
        entry("a claim moved to the place where the spouse names the subject") { subject in
            guard var spouse = subject["spouse"]?.object else { return }
            spouse["spouse"] = ["id": "urn:x:1", "age": subject["age"] ?? .null]
            subject["age"] = nil
            subject["spouse"] = .object(spouse)
        },
        entry("an empty array") { $0["ex:crops"] = .array([]) },
        entry("an array in an array") { $0["place"] = .array([.array(["Pune"])]) },
        entry("an empty array beside a value") { $0["place"] = .array(["Pune", .array([])]) },
        entry("a number as a text") { $0["age"] = "17" },
        entry("a text in an object") { $0["place"] = ["@value": "Pune"] },
        entry("a number in an object") {
            $0["age"] = ["@value": "17", "@type": "http://www.w3.org/2001/XMLSchema#integer"]
        },
        entry("a value twice") { $0["place"] = .array(["Pune", "Pune"]) },
        entry("an identifier in an object") { subject in
            guard var spouse = subject["spouse"]?.object else { return }
            spouse["spouse"] = ["id": "urn:x:1"]
            subject["spouse"] = .object(spouse)
        },
        Entry(55, "a subject in two parts", .ldPlacement) { sample in
            sample = Self.sample
            sample.edit = { document in
                guard var subject = document["credentialSubject"]?.object else { return }
                let age = subject["age"] ?? .null
                subject["age"] = nil
                document["credentialSubject"] = .array([.object(subject), ["id": "urn:x:1", "age": age]])
            }
        },
        Entry(55, "the claims of one who issues to oneself moved to the issuer", .ldPlacement) { sample in
            sample = selfIssued
            sample.edit = { document in
                document["issuer"] = document["credentialSubject"]
                document["credentialSubject"] = ["id": .string(Signer.edwards.did)]
            }
        },
        Entry(55, "a label for a node without a name", .ldPlacement) { sample in
            sample = unnamed
            sample.edit = { document in
                guard var subject = document["credentialSubject"]?.object else { return }
                subject["id"] = "_:governor"
                document["credentialSubject"] = .object(subject)
            }
        },
    ]

    /// Documents that could be arranged otherwise as they are signed.
    static let doubtful: [Entry] = [
        Entry(55, "an identifier with a prefix", .ldPlacement, nil, claim("spouse", "ex:2")),
        Entry(55, "a name that a prefix makes shorter", .ldPlacement, nil, claim("https://contexts.example/ex#a", "x")),
        Entry(55, "a map by identifiers", .ldPlacement, nil, claim("named", ["urn:x:3": ["place": "Pune"]])),
        Entry(55, "a map with the key @none", .ldPlacement, nil, claim("translated", ["@none": "x"])),
        Entry(55, "a map with an empty array", .ldPlacement, nil, claim("translated", ["en": .array([])])),
        Entry(55, "a list in an object", .ldPlacement, nil, claim("steps", ["@list": ["x", "y"]])),
        Entry(55, "a Boolean whose term says that it is a number", .ldPlacement, nil, claim("age", .bool(true))),
    ]

    static let all = moved + doubtful

    /// A credential whose issuer is its subject.
    private static var selfIssued: ProofSample {
        var sample = Self.sample
        sample.setClaim("id", .string(Signer.edwards.did))
        sample.setClaim("spouse", nil)
        return sample
    }

    private static var unnamed: ProofSample {
        var sample = Self.sample
        sample.setClaim("id", nil)
        sample.setClaim("spouse", nil)
        return sample
    }

    /// Documents that are arranged in the only good way.
    static let twins: [Entry] = [
        Entry(55, "two people who name each other", .sigInvalid) { $0 = Self.sample },
        Entry(55, "one who issues to oneself", .sigInvalid) { $0 = selfIssued },
        Entry(55, "a subject without a name", .sigInvalid) { $0 = unnamed },
        Entry(55, "a name with a prefix", .sigInvalid, nil, claim("ex:crop", "barley")),
        Entry(55, "an empty list", .sigInvalid, nil, claim("steps", .array([]))),
        Entry(55, "a list with a value twice", .sigInvalid, nil, claim("steps", ["x", "x"])),
        Entry(
            55, "a value with a type of its own", .sigInvalid, nil,
            claim("place", ["@value": "2025-01-01", "@type": "http://www.w3.org/2001/XMLSchema#date"])),
        Entry(55, "an issuer that is an object with a name alone", .sigInvalid) { sample in
            sample = Self.sample
            sample.document["issuer"] = ["id": .string(Signer.edwards.did)]
        },
    ]
}
