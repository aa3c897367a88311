import ByteCoding
import CryptoSuite
import JSON

@testable import Credentials

/// Documents whose proof, chain of proofs, contexts or key break one rule, and no other one.
enum ProofFormForgeries {
    typealias Entry = Forgery<ProofSample>

    static let overJSON = members + chains + keys
    static let overStatements = contexts + options

    private static let members: [Entry] = [
        Entry(0, "an empty array of domains", .vcType) { $0.signAsIs { $0["domain"] = .array([]) } },
        Entry(0, "a domain that is a number", .vcType) { sample in
            sample.signAsIs { $0["domain"] = .array(["https://verifier.example", 5]) }
        },
        Entry(0, "other contexts than the proof signs", .ctxProof) { sample in
            let contexts = ["https://www.w3.org/ns/credentials/v2", "https://contexts.example/signed"]
            sample.document["@context"] = .strings(contexts)
            sample.proof["@context"] = .strings(contexts)
            sample.edit = { $0["@context"] = .strings([contexts[0], "https://contexts.example/shown"]) }
        },
        Entry(0, "an identifier that begins with a digit", .vcType) { $0.document["id"] = "1x:y" },
        Entry(0, "an identifier whose scheme has a line below", .vcType) { $0.document["id"] = "a_b:y" },
        Entry(0, "an identifier with a blank", .vcType) { $0.document["id"] = "urn:x:a b" },
        Entry(0, "a whole number that its neighbour is read as", .parseJSON) { sample in
            let text = JSONValue.number(JSONNumber(text: "9007199254740992") ?? JSONNumber(1))
            sample.setClaim("account", text)
            let signed = sample.proof(sample.proof)
            sample.edit = { $0["proof"] = signed }
        },
        Entry(0, "a proof of the holder that is demanded", .kbMissing) {
            $0.request.policy.requiresHolderProof = true
        },
    ]

    private static let chains: [Entry] = [
        Entry(0, "two previous proofs of one identifier", .ldChainBroken) { sample in
            var first = sample.proof
            first["id"] = "urn:x:1"
            var second = first
            second["nonce"] = "n"
            var last = sample.proof
            last["previousProof"] = "urn:x:1"
            let (one, two) = (sample.proof(first), sample.proof(second))
            let proofs = [one, two, sample.proof(last, beside: [one])]
            sample.edit = { $0["proof"] = .array(proofs) }
        },
        Entry(0, "a previous proof that is named twice", .ldChainBroken) { sample in
            var first = sample.proof
            first["id"] = "urn:x:1"
            var last = sample.proof
            last["previousProof"] = .strings(["urn:x:1", "urn:x:1"])
            let one = sample.proof(first)
            let proofs = [one, sample.proof(last, beside: [one, one])]
            sample.edit = { $0["proof"] = .array(proofs) }
        },
    ]

    private static let keys: [Entry] = [
        Entry(0, "a trusted issuer that is no IRI", .vcType) { $0.pin([:], for: "issuer") },
        Entry(0, "a key with the identifier of its owner", .keyUnresolved) { sample in
            let did = "did:web:issuer.example"
            sample.pin(["id": .string(did)])
            sample.changeDocument { $0["assertionMethod"] = .strings([did]) }
            sample.proof["verificationMethod"] = .string(did)
        },
        Entry(0, "two keys of one identifier", .keyForm) { sample in
            sample.pin([:])
            sample.changeDocument { document in
                let method = document["verificationMethod"]?[0] ?? .null
                document["verificationMethod"] = .array([method, method])
            }
        },
        Entry(0, "a key document with a private key", .keyPrivate) { $0.pin(["privateKeyMultibase": "z1"]) },
        Entry(0, "a did:jwk that signs and does not verify", .keyPurpose) {
            $0.useJWK(["key_ops": .strings(["sign"])])
        },
    ]

    private static let contexts: [Entry] = [
        Entry(0, "contexts of version 1.1 that are a text", .vcType) {
            $0.document["@context"] = "https://www.w3.org/2018/credentials/v1"
        },
        Entry(0, "contexts of the proof that are not signed", .ldProofUnknownMember) { sample in
            sample = .statements("DataIntegrityProof", .edwards, cryptosuite: "eddsa-rdfc-2022")
            sample.changeProof("@context") { _ in "https://example.org/x" }
        },
        Entry(0, "a context in the document that nothing uses", .ctxUnpinned) { sample in
            sample.edit = { document in
                let contexts = document["@context"]?.array ?? []
                document["@context"] = .array(contexts + [["owner": "https://contexts.example/other#owner"]])
            }
        },
        Entry(0, "another key in the header of the signature", .keyForm) { sample in
            let name = Signer.p256.method
            sample.header = #"{"alg":"EdDSA","b64":false,"crit":["b64"],"kid":"\#(name)"}"#
        },
    ]

    private static let options: [Entry] = [
        Entry(0, "a proof whose identifier is no IRI", .vcType) { sample in
            sample = .statements("DataIntegrityProof", .edwards, cryptosuite: "eddsa-rdfc-2022")
            sample.proof["id"] = "x"
            sample.editOptions = { $0["id"] = "urn:x:1" }
            sample.editStatements = { text in
                text.split(separator: "<urn:x:1>", omittingEmptySubsequences: false).joined(separator: "<x>")
            }
        },
        Entry(0, "a previous proof that the context of the proof does not have", .ldProofUnknownMember) { sample in
            sample.document["@context"] = .strings([
                "https://www.w3.org/2018/credentials/v1", "https://w3id.org/security/data-integrity/v1",
            ])
            sample.proof["type"] = "DataIntegrityProof"
            sample.proof["cryptosuite"] = "eddsa-rdfc-2022"
            var first = sample
            first.proof["id"] = "urn:x:1"
            first.form = .plainSuite
            let one = first.signed["proof"] ?? .null
            sample.proof["previousProof"] = "urn:x:1"
            sample.previous = [one]
            sample.editStatements = { text in
                text.split(separator: "^^<https://w3id.org/security#cryptosuiteString>").joined()
            }
            sample.edit = { $0["proof"] = .array([one, $0["proof"] ?? .null]) }
        },
    ]
}

extension ProofSample {
    /// A proof over JSON with these members, which signs the document with other proofs in it.
    func proof(_ members: JSONObject, beside previous: [JSONValue] = []) -> JSONValue {
        var content = document
        if let contexts = members["@context"] { content["@context"] = contexts }
        if !previous.isEmpty { content["proof"] = .array(previous) }
        let parts = [members, content].flatMap { SHA256.hash((try? $0.canonical()) ?? []) }
        var members = members
        members["proofValue"] = .string(Multibase.encode(signer.sign(parts)))
        return .object(members)
    }

    /// Changes the proof, and signs it although no proof may have such members.
    fileprivate mutating func signAsIs(_ change: (inout JSONObject) -> Void) {
        change(&proof)
        let signed = proof(proof)
        edit = { $0["proof"] = signed }
    }
}
