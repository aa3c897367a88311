import CryptoSuite
import JSON

@testable import Credentials

/// Forgeries in the names of a credential with a proof over statements, and in the contexts that give the names their
/// meaning, by the numbers of the list that test kits share.
enum MeaningForgeries {
    typealias Entry = Forgery<ProofSample>

    static let all = coverage + names + contexts + presentations + SpellingForgeries.all + PlacementForgeries.all

    static let person = "https://contexts.example/person/v1"
    static let other = "https://contexts.example/other/v1"

    private static let terms: JSONObject = [
        "@version": .number(JSONNumber(1.1) ?? JSONNumber(1)), "id": "@id", "type": "@type",
        "PersonCredential": "https://contexts.example/person#PersonCredential",
        "fullName": .object(["@id": "https://schema.org/name", "@protected": .bool(true)]),
        "crop": "https://schema.org/Text", "secondCrop": "https://schema.org/Text",
        "lang": "@language", "plain": "http://www.w3.org/1999/02/22-rdf-syntax-ns#value",
        "level": .object(["@id": "https://contexts.example/person#level", "@type": "@vocab"]),
        "high": "https://contexts.example/person#high", "tall": "https://contexts.example/person#high",
        "Owner": "https://contexts.example/person#Owner", "Holder": "https://contexts.example/person#Owner",
        "data": .object(["@id": "https://contexts.example/person#data", "@type": "@json"]),
        "steps": .object(["@id": "https://contexts.example/person#steps", "@container": "@list"]),
        "about": .object(["@id": "https://contexts.example/person#about", "@container": "@graph"]),
        "titles": .object(["@id": "https://contexts.example/person#title", "@container": "@language"]),
    ]

    /// A credential about a person, whose names a pinned context defines.
    static var sample: ProofSample {
        var sample = ProofSample.statements("Ed25519Signature2018", .edwards)
        sample.document["@context"] = .strings(["https://www.w3.org/2018/credentials/v1", person])
        sample.document["type"] = .strings(["VerifiableCredential", "PersonCredential"])
        sample.setClaim("fullName", "Ada")
        sample.pin(person, terms)
        return sample
    }

    private static func claim(_ name: String, _ value: JSONValue) -> @Sendable (inout ProofSample) -> Void {
        { $0.setClaim(name, value) }
    }

    /// Changes a member of the subject, once signed.
    private static func later(_ name: String, _ value: JSONValue) -> @Sendable (inout ProofSample) -> Void {
        { sample in
            sample.edit = { document in
                guard var subject = document["credentialSubject"]?.object else { return }
                subject[name] = value
                document["credentialSubject"] = .object(subject)
            }
        }
    }

    private static let coverage: [Entry] = [
        Entry(49, "expirationDate in version 2.0", .ldTermDropped, .refused) { sample in
            sample = .statements("DataIntegrityProof", .edwards, cryptosuite: "eddsa-rdfc-2022")
            sample.edit = { $0["expirationDate"] = "2035-01-01T00:00:00Z" }
        },
        Entry(50, "a claim that no context defines", .ldTermDropped, nil, later("isGovernor", "yes")),
        Entry(51, "a type that no context defines", .ldTermDropped) { sample in
            sample.edit = {
                $0["type"] = .strings(["VerifiableCredential", "PersonCredential", "AdminCredential"])
            }
        },
        Entry(52, "a null for a claim", .vcNullMember, .refused, later("fullName", .null)),
        Entry(52, "a null beside the claims", .vcNullMember, nil, later("level", .null)),
        Entry(53, "a relative identifier", .ldTermDropped, nil, claim("id", "subject")),
        Entry(54, "a language on a node", .ldTermDropped, nil, claim("crop", ["lang": "en", "plain": "barley"])),
        Entry(50, "a language tag that is none", .ldTermDropped, nil, claim("titles", ["e_n": "x"])),
        Entry(50, "an object that says nothing", .ldTermDropped, nil, claim("crop", ["@language": "en"])),
        Entry(50, "a keyword to come", .ldTermDropped, nil, later("@note", "yes")),
        Entry(52, "a value that is null", .vcNullMember, nil, claim("crop", ["@value": .null])),
        Entry(50, "a text in a graph", .ldTermDropped, nil, claim("about", "free")),
        Entry(50, "a list in a graph", .ldTermDropped, nil, claim("about", ["@list": ["free"]])),
        Entry(50, "a value without a node", .ldTermDropped) { sample in
            sample.edit = { $0["@graph"] = .array(["free"]) }
        },
    ]

    private static let names: [Entry] = [
        Entry(55, "two claims with one meaning swapped", .ldLabelAmbiguous) { sample in
            sample.setClaim("crop", "barley")
            sample.setClaim("secondCrop", "rye")
            let swap = later("crop", "rye")
            let back = later("secondCrop", "barley")
            swap(&sample)
            let first = sample.edit
            back(&sample)
            let second = sample.edit
            sample.edit = { document in
                first(&document)
                second(&document)
            }
        },
        Entry(55, "a claim under another name with its meaning", .ldLabelAmbiguous, nil, claim("crop", "barley")),
        Entry(55, "a type with the meaning of another", .ldLabelAmbiguous) { sample in
            sample.setClaim("type", "Owner")
        },
        Entry(55, "a value with the meaning of another", .ldLabelAmbiguous, nil, claim("level", "high")),
        Entry(60, "a context that gives a protected name another meaning", .ldProtected) { sample in
            sample.add(other, ["fullName": "https://schema.org/familyName"])
        },
        Entry(61, "a type's context that gives the issuer another meaning", .ldProtected) { sample in
            let inner: JSONObject = ["issuer": "https://contexts.example/other#issuer"]
            sample.add(
                other, ["ZCredential": .object(["@id": "urn:x:ZCredential", "@context": .object(inner)])])
            sample.document["type"] = .strings(["VerifiableCredential", "PersonCredential", "ZCredential"])
        },
        Entry(61, "a context that gives the data model's type another meaning", .ldProtected) { sample in
            sample.add(other, ["VerifiableCredential": "urn:x:Other"])
        },
        Entry(23, "a context that gives the proof's type another meaning", .ldProofAmbiguous) { sample in
            sample.proof["type"] = "DataIntegrityProof"
            sample.proof["cryptosuite"] = "eddsa-rdfc-2022"
            sample.add(other, ["DataIntegrityProof": "urn:x:OtherProof"])
        },
    ]

    private static let contexts: [Entry] = [
        Entry(56, "a context in the document that renames a claim", .ctxUnpinned) { sample in
            sample.edit = { document in
                let contexts = document["@context"]?.array ?? []
                document["@context"] = .array(contexts + [["owner": "https://schema.org/name"]])
            }
        },
        Entry(57, "a context in the subject", .ctxNested, nil, later("@context", ["owner": "https://schema.org/name"])),
        Entry(58, "a context of another address with the same names", .ctxUnpinned) { sample in
            sample.edit = { $0["@context"] = .strings(["https://www.w3.org/2018/credentials/v1", other]) }
        },
        Entry(59, "a context with another digest", .ctxDigest) { sample in
            let signed = sample.signed
            sample.edit = { $0 = signed }
            sample.request.trust.contexts = sample.request.trust.contexts.map {
                PinnedJSONLDContext(
                    address: $0.address, digest: $0.digest, document: ["@context": ["fullName": "urn:x:y"]])
            }
        },
        Entry(62, "a context with @import", .ldFeature) { $0.add(other, ["@import": .string(person)]) },
        Entry(62, "a context with @nest", .ldFeature) { sample in
            sample.add(other, ["nested": .object(["@id": "urn:x:nested", "@nest": "@nest"])])
        },
        Entry(62, "a claim that is reversed", .ldFeature) { sample in
            sample.edit = { $0["@reverse"] = ["urn:x:issued": ["id": "urn:x:1"]] }
        },
        Entry(63, "a context that names itself", .limitContext) { sample in
            sample.add(document: ["@context": .array([.string(other)])], as: other)
        },
        Entry(63, "too many contexts", .limitContext) { sample in
            let many = [String](repeating: person, count: 32)
            sample.edit = { $0["@context"] = .strings(["https://www.w3.org/2018/credentials/v1"] + many) }
        },
        Entry(58, "a context that names one that is not pinned", .ctxUnpinned) { sample in
            sample.add(document: ["@context": .array(["https://contexts.example/absent"])], as: other)
        },
        Entry(58, "a context that breaks the rules", .ctxUnpinned) { $0.add(other, ["term": .number(JSONNumber(1))]) },
        Entry(58, "a context that is a number", .ctxUnpinned) { sample in
            sample.edit = { document in
                document["@context"] = .array((document["@context"]?.array ?? []) + [.number(JSONNumber(1))])
            }
        },
        Entry(58, "a relative address of a context", .ctxUnpinned) { sample in
            sample.edit = { $0["@context"] = .strings(["https://www.w3.org/2018/credentials/v1", "person"]) }
        },
        Entry(70, "an identifier twice", .parseJSON) { sample in
            sample.edit = { $0["@id"] = "urn:x:other" }
        },
    ]

    private static let presentations: [Entry] = [
        Entry(85, "a token in a presentation", .ldTermDropped) { sample in
            var token = JWTSample()
            token.payload["credentialSubject"] = .object(["id": .string(Signer.edwards.did)])
            sample = presentation(of: .string(token.text))
        },
        Entry(84, "a credential in a presentation that was changed", .sigInvalid) { sample in
            var credential = MeaningForgeries.sample
            credential.setClaim("id", .string(Signer.edwards.did))
            later("fullName", "Eve")(&credential)
            sample = presentation(of: .object(credential.signed))
        },
        Entry(84, "a credential put into a signed presentation", .sigInvalid) { sample in
            var credential = MeaningForgeries.sample
            credential.setClaim("id", .string(Signer.edwards.did))
            sample = presentation(of: .object(credential.signed))
            var second = credential
            second.setClaim("fullName", "Eve")
            let both = JSONValue.array([.object(credential.signed), .object(second.signed)])
            sample.edit = { $0["verifiableCredential"] = both }
        },
    ]

    /// A presentation of a credential by its subject, with a proof over statements.
    static func presentation(of credential: JSONValue) -> ProofSample {
        var sample = MeaningForgeries.sample
        sample.document = [
            "@context": .strings(["https://www.w3.org/2018/credentials/v1"]),
            "type": .strings(["VerifiablePresentation"]), "holder": .string(Signer.edwards.did),
            "verifiableCredential": .array([credential]),
        ]
        sample.proof["proofPurpose"] = "authentication"
        sample.proof["challenge"] = "n-1"
        sample.proof["domain"] = "https://verifier.example"
        sample.request.policy.nonce = "n-1"
        sample.request.policy.audience = "https://verifier.example"
        return sample
    }

    /// Changed credentials that stay genuine.
    static let twins: [Entry] =
        SpellingForgeries.twins + PlacementForgeries.twins + [
            Entry(50, "statements under names of a pinned context", .sigInvalid) { _ in },
            Entry(51, "types in another order", .sigInvalid) { sample in
                sample.edit = { $0["type"] = .strings(["PersonCredential", "VerifiableCredential"]) }
            },
            Entry(50, "a subject in an array", .sigInvalid) { sample in
                sample.edit = { $0["credentialSubject"] = .array([$0["credentialSubject"] ?? nil]) }
            },
            Entry(55, "names with one meaning that the pin accepts", .sigInvalid) { sample in
                sample.setClaim("crop", "barley")
                sample.request.trust.contexts = sample.request.trust.contexts.map {
                    PinnedJSONLDContext(
                        address: $0.address, digest: $0.digest, document: $0.document, acceptsLabels: true)
                }
            },
            Entry(55, "a name of a pin that accepts it beside one that is built in", .sigInvalid) { sample in
                sample = .statements("DataIntegrityProof", .edwards, cryptosuite: "eddsa-rdfc-2022")
                sample.pin(other, ["title": "https://schema.org/name"])
                sample.document["@context"] = .strings(["https://www.w3.org/ns/credentials/v2", other])
                sample.setClaim("title", "Ada")
                sample.request.trust.contexts = sample.request.trust.contexts.map {
                    PinnedJSONLDContext(
                        address: $0.address, digest: $0.digest, document: $0.document, acceptsLabels: true)
                }
            },
            Entry(56, "a pinned context in the document", .sigInvalid) { sample in
                let context: JSONObject = ["owner": "https://contexts.example/other#owner"]
                sample.document["@context"] = .array([
                    "https://www.w3.org/2018/credentials/v1", .string(person), .object(context),
                ])
                sample.request.trust.contexts.append(
                    PinnedJSONLDContext(
                        address: nil, digest: SHA256.hash((try? context.canonical()) ?? []), document: nil))
                sample.setClaim("owner", "Ada")
            },
            Entry(57, "a pinned context in the subject", .sigInvalid) { sample in
                sample.pin(other, ["owner": "https://contexts.example/other#owner"])
                let context: JSONObject = ["owner": "https://contexts.example/other#owner"]
                sample.request.trust.contexts.append(
                    PinnedJSONLDContext(
                        address: nil, digest: SHA256.hash((try? context.canonical()) ?? []), document: nil))
                sample.setClaim("@context", .object(context))
                sample.setClaim("owner", "Ada")
            },
            Entry(50, "a claim of JSON", .sigInvalid, nil, claim("data", ["b": [1, .bool(true)], "a": "x"])),
            Entry(50, "a claim that is a list", .sigInvalid, nil, claim("steps", ["x", "y", "x"])),
            Entry(50, "a claim in two languages", .sigInvalid, nil, claim("titles", ["en": "x", "de": "y"])),
            Entry(50, "numbers and Booleans", .sigInvalid) { sample in
                sample.setClaim("urn:x:number", .number(JSONNumber(7)))
                sample.setClaim("urn:x:half", .number(JSONNumber(0.5) ?? JSONNumber(1)))
                sample.setClaim("urn:x:flag", .bool(true))
            },
            Entry(85, "a presentation with a credential that is signed over statements", .sigInvalid) { sample in
                var credential = MeaningForgeries.sample
                credential.setClaim("id", .string(Signer.edwards.did))
                sample = presentation(of: .object(credential.signed))
            },
        ]
}

extension ProofSample {
    /// Pins a context with these terms.
    mutating func pin(_ address: String, _ terms: JSONObject) {
        pin(document: ["@context": .object(terms)], as: address)
    }

    /// Pins a context document.
    mutating func pin(document: JSONValue, as address: String) {
        let digest = SHA256.hash((try? document.canonical()) ?? [])
        request.trust.contexts.append(PinnedJSONLDContext(address: address, digest: digest, document: document))
    }

    /// Pins a context with these terms, and names it behind the others of the document, once signed.
    mutating func add(_ address: String, _ terms: JSONObject) {
        add(document: ["@context": .object(terms)], as: address)
    }

    /// Pins a context document, and names it behind the others of the document, once signed.
    mutating func add(document context: JSONValue, as address: String) {
        pin(document: context, as: address)
        edit = { document in
            document["@context"] = .array((document["@context"]?.array ?? []) + [.string(address)])
        }
    }
}
