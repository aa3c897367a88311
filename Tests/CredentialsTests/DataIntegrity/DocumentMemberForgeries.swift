import CBOR
import CryptoSuite
import JSON

@testable import Credentials

/// Documents with proofs over JSON whose members stand where others must, and good ones that lie close to them.
enum DocumentMemberForgeries {
    typealias Entry = Forgery<ProofSample>

    private static let version1 = "https://www.w3.org/2018/credentials/v1"
    private static let version2 = "https://www.w3.org/ns/credentials/v2"
    private static let names: JSONValue = ["role": "urn:x:role"]
    private static let proofs = "https://contexts.example/proofs"
    /// A context that gives names a meaning of their own inside one of its terms.
    private static let scoped: JSONValue = ["role": ["@id": "urn:x:role", "@context": ["level": "urn:x:level"]]]

    private static func member(_ name: String, _ value: JSONValue) -> @Sendable (inout ProofSample) -> Void {
        { $0.document[name] = value }
    }

    private static func pin(_ context: JSONValue, address: String? = nil, _ sample: inout ProofSample) {
        guard let bytes = try? context.canonical() else { return }
        sample.request.trust.contexts.append(
            PinnedJSONLDContext(address: address, digest: SHA256.hash(bytes), document: address == nil ? nil : context))
    }

    /// A credential of version 1.1.
    private static func former(
        _ change: @escaping @Sendable (inout ProofSample) -> Void = { _ in }
    ) -> @Sendable (inout ProofSample) -> Void {
        { sample in
            sample.document["@context"] = .strings([version1])
            sample.proof["@context"] = .strings([version1])
            sample.document["issuanceDate"] = sample.document["validFrom"]
            sample.document["validFrom"] = nil
            change(&sample)
        }
    }

    /// A presentation of a good credential with more members, which its proof signs.
    private static func presentation(
        contexts: JSONValue = .strings([version2]), _ change: @escaping @Sendable (inout ProofSample) -> Void = { _ in }
    ) -> @Sendable (inout ProofSample) -> Void {
        { sample in
            let pins = sample.request.trust.contexts
            sample = PresentationProofTests.sample(of: withContexts(contexts))
            sample.request.trust.contexts = pins
            change(&sample)
        }
    }

    private static func withContexts(_ contexts: JSONValue) -> ProofSample {
        var sample = ProofSample()
        sample.document["@context"] = contexts
        sample.proof["@context"] = contexts
        return sample
    }

    private static let evidence: JSONObject = ["id": "urn:x:1", "type": "Evidence"]

    private static func evidence(_ name: String, _ value: JSONValue) -> JSONValue {
        var object = evidence
        object[name] = value
        return .object(object)
    }

    static let all: [Entry] = [
        Entry(
            0, "an end of version 1.1 in the past", .timeExpired, nil,
            former {
                $0.document["issuanceDate"] = "2024-01-01T00:00:00Z"
                $0.document["expirationDate"] = "2024-12-31T00:00:00Z"
            }),
        Entry(
            0, "contexts of version 1.1 that are a text", .vcType, nil,
            former {
                $0.document["@context"] = .string(version1)
                $0.proof["@context"] = .string(version1)
            }),
        Entry(0, "contexts that are an object", .vcType) {
            $0.document["@context"] = names
            $0.proof["@context"] = nil
        },
        Entry(
            0, "a context inside an array of a member", .ctxNested, nil,
            member(
                "evidence", .array([evidence("@context", names)]))),
        Entry(
            0, "a context deep inside a member", .ctxNested, nil,
            member(
                "evidence", evidence("part", .object(["@context": names])))),
        Entry(0, "a context inside a member beside a pinned one", .ctxNested) { sample in
            pin(scoped, &sample)
            sample.document["evidence"] = evidence("@context", names)
        },
        Entry(0, "a context inside a member that is pinned under an address", .ctxNested) { sample in
            let context: JSONValue = ["@context": names]
            pin(context, address: "https://contexts.example/names", &sample)
            sample.document["evidence"] = evidence("@context", context)
        },
        Entry(
            0, "a context inside a member of a credential that is called as those of presentations", .ctxNested, nil,
            member("verifiableCredential", evidence("@context", names))),
        Entry(
            0, "a context inside another member of a presentation", .ctxNested, nil,
            presentation {
                $0.document["evidence"] = evidence("@context", names)
            }),
        Entry(0, "a context inside a member without a canonical form", .ctxNested, .refused) { sample in
            let number = JSONNumber(text: "1e999").map { JSONValue.number($0) } ?? .null
            sample.document["evidence"] = evidence("@context", ["x": number])
        },
        Entry(0, "a number with 17 digits that a double does not hold", .parseJSON) { sample in
            sample.setClaim("level", JSONNumber(text: "0.10000000000000001").map { .number($0) })
            let signed = sample.proof(sample.proof)
            sample.edit = { $0["proof"] = signed }
        },
        Entry(0, "a null in an array", .vcNullMember, nil, member("tags", .array(["a", .null]))),
        Entry(0, "a null deep inside a member", .vcNullMember, nil, member("evidence", evidence("part", ["x": .null]))),
        Entry(
            0, "a null in a member of a credential that is called as those of presentations", .vcNullMember, nil,
            member("verifiableCredential", evidence("part", .null))),
        Entry(
            0, "a null in a part of a presentation", .vcNullMember, nil,
            presentation {
                $0.document["evidence"] = evidence("verifiableCredential", .null)
            }),
        Entry(
            0, "a service without an identifier in version 1.1", .vcMissingMember, nil,
            former {
                $0.document["refreshService"] = ["type": "Service"]
            }),
        Entry(
            0, "a schema without an identifier", .vcMissingMember, nil,
            member(
                "credentialSchema", ["type": "JsonSchema"])),
        Entry(
            0, "a second schema without an identifier", .vcMissingMember, nil,
            member(
                "credentialSchema", .array([["id": "urn:x:1", "type": "JsonSchema"], ["type": "JsonSchema"]]))),
        Entry(0, "a proof made at a number", .vcType) { $0.changeProof("created") { _ in .int(5) } },
        Entry(0, "a proof without a type", .vcMissingMember) { sample in
            sample.edit = { document in
                guard var proof = document["proof"]?.object else { return }
                proof["type"] = nil
                document["proof"] = .object(proof)
            }
        },
        Entry(0, "a credential bound to another, in a presentation", .holderUnbound) { sample in
            var credential = ProofSample()
            credential.document["cnf"] = .object(["jwk": .object(Signer.stranger.jwk)])
            sample = PresentationProofTests.sample(of: credential)
        },
    ]

    static let twins: [Entry] = [
        Entry(0, "a context that is a text of version 2.0", .sigInvalid, .genuine) {
            $0.document["@context"] = .string(version2)
            $0.proof["@context"] = .string(version2)
        },
        Entry(0, "a context with one for a term inside", .sigInvalid, .genuine) { sample in
            let contexts = JSONValue.array([.string(version2), scoped])
            (sample.document["@context"], sample.proof["@context"]) = (contexts, contexts)
        },
        Entry(0, "a pinned context with one for a term inside a member", .sigInvalid, .genuine) { sample in
            pin(scoped, &sample)
            sample.document["evidence"] = evidence("@context", scoped)
        },
        Entry(0, "a context with a null", .sigInvalid, .genuine) { sample in
            let contexts = JSONValue.array([.string(version2), ["role": .null]])
            (sample.document["@context"], sample.proof["@context"]) = (contexts, contexts)
        },
        Entry(
            0, "a presented credential whose context has a null", .sigInvalid, .genuine,
            presentation(
                contexts: .array([.string(version2), ["role": .null]]))),
        Entry(
            0, "a presented credential whose context has one for a term inside", .sigInvalid, .genuine,
            presentation(
                contexts: .array([.string(version2), scoped]))),
        Entry(
            0, "a service without an identifier", .sigInvalid, .genuine,
            member(
                "refreshService", ["type": "Service"])),
        Entry(
            0, "a service with an identifier in version 1.1", .sigInvalid, .genuine,
            former {
                $0.document["refreshService"] = ["id": "urn:x:1", "type": "Service"]
            }),
        Entry(
            0, "two schemas with identifiers", .sigInvalid, .genuine,
            member(
                "credentialSchema",
                .array([["id": "urn:x:1", "type": "JsonSchema"], ["id": "urn:x:2", "type": "JsonSchema"]]))),
        Entry(0, "an identifier with every letter that a scheme may have", .sigInvalid, .genuine) {
            $0.document["id"] = "a1+b-c.d:x"
        },
        Entry(0, "numbers with exponents", .sigInvalid, .genuine) { sample in
            for (name, text) in [("a", "1.5e3"), ("b", "15E2"), ("c", "25e-2"), ("d", "0e7"), ("e", "-0.0")] {
                sample.setClaim(name, JSONNumber(text: text).map { .number($0) })
            }
        },
        Entry(0, "a presentation without a holder", .sigInvalid, .genuine) { sample in
            sample = PresentationProofTests.sample()
            sample.document["holder"] = nil
        },
        Entry(0, "an old presentation where nothing was asked", .sigInvalid, .genuine) { sample in
            sample = PresentationProofTests.sample()
            sample.proof["created"] = "2024-12-01T00:00:00Z"
            (sample.request.policy.nonce, sample.request.policy.audience) = (nil, nil)
        },
        Entry(0, "a credential bound to the presenter", .sigInvalid, .genuine) { sample in
            var credential = ProofSample()
            credential.document["cnf"] = .object(["jwk": .object(Signer.edwards.jwk)])
            sample = PresentationProofTests.sample(of: credential)
        },
    ]

    /// Forgeries of members in documents with a proof over statements.
    static let statements: [Entry] = [
        Entry(0, "the name of another key in the header", .keyForm) {
            $0.header = #"{"alg":"EdDSA","b64":false,"crit":["b64"],"kid":"https://issuer.example/key"}"#
        },
        Entry(0, "the name of a DID in the header", .keyForm) {
            $0.header = #"{"alg":"EdDSA","b64":false,"crit":["b64"],"kid":"did:web:issuer.example"}"#
        },
        Entry(0, "the name of a key in the header that is a number", .keyForm) {
            $0.header = #"{"alg":"EdDSA","b64":false,"crit":["b64"],"kid":1}"#
        },
        Entry(0, "a proof for a purpose that no table has", .keyPurpose) {
            $0.changeProof("proofPurpose") { _ in "other" }
        },
        Entry(0, "a context inside an array of a document with statements", .ctxNested) { sample in
            sample.edit = {
                $0["https://contexts.example/parts"] = .array([.object(["@context": names, "role": "pilot"])])
            }
        },
        Entry(0, "a proof that selects statements, with a short key", .sigForm) { sample in
            sample = SelectiveForgeries.sample(isDerived: false)
            sample.selection.edit = { _, parts in
                parts[1] = .bytes([0x80, 0x24, 2] + [UInt8](repeating: 7, count: 31))
            }
        },
        Entry(0, "a proof that selects an element that is not there", .sigForm) { sample in
            sample = SelectiveForgeries.sample(isDerived: false)
            sample.selection.edit = { _, parts in parts[4] = .array([.text("/type/7")]) }
        },
        Entry(0, "a number in an array with more digits than statements hold", .parseJSON) { sample in
            let number = JSONNumber(text: "0.12345678901234567").map { JSONValue.number($0) } ?? .null
            sample.setClaim("https://contexts.example/level", .array([.int(1), number]))
        },
    ]

    static let statementTwins: [Entry] = [
        Entry(0, "a proof of RSA with compact names", .sigInvalid, .genuine) { sample in
            sample = .statements("RsaSignature2018", .large, algorithm: "PS256")
            sample.pinLargeKey()
            sample.form = .compact
        },
        Entry(0, "a proof whose type a pinned context defines", .sigInvalid, .genuine) { sample in
            sample = MeaningForgeries.sample
            sample.pin(proofs, ["DataIntegrityProof": "https://w3id.org/security#DataIntegrityProof"])
            sample.document["@context"] = .array((sample.document["@context"]?.array ?? []) + [.string(proofs)])
            sample.proof["type"] = "DataIntegrityProof"
            sample.proof["cryptosuite"] = "eddsa-rdfc-2022"
        },
        Entry(0, "the name of the proof's key in the header", .sigInvalid, .genuine) {
            $0.header = #"{"alg":"EdDSA","b64":false,"crit":["b64"],"kid":"\#(Signer.edwards.method)"}"#
        },
        Entry(0, "the name of a key in the header without an address", .sigInvalid, .genuine) {
            $0.header = #"{"alg":"EdDSA","b64":false,"crit":["b64"],"kid":"key-1"}"#
        },
        Entry(0, "a proof with a nonce over statements", .sigInvalid, .genuine) { sample in
            sample = .statements("DataIntegrityProof", .edwards, cryptosuite: "eddsa-rdfc-2022")
            sample.proof["nonce"] = "n-1"
        },
        Entry(0, "two mandatory claims of the subject", .sigInvalid, .genuine) { sample in
            sample = SelectiveForgeries.sample(isDerived: false)
            sample.selection.pointers = ["/issuer", "/credentialSubject/urn:x:crop", "/credentialSubject/urn:x:area"]
        },
        Entry(0, "all of the document mandatory", .sigInvalid, .genuine) { sample in
            sample = SelectiveForgeries.sample(isDerived: false)
            sample.selection.pointers = [""]
        },
    ]
}
