import JSON
import Testing

@testable import DIDComm

@Suite struct DIDServiceTests {
    private func resolve(_ services: JSONValue...) throws -> PeerDocument {
        try Samples.resolve(Samples.document(services: services))
    }

    private func refusal(_ changes: JSONObject) throws -> DIDCommError.Code? {
        let document = try resolve(Samples.service(changes))
        #expect(document.services.count + document.refusals.count <= 1)
        return document.refusals.first?.code
    }

    @Test func `DID services are ordered by priority, and those of one priority as listed`() throws {
        let document = try resolve(
            Samples.service(["id": "#c", "priority": 1]), Samples.service(["id": "#a"]),
            Samples.service(["id": "#d", "priority": 1]), Samples.service(["id": "#b", "priority": 0]))
        #expect(document.services.map(\.id) == ["#a", "#b", "#c", "#d"])
    }

    @Test func `the first reachable service of a DID document is chosen`() throws {
        let document = try resolve(
            Samples.service(["serviceEndpoint": "didcomm:transport/queue"]),
            Samples.service(["serviceEndpoint": "wss://example.com"]), Samples.service())
        #expect(try document.service().endpoint.transport == .wss)
        #expect(try document.service(reachedBy: [.http, .https]).endpoint.transport == .http)
        #expect(throws: DIDCommError(.serviceNone, "")) { try document.service(reachedBy: [.https]) }
        let silent = try resolve(Samples.service(["serviceEndpoint": "didcomm:transport/queue"]))
        #expect(try silent.service().endpoint == .queue, "when there is nothing else")
    }

    @Test func `a DID document without services is valid, and fails only when an address is needed`() throws {
        let document = try resolve()
        #expect(document.services.isEmpty && document.refusals.isEmpty)
        #expect(throws: DIDCommError(.serviceNone, "")) { try document.service() }
    }

    @Test func `a DID service of another type than messaging is ignored`() throws {
        #expect(try resolve(Samples.service(["type": "LinkedDomains"])).refusals == [])
        #expect(try resolve(Samples.service(["type": nil])).refusals == [])
        let domains: JSONObject = ["type": "LinkedDomains", "serviceEndpoint": ["origins": ["https://a.example"]]]
        #expect(try resolve(Samples.service(domains)).refusals == [], "whatever it holds")
        #expect(try resolve(Samples.service(domains), Samples.service()).services.count == 1)
    }

    @Test func `the type of a service may be a list, of which one type for DIDComm counts`() throws {
        let both: JSONValue = ["LinkedDomains", "did-communication"]
        #expect(try resolve(Samples.service(["type": both])).services.count == 1)
        #expect(try resolve(Samples.service(["type": ["LinkedDomains"]])).refusals == [])
        #expect(try resolve(Samples.service(["type": []])).services.isEmpty)
        #expect(try refusal(["type": [1]]) == .serviceMalformed)
    }

    @Test(arguments: ["did-communication", "IndyAgent", "DIDCommMessaging"])
    func `every service type for DIDComm is read`(type: String) throws {
        #expect(try resolve(Samples.service(["type": .string(type)])).services.count == 1)
    }

    @Test func `a service's address may be a text, an object, or a list of either`() throws {
        let routing = try Samples.verkey(4)
        let object: JSONValue = [
            "uri": "https://a.example", "routingKeys": [.string(routing.didKey)], "accept": ["didcomm/aip1"],
        ]
        let one = try resolve(Samples.service(["serviceEndpoint": object])).service()
        #expect(one.routingKeys == [routing] && one.accept == ["didcomm/aip1"])
        #expect(one.endpoint.text == "https://a.example")
        let many = try resolve(Samples.service(["serviceEndpoint": [object, "ws://b.example"]])).services
        #expect(many.map(\.endpoint.text) == ["https://a.example", "ws://b.example"])
        #expect(many.last?.routingKeys == [])
    }

    @Test func `a DIDCommMessaging service without recipient keys uses the authentication keys`() throws {
        let changes: JSONObject = ["type": "DIDCommMessaging", "recipientKeys": nil]
        #expect(try resolve(Samples.service(changes)).service().recipientKeys == [Samples.verkey(1)])
        #expect(try refusal(["recipientKeys": nil]) == .serviceKeyless)
        #expect(try refusal(["recipientKeys": []]) == .serviceKeyless)
    }

    @Test func `a service that accepts none of our envelope formats is refused`() throws {
        #expect(try refusal(["accept": ["didcomm/v2"]]) == .serviceProfile)
        #expect(try refusal(["accept": ["didcomm/aip2;env=rfc587"]]) == .serviceProfile)
        #expect(try refusal(["accept": ["didcomm/v2", "didcomm/aip2;env=rfc19"]]) == nil)
        #expect(try refusal(["accept": []]) == nil)
    }

    @Test func `a service without a usable address is refused`() throws {
        #expect(try refusal(["serviceEndpoint": nil]) == .serviceMalformed)
        #expect(try refusal(["serviceEndpoint": []]) == .serviceMalformed)
        #expect(try refusal(["serviceEndpoint": 1]) == .serviceMalformed)
        #expect(try refusal(["serviceEndpoint": "ble://x"]) == .endpointTransport)
        #expect(try refusal(["serviceEndpoint": "http://u:p@x"]) == .endpointMalformed)
        #expect(try refusal(["priority": "high"]) == .serviceMalformed)
        #expect(try refusal(["recipientKeys": "#key-1"]) == .serviceMalformed)
        #expect(try refusal(["routingKeys": ["abc"]]) == .keyMalformed)
    }

    @Test func `a service has at most 16 keys, 16 profiles of 128 bytes and 8 addresses, and one more is refused`()
        throws
    {
        let key = JSONValue.string(try Samples.verkey(4).base58)
        for list in ["recipientKeys", "routingKeys"] {
            #expect(try refusal([list: .array([JSONValue](repeating: key, count: 16))]) == nil)
            #expect(try refusal([list: .array([JSONValue](repeating: key, count: 17))]) == .documentTooLarge)
        }
        let profiles = [JSONValue](repeating: "didcomm/aip1", count: 17)
        #expect(try refusal(["accept": .array(Array(profiles.dropLast()))]) == nil)
        #expect(try refusal(["accept": .array(profiles)]) == .documentTooLarge)
        let long = String(repeating: "x", count: 128)
        #expect(try refusal(["accept": ["didcomm/aip1", .string(long)]]) == nil)
        #expect(try refusal(["accept": ["didcomm/aip1", .string(long + "x")]]) == .documentTooLarge)
        let addresses = [JSONValue](repeating: "http://a", count: 9)
        #expect(
            try resolve(Samples.service(["serviceEndpoint": .array(Array(addresses.dropLast()))])).services.count == 8)
        #expect(try refusal(["serviceEndpoint": .array(addresses)]) == .documentTooLarge)
    }

    @Test func `the inline service of an invitation becomes a document of its keys`() throws {
        let address = try Samples.address(3, routing: [4])
        let document = try DIDDocument(inlineService: JSONValueReader(object: address.inlineService))
        let read = try StaticDIDResolver().resolve(document)
        #expect(read.did == .key(address.key.publicKey))
        #expect(try read.service().recipientKeys == [address.key])
        #expect(try read.service().routingKeys == address.routingKeys)
        #expect(read.owns(address.key))
    }

    @Test func `the address and keys of an older invitation are read like an inline service`() throws {
        let key = try Samples.verkey(3)
        let invitation: JSONObject = [
            "label": "A", "recipientKeys": [.string(key.base58)], "serviceEndpoint": "http://a.example",
        ]
        let document = try StaticDIDResolver().resolve(DIDDocument(inlineService: JSONValueReader(object: invitation)))
        #expect(try document.service().recipientKeys == [key])
    }

    @Test func `an inline service without keys, without address, or with a bad key is refused`() throws {
        let key = try Samples.verkey(3)
        let cases: [(JSONObject, DIDCommError.Code)] = [
            (["serviceEndpoint": "http://a"], .serviceKeyless),
            (["recipientKeys": [.string(key.base58)]], .serviceMalformed),
            (["recipientKeys": ["#key-1"], "serviceEndpoint": "http://a"], .keyMalformed),
            (["type": "x", "recipientKeys": [.string(key.base58)], "serviceEndpoint": "http://a"], .serviceMalformed),
        ]
        for (object, code) in cases {
            #expect(throws: DIDCommError(code, "")) { try DIDDocument(inlineService: JSONValueReader(object: object)) }
        }
    }
}
