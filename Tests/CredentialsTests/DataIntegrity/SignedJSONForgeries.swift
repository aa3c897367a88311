import ByteCoding
import JSON

@testable import Credentials

/// Forgeries of a credential with a proof over JSON, by the numbers of the list that test kits share.
enum SignedJSONForgeries {
    typealias Entry = Forgery<ProofSample>

    static let all =
        signature + proof + keys + times + members + status + ProofFormForgeries.overJSON

    private static func text(_ old: String, _ new: String) -> @Sendable (inout ProofSample) -> Void {
        { sample in
            sample.setClaim("name", "Ada")
            sample.editText = { $0.split(separator: old).joined(separator: new) }
        }
    }

    private static let signature: [Entry] = [
        Entry(1, "a claim", .sigInvalid, nil, text("Ada", "Eve")),
        Entry(2, "the issuer", .sigInvalid) { $0.edit = { $0["issuer"] = .string(Signer.p256.did) } },
        Entry(3, "a bit of the signature", .sigInvalid) { $0.changeSignature { $0[9] ^= 1 } },
        Entry(4, "a byte less", .sigForm) { $0.changeSignature { $0.removeLast() } },
        Entry(5, "a byte more", .sigForm) { $0.changeSignature { $0.append(0) } },
        Entry(6, "zeros", .sigInvalid) { $0.changeSignature { $0 = [UInt8](repeating: 0, count: 64) } },
        Entry(26, "another base", .sigForm) { sample in
            sample.changeProof("proofValue") { .string("u" + Base64URL.encode(Multibase.decode($0) ?? [])) }
        },
        Entry(26, "no letter of the base", .sigForm) {
            $0.changeProof("proofValue") { .string(String($0.dropFirst())) }
        },
        Entry(50, "a member more", .sigInvalid) { $0.edit = { $0["extra"] = "yes" } },
        Entry(67, "a member of the proof more", .sigInvalid) { $0.changeProof("note") { _ in "x" } },
        Entry(25, "suite over statements", .sigInvalid) { sample in
            sample.changeProof("cryptosuite") { _ in "eddsa-rdfc-2022" }
        },
    ]

    private static let proof: [Entry] = [
        Entry(23, "unknown suite", .algMismatch, .notChecked) { $0.changeProof("cryptosuite") { _ in "other-2030" } },
        Entry(23, "unknown type", .algMismatch, .notChecked) { sample in
            sample.edit = { $0["proof"] = .object(["type": "OtherProof", "proofValue": "z1"]) }
        },
        Entry(24, "no suite", .vcMissingMember) { $0.changeProof("cryptosuite") { _ in nil } },
        Entry(27, "purpose", .keyPurpose) { $0.proof["proofPurpose"] = "authentication" },
        Entry(76, "contexts of the proof", .ctxProof) { sample in
            sample.edit = {
                $0["@context"] = .strings(["https://example.org/x", "https://www.w3.org/ns/credentials/v2"])
            }
        },
        Entry(95, "no proof", .vcMissingMember) { $0.edit = { $0["proof"] = nil } },
        Entry(96, "empty array of proofs", .vcMissingMember) { $0.edit = { $0["proof"] = [] } },
        Entry(95, "proof a text", .vcType) { $0.edit = { $0["proof"] = "x" } },
        Entry(95, "too many proofs", .limitProofs) { sample in
            sample.edit = { $0["proof"] = .array(Array(repeating: $0["proof"] ?? nil, count: 17)) }
        },
        Entry(72, "previous proof that is not there", .ldChainBroken) {
            $0.changeProof("previousProof") { _ in "urn:x" }
        },
        Entry(74, "previous proof itself", .ldChainBroken) { sample in
            sample.proof["id"] = "urn:x:1"
            sample.changeProof("previousProof") { _ in "urn:x:1" }
        },
        Entry(75, "second proof of a stranger that fails", .sigInvalid) { sample in
            sample.edit = { document in
                guard var other = document["proof"]?.object, let first = document["proof"] else { return }
                other["nonce"] = "n"
                document["proof"] = .array([first, .object(other)])
            }
        },
    ]

    private static let keys: [Entry] = [
        Entry(30, "a stranger's key", .issMismatch) { sample in
            sample.document["issuer"] = .string(Signer.p256.did)
        },
        Entry(31, "a stranger as issuer", .trustIssuer) { $0.request.trust.methods = [] },
        Entry(32, "fragment of another key", .keyForm) { sample in
            sample.proof["verificationMethod"] = .string(
                Signer.edwards.did + "#" + Signer.p256.did.dropFirst("did:key:".count))
        },
        Entry(33, "P-256 key", .algMismatch) { sample in
            sample.signer = .p256
            sample.document["issuer"] = .string(Signer.p256.did)
            sample.proof["verificationMethod"] = .string(Signer.p256.method)
        },
        Entry(29, "unknown method", .keyUnresolved) { $0.proof["verificationMethod"] = "did:web:example.org#1" },
        Entry(37, "revoked key", .keyRevoked) { sample in
            sample.pin(["revoked": "2024-01-01T00:00:00Z"])
        },
        Entry(28, "key under another purpose", .keyNotListed) { $0.pin([:], under: "authentication") },
        Entry(34, "document of another", .keyController) { sample in
            sample.pin([:])
            sample.changeDocument { $0["id"] = "did:web:other.example" }
        },
        Entry(36, "two forms of one key", .keyForm) { $0.pin(["publicKeyHex": "00"]) },
        Entry(38, "did:jwk for encryption", .keyPurpose) { $0.useJWK(["use": "enc"]) },
        Entry(39, "did:jwk with its private part", .keyPrivate) { $0.useJWK(["d": "AAAA"]) },
        Entry(40, "did:jwk off its curve", .keyCurve) { sample in
            sample.useJWK(["kty": "EC", "crv": "P-256", "x": .string(zeros), "y": .string(zeros)])
        },
        Entry(35, "controller", .keyController) { $0.pin(["controller": "did:web:other.example"]) },
        Entry(33, "method of another suite", .algMismatch) { $0.pin(["type": "Ed25519VerificationKey2018"]) },
        Entry(56, "contexts that the issuer does not use", .ctxUnpinned) { sample in
            sample.pin([:])
            sample.request.trust.issuers[0].contexts = [
                "https://www.w3.org/ns/credentials/v2", "https://example.org/x",
            ]
        },
    ]

    private static let zeros = Base64URL.encode([UInt8](repeating: 0, count: 32))

    private static let times: [Entry] = [
        Entry(44, "validUntil past", .timeExpired) { $0.later(end: "validUntil") },
        Entry(43, "validFrom future", .timeFuture) { $0.document["validFrom"] = "2031-01-01T00:00:00Z" },
        Entry(45, "validFrom after validUntil", .timeOrder) { $0.document["validUntil"] = "2024-01-01T00:00:00Z" },
        Entry(46, "expires past", .timeExpired) { $0.later(expires: "2025-01-01T00:00:01Z") },
        Entry(47, "created future", .timeFuture) { $0.proof["created"] = "2031-01-01T00:00:00Z" },
        Entry(48, "a day that is none", .timeFormat) { $0.document["validUntil"] = "2035-02-30T00:00:00Z" },
        Entry(48, "created without a zone", .timeFormat) { $0.proof["created"] = "2025-01-01T00:00:00" },
    ]

    private static let members: [Entry] = [
        Entry(52, "a null", .vcNullMember) { $0.setClaim("gender", nil as JSONValue) },
        Entry(57, "a context inside", .ctxNested) { $0.setClaim("@context", ["name": "https://schema.org/x"]) },
        Entry(64, "another first context", .vcContextFirst) { sample in
            sample.document["@context"] = .strings(["https://example.org/x"])
            sample.proof["@context"] = nil
        },
        Entry(64, "contexts of both versions", .vcContextFirst) { sample in
            sample.document["@context"] = .strings([
                "https://www.w3.org/ns/credentials/v2", "https://www.w3.org/2018/credentials/v1",
            ])
        },
        Entry(65, "a member twice", .parseDuplicateKey, nil, text("\"issuer\"", "\"issuer\":\"x\",\"issuer\"")),
        Entry(
            66, "a member twice, escaped", .parseDuplicateKey, nil,
            text("\"issuer\"", "\"\\u0069ssuer\":\"x\",\"issuer\"")),
        Entry(70, "nesting", .limitDepth) { sample in
            sample.editText = { _ in "{\"@context\":" + String(repeating: "[", count: 10_000) }
        },
        Entry(71, "a number", .parseJSON) { sample in
            sample.setClaim("n", 1)
            sample.editText = { $0.split(separator: "\"n\":1").joined(separator: "\"n\":1e400") }
        },
        Entry(97, "issuer an array", .vcType) { $0.document["issuer"] = .strings([Signer.edwards.did]) },
        Entry(97, "issuer no IRI", .vcType) { $0.document["issuer"] = "issuer" },
        Entry(97, "no issuer", .vcMissingMember) { $0.document["issuer"] = nil },
        Entry(97, "identifier no IRI", .vcType) { $0.document["id"] = "x" },
        Entry(97, "no subject", .vcMissingMember) { $0.document["credentialSubject"] = nil },
        Entry(97, "subject a text", .vcType) { $0.document["credentialSubject"] = "x" },
        Entry(97, "no type", .vcType) { $0.document["type"] = .strings(["Other"]) },
        Entry(97, "status without a type", .vcMissingMember) { $0.document["credentialStatus"] = ["id": "urn:x"] },
        Entry(97, "schema without an identifier", .vcMissingMember) { $0.document["credentialSchema"] = ["type": "X"] },
        Entry(97, "evidence a text", .vcType) { $0.document["evidence"] = "x" },
        Entry(49, "expirationDate in version 2.0", .vcType) { $0.document["expirationDate"] = "2035-01-01T00:00:00Z" },
    ]

    private static func list(
        _ bits: [Int] = [], index: Int = 5, _ change: @escaping @Sendable (inout BitstringSample) -> Void = { _ in }
    ) -> @Sendable (inout ProofSample) -> Void {
        { sample in
            var list = BitstringSample(bits: bits)
            list.signer = .edwards
            change(&list)
            list.put(into: &sample, index: index)
        }
    }

    private static let status: [Entry] = [
        Entry(86, "revoked", .stRevoked, nil, list([5])),
        Entry(87, "suspended", .stSuspended, nil, list([5]) { $0.purpose = "suspension" }),
        Entry(88, "list of another issuer", .stSig) { sample in
            list()(&sample)
            sample.pin([:])
        },
        Entry(89, "list for another purpose", .stPurpose, nil, list { $0.listPurpose = "suspension" }),
        Entry(90, "index beyond", .stRange, nil, list(index: 131_072)),
        Entry(91, "short list", .stLength, nil, list { $0.byteCount = 13 }),
        Entry(92, "list that grows", .stBomb, nil, list { $0.byteCount = 17 << 20 }),
        Entry(93, "old list", .stStale) { sample in
            list()(&sample)
            sample.later()
        },
        Entry(94, "list of another address", .stUri, nil, list { $0.id = "https://issuer.example/other" }),
        Entry(88, "list changed", .stSig) { sample in
            list()(&sample)
            let pinned = sample.request.trust.statusLists[0]
            let text = String(decoding: pinned.bytes, as: UTF8.self)
            sample.request.trust.statusLists = [
                PinnedStatusList(
                    address: pinned.address,
                    bytes: Array(text.split(separator: "validFrom").joined(separator: "validUntil").utf8),
                    fetchedAt: pinned.fetchedAt)
            ]
        },
    ]

    static let twins: [Entry] = [
        Entry(86, "a status that says nothing against it", .sigInvalid, nil, list([4, 6])),
        Entry(77, "1.0 for 1", .sigInvalid, nil, number("1", "1.0")),
        Entry(77, "1.50 for 1.5", .sigInvalid, nil, number("1.5", "1.50")),
        Entry(77, "-0 for 0", .sigInvalid, nil, number("0", "-0")),
        Entry(77, "another order", .sigInvalid) { sample in
            sample.edit = { document in
                var other = JSONObject()
                for member in document.members.reversed() { other[member.name] = member.value }
                document = other
            }
        },
        Entry(77, "an array with one proof", .sigInvalid) { sample in
            sample.edit = { $0["proof"] = .array([$0["proof"] ?? nil]) }
        },
        Entry(77, "a proof without a time", .sigInvalid) { $0.proof["created"] = nil },
        Entry(77, "a proof without contexts", .sigInvalid) { $0.proof["@context"] = nil },
        Entry(77, "a member of the proof that is not known", .sigInvalid) { $0.proof["note"] = "x" },
        Entry(77, "an issuer's document", .sigInvalid) { $0.pin([:]) },
        Entry(77, "several subjects", .sigInvalid) { sample in
            sample.document["credentialSubject"] = [["id": "urn:x:1"], ["name": "Ada"]]
        },
    ]

    private static func number(_ signed: String, _ written: String) -> @Sendable (inout ProofSample) -> Void {
        { sample in
            sample.setClaim("n", (try? JSONValue(parsing: Array(signed.utf8))) ?? 7)
            sample.editText = { $0.split(separator: "\"n\":\(signed)").joined(separator: "\"n\":\(written)") }
        }
    }
}

extension ProofSample {
    /// Lets the time be a year after the sample was made.
    mutating func later(end member: String? = nil, expires: JSONValue? = nil) {
        if let member { document[member] = "2025-01-01T00:00:01Z" }
        proof["expires"] = expires
        request.time = VerificationRequest.sample(at: 1_767_225_600, request.trust).time
    }

    /// Lets an issuer with a document sign with the same key; `more` changes the method.
    mutating func pin(
        _ more: JSONObject, under purpose: String = "assertionMethod", for did: String = "did:web:issuer.example"
    ) {
        var method: JSONObject = [
            "id": .string(did + "#key"), "type": "Multikey", "controller": .string(did),
            "publicKeyMultibase": .string(String(Signer.edwards.did.dropFirst("did:key:".count))),
        ]
        for member in more { method[member.name] = member.value }
        var entry = TrustedIssuer(did)
        entry.document = .object([
            "id": .string(did), "verificationMethod": .array([.object(method)]),
        ])
        if var document = entry.document?.object {
            document[purpose] = .strings([did + "#key"])
            entry.document = .object(document)
        }
        request.trust.issuers.append(entry)
        document["issuer"] = .string(did)
        proof["verificationMethod"] = .string(did + "#key")
    }

    /// Changes the document of the issuer that `pin` made.
    mutating func changeDocument(_ change: (inout JSONObject) -> Void) {
        guard var document = request.trust.issuers[0].document?.object else { return }
        change(&document)
        request.trust.issuers[0].document = .object(document)
    }

    /// Names the key by a did:jwk with other members.
    mutating func useJWK(_ more: JSONObject) {
        var jwk = Signer.edwards.jwk
        for member in more { jwk[member.name] = member.value }
        let did = "did:jwk:" + Base64URL.encode(jwk.encoded)
        document["issuer"] = .string(did)
        proof["verificationMethod"] = .string(did + "#0")
    }
}
