import ByteCoding
import JSON
import TestSupport
import Testing

@testable import DIDComm

@Suite struct DIDDocumentTests {
    private func refusal(_ change: (inout JSONObject) throws -> Void) throws -> DIDCommError.Code? {
        var document = try Samples.document(services: [Samples.service()])
        try change(&document)
        do {
            _ = try Samples.resolve(document)
            return nil
        } catch { return (error as? DIDCommError)?.code }
    }

    private func method(_ name: String, _ members: JSONObject) -> JSONObject {
        var method: JSONObject = ["id": .string(name), "type": "Multikey"]
        for member in members { method[member.name] = member.value }
        return method
    }

    @Test func `a DID document yields its keys, and its service with every reference resolved`() throws {
        let document = try Samples.resolve(try Samples.document(services: [Samples.service()]))
        #expect(document.did.text == "did:sov:V4SGRU86Z58d6TV7PBUe6f")
        #expect(document.authenticationKeys == [try Samples.verkey(1)])
        #expect(document.agreementKeys == [try Samples.agreementKey(2)])
        #expect(document.services.count == 1 && document.refusals == [])
        #expect(try document.service().recipientKeys == [try Samples.verkey(1)])
        #expect(try document.service().routingKeys == [])
        #expect(try document.owns(Samples.verkey(1)) && !document.owns(Samples.verkey(2)))
        #expect(document.verkeys == [try Samples.verkey(1)])
    }

    @Test func `a DID document as older agents write it is read like our own`() throws {
        let address = try Samples.address(3, routing: [4, 5])
        let document = try Samples.resolve(address.legacyDocument)
        #expect(document.did == address.unqualifiedDID)
        #expect(document.authenticationKeys == [address.key])
        let service = try document.service()
        #expect(service.recipientKeys == [address.key] && service.routingKeys == address.routingKeys)
        #expect(service.endpoint == address.endpoint && service.id == address.unqualifiedDID.text + ";indy")
    }

    @Test(arguments: ["#key-1", "did:sov:V4SGRU86Z58d6TV7PBUe6f#key-1", "V4SGRU86Z58d6TV7PBUe6f#key-1", "key-1"])
    func `a recipient key is found by every form of its identifier`(name: String) throws {
        let service = Samples.service(["recipientKeys": [.string(name)]])
        #expect(
            try Samples.resolve(Samples.document(services: [service])).service().recipientKeys == [Samples.verkey(1)])
    }

    @Test func `a service may state a recipient key directly, raw or as did:key`() throws {
        let other = try Samples.verkey(7)
        for text in [other.base58, other.didKey, other.didKey + "#" + other.multibase] {
            let service = Samples.service(["recipientKeys": [.string(text)]])
            #expect(try Samples.resolve(Samples.document(services: [service])).service().recipientKeys == [other])
        }
    }

    @Test func `Ed25519 keys in the types of 2018, 2020, Multikey and JWK are equal`() throws {
        let key = try Samples.verkey(9)
        let forms: [JSONObject] = [
            ["type": "Ed25519VerificationKey2018", "publicKeyBase58": .string(key.base58)],
            ["type": "Ed25519VerificationKey2020", "publicKeyMultibase": .string(key.multibase)],
            ["type": "Multikey", "publicKeyMultibase": .string(key.multibase)],
            [
                "type": "JsonWebKey2020",
                "publicKeyJwk": ["kty": "OKP", "crv": "Ed25519", "x": .string(Base64URL.encode(key.bytes))],
            ],
        ]
        for form in forms {
            for embedded in [true, false] {
                var document = try Samples.document(services: [Samples.service(["recipientKeys": ["#k"]])])
                let method = JSONValue.object(method("#k", form))
                document[embedded ? "authentication" : "verificationMethod"] = [method]
                if !embedded { document["authentication"] = ["#k"] }
                document["keyAgreement"] = nil
                let read = try Samples.resolve(document)
                #expect(read.authenticationKeys == [key])
                #expect(try read.service().recipientKeys == [key])
            }
        }
    }

    @Test func `X25519 keys in the types of 2019, 2020 and JWK are equal`() throws {
        let key = try Samples.agreementKey(9)
        let forms: [JSONObject] = [
            ["type": "X25519KeyAgreementKey2019", "publicKeyBase58": .string(Base58.encode(key.bytes))],
            ["type": "X25519KeyAgreementKey2020", "publicKeyMultibase": .string(key.multibase)],
            [
                "type": "JsonWebKey2020",
                "publicKeyJwk": ["kty": "OKP", "crv": "X25519", "x": .string(Base64URL.encode(key.bytes))],
            ],
        ]
        for form in forms {
            var document = try Samples.document()
            document["keyAgreement"] = [.object(method("#k", form))]
            #expect(try Samples.resolve(document).agreementKeys == [key])
        }
    }

    @Test func `a key of an unsupported type is ignored unless a service refers to it`() throws {
        let foreign = Multibase.encode([0xE7, 1] + [UInt8](repeating: 3, count: 33))
        var document = try Samples.document(services: [Samples.service(["recipientKeys": ["#k"]]), Samples.service()])
        document["authentication"] = [.object(method("#k", ["publicKeyMultibase": .string(foreign)])), "#key-1"]
        let read = try Samples.resolve(document)
        #expect(read.authenticationKeys == [try Samples.verkey(1)])
        #expect(read.refusals == [DIDCommError(.keyUnsupported, "")])
        #expect(read.services.count == 1)
    }

    @Test func `without an authentication list all signing keys of a document count`() throws {
        var document = try Samples.document()
        document["authentication"] = nil
        #expect(try Samples.resolve(document).authenticationKeys == [try Samples.verkey(1)])
    }

    @Test(.shows("CHK-008")) func `a DID document of another DID is refused, and a did:sov prefix makes no difference`()
        throws
    {
        let object = try Samples.document()
        let bare = try DID(parsing: "V4SGRU86Z58d6TV7PBUe6f")
        #expect(try DIDDocument(parsing: object.encoded, of: bare).did == bare)
        let other = try DID(parsing: "did:sov:Th7MpTaRZVRYnPiabds81Y")
        #expect(throws: DIDCommError(.documentWrongID, "")) { try DIDDocument(parsing: object.encoded, of: other) }
        #expect(try refusal { $0["id"] = "no DID" } == .didMalformed)
        #expect(try refusal { $0["id"] = nil } == .documentMalformed)
    }

    @Test func `a DID document's reference to a missing key is refused, and never taken for a key`() throws {
        let raw = try Samples.verkey(8).base58
        #expect(try refusal { $0["authentication"] = ["#nothing"] } == .documentKeyMissing)
        #expect(try refusal { $0["authentication"] = ["did:sov:Th7MpTaRZVRYnPiabds81Y#key-1"] } == .documentKeyMissing)
        #expect(try refusal { $0["keyAgreement"] = ["#nothing"] } == .documentKeyMissing)
        for name in ["#nothing", "#" + raw, "did:sov:Th7MpTaRZVRYnPiabds81Y#" + raw] {
            let service = Samples.service(["recipientKeys": [.string(name)]])
            let document = try Samples.resolve(Samples.document(services: [service]))
            #expect(document.refusals == [DIDCommError(.documentKeyMissing, "")], "\(name)")
            #expect(throws: DIDCommError(.documentKeyMissing, "")) { try document.service() }
        }
    }

    @Test func `a service that refers to an X25519 key as recipient is refused`() throws {
        let document = try Samples.resolve(Samples.document(services: [Samples.service(["recipientKeys": ["#key-2"]])]))
        #expect(document.refusals == [DIDCommError(.keyWrongKind, "")])
    }

    @Test(.shows("CHK-031")) func `a DID document that contradicts itself is refused`() throws {
        let one = try Samples.verkey(5)
        let two = try Samples.verkey(6)
        let twice: JSONObject = ["publicKeyMultibase": .string(one.multibase)]
        let other: JSONObject = ["publicKeyMultibase": .string(two.multibase)]
        #expect(
            try refusal { $0["verificationMethod"] = [.object(method("#a", twice)), .object(method("#a", other))] }
                == .documentMalformed)
        let both: JSONObject = [
            "publicKeyMultibase": .string(one.multibase), "type": "Ed25519VerificationKey2018",
            "publicKeyBase58": .string(two.base58),
        ]
        #expect(try refusal { $0["authentication"] = [.object(method("#a", both))] } == .documentMalformed)
        let wrong: JSONObject = [
            "type": "X25519KeyAgreementKey2020", "publicKeyMultibase": .string(one.multibase),
        ]
        #expect(try refusal { $0["keyAgreement"] = [.object(method("#a", wrong))] } == .documentMalformed)
        #expect(try refusal { $0["authentication"] = [.object(method("did:web:x#a", twice))] } == .documentMalformed)
    }

    @Test func `document members of the wrong type and invalid keys are refused`() throws {
        #expect(try refusal { $0["authentication"] = "#key-1" } == .documentMalformed)
        #expect(try refusal { $0["authentication"] = [1] } == .documentMalformed)
        #expect(try refusal { $0["verificationMethod"] = [["id": "#a"]] } == .documentMalformed)
        #expect(try refusal { $0["service"] = ["a": 1] } == .documentMalformed)
        let short: JSONObject = ["type": "Ed25519VerificationKey2018", "publicKeyBase58": "abc"]
        #expect(try refusal { $0["authentication"] = [.object(method("#a", short))] } == .keyMalformed)
        let jwk: JSONObject = ["publicKeyJwk": ["kty": "OKP", "crv": "Ed25519", "x": "AAAA"]]
        #expect(try refusal { $0["authentication"] = [.object(method("#a", jwk))] } == .keyMalformed)
    }

    // Ed25519 points of small order: the neutral element and one of order 2; and an X25519 coordinate of zero.
    @Test(.shows("CHK-060", "CHK-062", "CHK-063", "CHK-064"))
    func `a key of small order is refused anywhere in a DID document`() throws {
        let neutral = try #require(Verkey([1] + [UInt8](repeating: 0, count: 31)))
        let order2 = try #require(Verkey([0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F]))
        let zero = try #require(Curve25519PublicKey(.x25519, [UInt8](repeating: 0, count: 32)))
        for key in [neutral, order2] {
            #expect(throws: DIDCommError(.keyUnsafe, "")) { try key.checkSafety() }
            let entry = method("#a", ["publicKeyMultibase": .string(key.multibase)])
            #expect(try refusal { $0["authentication"] = [.object(entry)] } == .keyUnsafe)
            for list in ["recipientKeys", "routingKeys"] {
                let service = Samples.service([list: [.string(key.base58)]])
                let read = try Samples.resolve(Samples.document(services: [service]))
                #expect(read.services.isEmpty && read.refusals == [DIDCommError(.keyUnsafe, "")])
            }
        }
        let entry = method("#a", ["publicKeyMultibase": .string(zero.multibase)])
        #expect(try refusal { $0["keyAgreement"] = [.object(entry)] } == .keyUnsafe)
        #expect(throws: Never.self) { try Samples.verkey(1).checkSafety() }
    }

    @Test(.shows("CHK-091", "CHK-092"))
    func `a document of 32 keys and 16 services is read, and one more of either refused`() throws {
        let keys = try (0..<31).map {
            JSONValue.object(
                method("#k\($0)", ["publicKeyMultibase": .string(try Samples.verkey(UInt8($0 + 1)).multibase)]))
        }
        let full = try Samples.document()
        var document = full
        document["verificationMethod"] = .array((full["verificationMethod"]?.array ?? []) + keys.dropFirst())
        #expect(throws: Never.self) { try Samples.resolve(document) }
        document["verificationMethod"] = .array((full["verificationMethod"]?.array ?? []) + keys)
        #expect(throws: DIDCommError(.documentTooLarge, "")) { try Samples.resolve(document) }
        document["verificationMethod"] = .array((full["verificationMethod"]?.array ?? []) + keys.dropFirst())
        document["assertionMethod"] = [keys[0]]
        #expect(throws: DIDCommError(.documentTooLarge, "")) { try Samples.resolve(document) }
        let services = [JSONValue](repeating: Samples.service(), count: 17)
        #expect(try Samples.resolve(Samples.document(services: Array(services.dropLast()))).services.count == 16)
        #expect(throws: DIDCommError(.documentTooLarge, "")) {
            try Samples.resolve(Samples.document(services: services))
        }
    }

    @Test(.shows("CHK-093")) func `a DID document of 32 KiB is read and one byte more refused`() throws {
        let bytes = try Samples.document().encoded
        let padding = [UInt8](repeating: 0x20, count: DIDDocument.limits.maximumBytes - bytes.count)
        #expect(throws: Never.self) { try DIDDocument(parsing: bytes + padding) }
        #expect(throws: DIDCommError(.documentTooLarge, "")) { try DIDDocument(parsing: bytes + padding + [0x20]) }
    }

    @Test func `a DID document cut short or followed by more is refused`() throws {
        let bytes = try Samples.document().encoded
        let decode: ([UInt8]) throws -> DIDDocument? = { try DIDDocument(parsing: $0) }
        #expect(DecoderVerifier.acceptedTruncations(of: bytes, by: decode) == [])
        #expect(DecoderVerifier.acceptedExtensions(of: bytes, by: decode) == [])
    }
}
