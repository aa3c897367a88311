import ByteCoding
import CryptoSuite
import JSON
import TestSupport
import Testing

@testable import DIDComm

@Suite struct AttachmentSignatureTests {
    private let payload = Array("did:peer:2.example".utf8)

    private func signed(_ number: UInt8 = 1) throws -> JSONObject {
        try AttachmentSignature.sign(payload, seed: Samples.seed(number))
    }

    private func verify(_ jws: JSONObject, by signers: [UInt8]? = [1]) throws -> [Verkey] {
        try AttachmentSignature.verify(
            JSONValueReader(object: jws), payload: payload, by: try signers?.map(Samples.verkey))
    }

    private func refusal(of jws: JSONObject) -> DIDCommError.Code? {
        do {
            _ = try verify(jws)
            return nil
        } catch { return (error as? DIDCommError)?.code }
    }

    /// A signature that holds over whatever headers are asked for.
    private func jws(
        protected: JSONObject, header: JSONObject? = nil, signer: UInt8 = 1
    ) throws -> JSONObject {
        let text = Base64URL.encode(protected.encoded)
        let signature = try Ed25519.sign(
            Array((text + "." + Base64URL.encode(payload)).utf8), seed: Samples.seed(signer))
        return JSONObject(present: [
            "header": header.map { .object($0) }, "protected": .string(text),
            "signature": .string(Base64URL.encode(signature)),
        ])
    }

    private func web(_ number: UInt8, kid: String? = nil, changes: JSONObject = [:]) throws -> JSONValue {
        var key: JSONObject = [
            "kty": "OKP", "crv": "Ed25519", "x": .string(Base64URL.encode(try Samples.verkey(number).bytes)),
        ]
        key["kid"] = kid.map { .string($0) }
        for member in changes { key[member.name] = member.value }
        return .object(key)
    }

    @Test func `a valid attachment signature returns the key that signed`() throws {
        #expect(try verify(try signed()) == [Samples.verkey(1)])
        #expect(try verify(try signed(2), by: nil) == [Samples.verkey(2)])
        #expect(try verify(try signed(2), by: [1, 2]) == [Samples.verkey(2)])
    }

    @Test func `an attachment signature by another key than the expected one is refused`() throws {
        #expect(refusal(of: try signed(2)) == .jwsWrongSigner)
        #expect(throws: DIDCommError(.jwsWrongSigner, "")) { try verify(try signed(), by: []) }
    }

    @Test(.shows("CHK-013")) func `an attachment signature over other bytes is refused`() throws {
        #expect(throws: DIDCommError(.jwsInvalid, "")) {
            try AttachmentSignature.verify(
                JSONValueReader(object: try signed()), payload: payload + [0x20], by: [Samples.verkey(1)])
        }
        var changed = try signed()
        changed["protected"] = .string((changed["protected"]?.string ?? "") + "==")
        #expect(refusal(of: changed) != nil)
    }

    @Test(.shows("CHK-014", "CHK-015"))
    func `an attachment signature that names two keys is refused, wherever the second one is`() throws {
        let one = try Samples.verkey(1).didKey
        let two = try Samples.verkey(2).didKey
        let headers: [(JSONObject, JSONObject?)] = [
            (["alg": "EdDSA", "jwk": try web(1, kid: two)], ["kid": .string(one)]),
            (["alg": "EdDSA", "jwk": try web(1, kid: one)], ["kid": .string(two)]),
            (["alg": "EdDSA", "jwk": try web(2, kid: one)], ["kid": .string(one)]),
            (["alg": "EdDSA", "jwk": try web(1), "kid": .string(two)], nil),
            (["alg": "EdDSA", "kid": .string(one)], ["kid": .string(two)]),
            (["alg": "EdDSA", "jwk": try web(1)], ["kid": "#key-1"]),
            (["alg": "EdDSA", "kid": "did:web:a#b"], nil),
        ]
        for (protected, header) in headers {
            #expect(refusal(of: try jws(protected: protected, header: header)) == .jwsKeyDisagreement)
        }
    }

    @Test func `an attachment signature may name its key in any one of the ways, in any form`() throws {
        let key = try Samples.verkey(1)
        let headers: [(JSONObject, JSONObject?)] = [
            (["alg": "EdDSA", "jwk": try web(1)], nil), (["alg": "EdDSA"], ["kid": .string(key.didKey)]),
            (["alg": "EdDSA", "kid": .string(key.base58)], [:]),
            (
                ["alg": "EdDSA", "jwk": try web(1, kid: key.didKey + "#" + key.multibase), "kid": .string(key.base58)],
                ["kid": .string(key.didKey)]
            ),
        ]
        for (protected, header) in headers {
            #expect(refusal(of: try jws(protected: protected, header: header)) == nil)
        }
        #expect(refusal(of: try jws(protected: ["alg": "EdDSA"])) == .jwsMalformed)
    }

    @Test(.shows("CHK-016", "CHK-017"))
    func `an attachment signature with another algorithm or curve, or with unknown extensions, is refused`() throws {
        for alg in ["none", "HS256", "ES256", "eddsa", ""] {
            let protected: JSONObject = ["alg": .string(alg), "jwk": try web(1)]
            #expect(refusal(of: try jws(protected: protected)) == .jwsAlgorithm)
        }
        #expect(
            refusal(of: try jws(protected: ["alg": "EdDSA", "jwk": try web(1), "crit": ["b64"], "b64": false]))
                == .jwsAlgorithm)
        for changes in [["crv": "X25519"], ["kty": "EC"], ["crv": "Ed448"]] as [JSONObject] {
            #expect(
                refusal(of: try jws(protected: ["alg": "EdDSA", "jwk": try web(1, changes: changes)])) == .jwsAlgorithm)
        }
    }

    @Test func `an attachment signature with missing or undecodable parts is malformed`() throws {
        for name in ["protected", "signature"] {
            for value in [nil, 1, "***"] as [JSONValue?] {
                var object = try signed()
                object[name] = value
                #expect(refusal(of: object) == .jwsMalformed)
            }
        }
        #expect(refusal(of: [:]) == .jwsMalformed)
        for header in ["[]", "{", #"{"alg":"EdDSA","alg":"none"}"#, "{}"] {
            var object = try signed()
            object["protected"] = .string(Base64URL.encode(Array(header.utf8)))
            #expect(refusal(of: object) == .jwsMalformed)
        }
        #expect(
            refusal(of: try jws(protected: ["alg": "EdDSA", "jwk": try web(1, changes: ["x": "AAAA"])]))
                == .keyMalformed)
    }

    @Test func `all of several attachment signatures must be valid, and one must be by the expected key`() throws {
        let entries = [try signed(2), try signed(1)].map(JSONValue.object)
        #expect(try verify(["signatures": .array(entries)]) == [Samples.verkey(2), Samples.verkey(1)])
        #expect(refusal(of: ["signatures": [entries[0]]]) == .jwsWrongSigner)
        var forged = try signed(2)
        forged["signature"] = try signed(1)["signature"]
        #expect(refusal(of: ["signatures": [entries[1], .object(forged)]]) == .jwsInvalid)
    }

    @Test(.shows("CHK-019")) func `four attachment signatures are read, and none or five are refused`() throws {
        let entry = JSONValue.object(try signed())
        #expect(refusal(of: ["signatures": .array([JSONValue](repeating: entry, count: 4))]) == nil)
        #expect(refusal(of: ["signatures": .array([JSONValue](repeating: entry, count: 5))]) == .jwsMalformed)
        #expect(refusal(of: ["signatures": []]) == .jwsMalformed)
    }

    @Test func `an attachment signature header of 4,096 characters is read and a longer one refused`() throws {
        func protected(_ count: Int) throws -> JSONObject {
            let base: JSONObject = ["alg": "EdDSA", "jwk": try web(1), "x": ""]
            let padding = String(repeating: "y", count: count - base.encoded.count)
            return ["alg": "EdDSA", "jwk": try web(1), "x": .string(padding)]
        }
        #expect(refusal(of: try jws(protected: protected(3072))) == nil)
        #expect(refusal(of: try jws(protected: protected(3073))) == .jwsMalformed)
    }

    @Test(.shows("CHK-013")) func `an attachment signature covers the decoded bytes, however they are encoded`() throws
    {
        let attachment = try MessageAttachment.signed(id: "a", bytes: payload, seed: Samples.seed(1))
        #expect(try attachment.verifySignatures(by: [Samples.verkey(1)]) == [Samples.verkey(1)])
        let read = try MessageAttachment(JSONValueReader(attachment.value))
        #expect(try read.verifySignatures() == [Samples.verkey(1)])
        for text in [Base64.encode(payload), Base64URL.encode(payload)] {
            var other = read
            other.content = .base64(text)
            #expect(throws: Never.self) { try other.verifySignatures() }
        }
        var json = read
        json.content = .json(["a": 1])
        #expect(throws: DIDCommError(.jwsInvalid, "")) { try json.verifySignatures() }
        json.jws = .object(try AttachmentSignature.sign(Array(#"{"a":1}"#.utf8), seed: Samples.seed(1)))
        #expect(throws: Never.self) { try json.verifySignatures() }
    }

    @Test func `an attachment without a signature has its own error`() throws {
        let attachment = MessageAttachment(bytes: payload)
        #expect(throws: DIDCommError(.jwsMissing, "")) { try attachment.verifySignatures() }
    }

    @Test(.enabled(if: OutsideVectors.arePresent, "\(OutsideVectors.skipped)"))
    func `the generated attachment is signed by the key that it names`() throws {
        let vector = try #require(try AriesVectors.json()["generated_attachment_jws"])
        let attachment = try MessageAttachment(JSONValueReader(vector).member("attachment"))
        let key = try Verkey(parsing: "GJ1SzoWzavQYfNL9XkaJdrQejfztN4XqdsiV4ct3LXKL")
        #expect(try attachment.verifySignatures(by: [key]) == [key])
        #expect(try attachment.payload() == Array((vector["payload_utf8"]?.string ?? "").utf8))
    }
}
