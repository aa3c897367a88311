import ByteCoding
import JSON
import TestSupport
import Testing

@testable import DIDComm

@Suite struct DIDDocumentPeerDIDTests {
    private let resolver = StaticDIDResolver()

    private func peer2(_ service: JSONValue) throws -> PeerDocument {
        let did = try DID.peer2(
            keys: [(.authentication, try Samples.verkey(1).publicKey), (.agreement, try Samples.agreementKey(2))],
            services: [service.encoded])
        return try resolver.resolve(did)
    }

    @Test func `a did:key and a did:peer:0 are their own documents`() throws {
        let key = try Samples.verkey(1)
        for did in [DID.key(key.publicKey), try DID(parsing: "did:peer:0" + key.multibase)] {
            let document = try resolver.resolve(did)
            #expect(document.authenticationKeys == [key] && document.services.isEmpty)
        }
        let agreement = try Samples.agreementKey(2)
        #expect(try resolver.resolve(.key(agreement)).agreementKeys == [agreement])
        #expect(try resolver.resolve(.key(agreement)).authenticationKeys == [])
    }

    @Test func `a did:peer:2 and a did:peer:4 that we make are read back to the same document`() throws {
        let address = try Samples.address(3, routing: [4, 5])
        for did in [try address.peer2(), try address.peer4()] {
            let document = try resolver.resolve(did)
            #expect(document.did == did && document.authenticationKeys == [address.key])
            let service = try document.service()
            #expect(service.recipientKeys == [address.key] && service.routingKeys == address.routingKeys)
            #expect(service.endpoint == address.endpoint)
        }
    }

    @Test func `routing keys in our DIDs are written as key references, because other agents expect a method`() throws {
        let address = try Samples.address(3, routing: [6])
        let text = try #require(address.routingKeys.first).didKeyReference
        let service = try #require(address.peer2().text.split(separator: ".S").last)
        let bytes = try #require(Base64URL.decode(String(service)))
        #expect(try JSONValue(parsing: bytes)["r"] == [.string(text)])
    }

    @Test func `short and long member names of a service are equal, inside its address too`() throws {
        let routing = try Samples.verkey(4)
        let short = try peer2([
            "t": "dm", "s": ["uri": "http://a.example", "r": [.string(routing.didKey)], "a": ["didcomm/aip1"]],
        ])
        let long = try peer2([
            "type": "DIDCommMessaging",
            "serviceEndpoint": [
                "uri": "http://a.example", "routingKeys": [.string(routing.didKey)], "accept": ["didcomm/aip1"],
            ],
        ])
        #expect(short.services == long.services && short.services.count == 1)
        #expect(try short.service().routingKeys == [routing])
        let listed = try peer2([
            "t": "dm", "s": [["uri": "http://a.example", "a": ["didcomm/aip1"]], "http://b.example"],
        ])
        #expect(listed.services.count == 2)
    }

    @Test func `several services in one part of a did:peer:2 are read, as older agents wrote them`() throws {
        let one: JSONValue = ["t": "dm", "s": "http://a.example"]
        #expect(try peer2([one, one]).services.count == 2)
        #expect(throws: Never.self) { try peer2(.array([JSONValue](repeating: one, count: 16))) }
        #expect(throws: DIDCommError(.documentTooLarge, "")) {
            try peer2(.array([JSONValue](repeating: one, count: 17)))
        }
    }

    @Test func `a did:peer:2 whose service repeats a member, or is no object, is malformed`() throws {
        for service in [["t": "dm", "type": "dm", "s": "http://a"], "text", [1]] as [JSONValue] {
            #expect(throws: DIDCommError(.didMalformed, "")) { try peer2(service) }
        }
        let bad = "did:peer:2.V\(try Samples.verkey(1).multibase).S" + Base64URL.encode(Array("{".utf8))
        #expect(throws: DIDCommError(.didMalformed, "")) { try resolver.resolve(DID(parsing: bad)) }
        #expect(throws: DIDCommError(.didMalformed, "")) {
            try peer2(["t": "dm", "s": ["uri": "http://a", "a": [], "accept": []]])
        }
    }

    @Test func `a did:peer:4 whose document states a DID of its own, or another, is refused`() throws {
        for object in [["id": "did:web:x"], ["authentication": ["did:web:x#a"]]] as [JSONObject] {
            let did = try DID.peer4(document: object.encoded)
            #expect(throws: (any Error).self) { try resolver.resolve(did) }
        }
        for text in ["[]", "{", "1"] {
            let did = try DID.peer4(document: Array(text.utf8))
            #expect(throws: DIDCommError(.documentMalformed, "")) { try resolver.resolve(did) }
        }
    }

    @Test(.enabled(if: OutsideVectors.arePresent, "\(OutsideVectors.skipped)"))
    func `the generated DIDs are made byte for byte, and read as other libraries read them`() throws {
        let vectors = try AriesVectors.read()
        let key = try Verkey(parsing: vectors.keys[0].verkey)
        let two = try DID(parsing: vectors.generatedPeer2.did)
        let document = try resolver.resolve(two)
        #expect(document.authenticationKeys == [key])
        #expect(document.agreementKeys.map(\.multibase) == [vectors.keys[0].x25519Multibase])
        let service = try document.service()
        #expect(service.routingKeys.map(\.didKey) == ["did:key:z6MkpTHR8VNsBxYAAWHut2Geadd9jSwuBV8xRoAnwWsdvktH"])
        let written: JSONObject = [
            "id": "#didcomm-0", "t": "did-communication", "priority": 0, "recipientKeys": ["#key-1"],
            "r": .strings(service.routingKeys.map(\.didKey)), "s": .string(service.endpoint.text),
        ]
        let keys = [
            (purpose: PeerDID.Purpose.authentication, key: key.publicKey), (.agreement, document.agreementKeys[0]),
        ]
        #expect(try DID.peer2(keys: keys, services: [written.encoded]) == two)
        // Agents look for a method, so our own name routing keys by references; all else is the same.
        let address = AgentAddress(key: key, routingKeys: service.routingKeys, endpoint: service.endpoint)
        #expect(try resolver.resolve(address.peer2()).service().routingKeys == service.routingKeys)
        let four = try DID(parsing: vectors.generatedPeer4.long)
        let read = try resolver.resolve(four)
        #expect(read.authenticationKeys == [key])
        #expect(try read.service().endpoint.text == "http://example.com:8000")
    }

    @Test(.enabled(if: OutsideVectors.arePresent, "\(OutsideVectors.skipped)"))
    func `the published DIDs are read, and their services of newer kinds are refused by name`() throws {
        let vectors = try AriesVectors.read()
        let two = try resolver.resolve(DID(parsing: vectors.peer2.did))
        #expect(two.authenticationKeys.count == 1 && two.agreementKeys.count == 1)
        #expect(two.refusals == [DIDCommError(.serviceProfile, ""), DIDCommError(.serviceProfile, "")])
        let three = try resolver.resolve(DID(parsing: vectors.peer3.did2))
        #expect(three.authenticationKeys.count == 2)
        let four = try resolver.resolve(DID(parsing: vectors.peer4.long))
        #expect(four.agreementKeys.map(\.multibase) == ["z6LSqPZfn9krvgXma2icTMKf2uVcYhKXsudCmPoUzqGYW24U"])
        #expect(four.refusals == [DIDCommError(.serviceProfile, "")])
    }
}
