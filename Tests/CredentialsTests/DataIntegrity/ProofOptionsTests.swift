import ByteCoding
import CryptoSuite
import JSON
import TestSupport
import Testing

@testable import Credentials

/// The hashes of proofs, against values that other programs computed.
@Suite struct ProofOptionsTests {
    static func proof(
        _ type: String, method: String, cryptosuite: String? = nil, _ more: JSONObject = [:]
    ) throws -> LinkedDataProof {
        var object: JSONObject = [
            "type": .string(type), "created": "2025-01-01T00:00:00Z", "verificationMethod": .string(method),
            "proofPurpose": "assertionMethod", "jws": "a..b",
        ]
        if cryptosuite != nil || type == "Ed25519Signature2020" {
            object["jws"] = nil
            object["proofValue"] = "z1"
        }
        if let cryptosuite { object["cryptosuite"] = .string(cryptosuite) }
        for member in more { object[member.name] = member.value }
        return try LinkedDataProof(object, at: .pointer("/proof"))
    }

    static let known: [(String, String?, Signer?, String)] = [
        ("RsaSignature2018", nil, nil, "19a53ea63ae847c38b6fb0c79f7a1a6b22506c78782a542b222b1a66b6f14dd7"),
        ("Ed25519Signature2018", nil, .edwards, "b327c90bd5099a5925bb8d76b730a78e5f5b7c022f876ef137f34671df9bca4a"),
        ("Ed25519Signature2020", nil, .edwards, "062f37a591b13778e2a2db5a05068c7c5c5c5d80b4632d38e803688d75ed4bbf"),
        ("EcdsaSecp256k1Signature2019", nil, .k1, "984a8aead526025ff415491a0a0f66fcdef6109e3236012e2c54b4e3b60d7b7e"),
        ("JsonWebSignature2020", nil, .p256, "ba34987efef0f8a8dac7a68e4a29d22e8327a8d37c5298e1aadcef0bd95b7b82"),
        ("JsonWebSignature2020", nil, .edwards, "4c11c183647975b7aaeea1cfb0bbd38569e7178c6ec448c25be93d50334e2ce5"),
        (
            "DataIntegrityProof", "eddsa-rdfc-2022", .edwards,
            "6bd768746317a4692174c14c645a4c9b82608e4fc9e0a8ccfc5ce803ebc7ed71"
        ),
    ]

    @Test(arguments: 0..<ProofOptionsTests.known.count)
    func `the RDF statements of a proof's options have the hash that other programs compute`(_ index: Int) throws {
        let (type, cryptosuite, signer, hash) = Self.known[index]
        let method = signer?.method ?? "https://issuer.example/keys/1"
        let proof = try Self.proof(type, method: method, cryptosuite: cryptosuite)
        #expect(Hex.encode(try ProofOptions(proof, .usual).hash()) == hash)
    }

    @Test func `the compact form of proof options keeps compact names unexpanded`() throws {
        let proof = try Self.proof("RsaSignature2018", method: "https://issuer.example/keys/1")
        let text = String(decoding: try ProofOptions(proof, .compact).canonical(), as: UTF8.self)
        #expect(text.contains("<sec:proofPurpose> <https://w3id.org/security#assertionMethod> ."))
        #expect(text.contains("<sec:verificationMethod> <https://issuer.example/keys/1> ."))
        #expect(text.contains("\"2025-01-01T00:00:00Z\"^^<xsd:dateTime> ."))
    }

    @Test func `each known member of a proof becomes an RDF statement about the proof's identifier`() throws {
        let proof = try Self.proof(
            "DataIntegrityProof", method: Signer.edwards.method, cryptosuite: "eddsa-rdfc-2022",
            [
                "id": "urn:x:1", "challenge": "c\n", "domain": .strings(["a", "b"]), "nonce": "n",
                "expires": "2030-01-01T00:00:00Z", "previousProof": "urn:x:0",
            ])
        let lines = String(decoding: try ProofOptions(proof, .usual).canonical(), as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 11)
        #expect(lines.allSatisfy { $0.hasPrefix("<urn:x:1> ") })
        #expect(lines.contains { $0.hasSuffix("#challenge> \"c\\n\" .") })
        #expect(lines.contains { $0.hasSuffix("#previousProof> <urn:x:0> .") })
        #expect(lines.contains { $0.contains("#expiration> \"2030-01-01T00:00:00Z\"^^") })
    }

    @Test func `a domain repeated in a proof gives one RDF statement, and the statements are sorted`() throws {
        let proof = try Self.proof(
            "Ed25519Signature2020", method: Signer.edwards.method, ["domain": .strings(["b", "a", "b", "a b"])])
        let lines = String(decoding: try ProofOptions(proof, .usual).canonical(), as: UTF8.self).split(separator: "\n")
        #expect(lines.count { $0.contains("#domain> ") } == 3)
        #expect(lines.elementsEqual(lines.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }))
        #expect(lines.allSatisfy { $0.hasPrefix("_:c14n0 ") })
    }

    @Test func `a verification method that is no absolute IRI is refused`() throws {
        for method in ["key-1", "did:key:z> <urn:x", "", ":x"] {
            let proof = try Self.proof("Ed25519Signature2020", method: method)
            #expect(Thrown.code { _ = try ProofOptions(proof, .usual).hash() } == .vcType)
        }
    }

    @Test func `proof members that the suite does not sign are listed as unknown`() throws {
        let proof = try Self.proof("Ed25519Signature2018", method: "urn:x", ["note": "x", "previousProof": "urn:y"])
        #expect(proof.unknownMembers == ["note", "previousProof"])
    }

    @Test func `a proof without a cryptosuite lacks a member, and one of an unknown type is not supported`() {
        #expect(Thrown.code { _ = try Self.proof("DataIntegrityProof", method: "urn:x") } == .vcMissingMember)
        #expect(Thrown.code { _ = try Self.proof("OtherSignature", method: "urn:x") } == .algMismatch)
    }

    @Test(.enabled(if: OutsideVectors.arePresent, "\(OutsideVectors.skipped)"))
    func `the canonical RDF statements of proof options are those that the W3C published`() throws {
        let folder = "credentials/vc-di-eddsa/"
        for (config, canonical) in [
            ("eddsa-rdfc-2022/proofConfigDataInt.json", "eddsa-rdfc-2022/proofCanonDataInt.txt"),
            ("eddsa-rdfc-2022/employ/proofConfigDataInt.json", "eddsa-rdfc-2022/employ/proofCanonDataInt.txt"),
            ("Ed25519Signature2020/proofConfigEdSig.json", "Ed25519Signature2020/proofCanonEdSig.txt"),
        ] {
            var object = try #require(try Samples.json(folder + config).object)
            object["proofValue"] = "z1"
            let proof = try LinkedDataProof(object, at: .pointer("/proof"))
            let text = try OutsideVectors.contents(of: folder + canonical)
            #expect(try ProofOptions(proof, .usual).canonical() == text, "\(config)")
        }
    }
}
