import CryptoSuite
import JSON
import Testing

@testable import DIDComm

@Suite struct DIDResolutionTests {
    private let public1 = "did:sov:V4SGRU86Z58d6TV7PBUe6f"

    private func mediated(by did: String) throws -> JSONObject {
        try Samples.document(services: [
            Samples.service(["serviceEndpoint": .string(did), "routingKeys": [.string(try Samples.verkey(4).didKey)]])
        ])
    }

    @Test func `the resolution of a DID without an embedded document requests that document`() throws {
        let did = try DID(parsing: public1)
        var resolution = DIDResolution(did)
        #expect(try resolution.progress() == .needs(did))
        try resolution.provide(Samples.read(Samples.document(services: [Samples.service()])), for: did)
        guard case .resolved(let document) = try resolution.progress() else {
            Issue.record("nothing is missing")
            return
        }
        #expect(document.did == did && document.services.count == 1)
    }

    @Test func `the resolution of a DID refuses the document of another DID`() throws {
        let did = try DID(parsing: "did:sov:Th7MpTaRZVRYnPiabds81Y")
        var resolution = DIDResolution(did)
        #expect(throws: DIDCommError(.documentWrongID, "")) {
            try resolution.provide(Samples.read(Samples.document()), for: did)
        }
        resolution.fail(did, StaticDIDResolver.unresolved(did))
        #expect(throws: DIDCommError(.didUnresolved, "")) { try resolution.progress() }
    }

    @Test func `an address that is a DID appends its recipient key and its routing keys to the routing keys`() throws {
        let mediator = try Samples.address(5, routing: [6]).peer2()
        let document = try Samples.resolve(mediated(by: mediator.text))
        let service = try document.service()
        #expect(service.routingKeys == [try Samples.verkey(4), try Samples.verkey(5), try Samples.verkey(6)])
        #expect(service.endpoint.text == "http://example.com:8000")
        let public2 = "did:sov:Th7MpTaRZVRYnPiabds81Y"
        var resolution = DIDResolution(try Samples.read(mediated(by: public2 + "#service")))
        #expect(try resolution.progress() == .needs(DID(parsing: public2)))
        resolution.fail(try DID(parsing: public2), StaticDIDResolver.unresolved(try DID(parsing: public2)))
        guard case .resolved(let partial) = try resolution.progress() else {
            Issue.record("a service that fails is left out")
            return
        }
        #expect(partial.services.isEmpty && partial.refusals == [DIDCommError(.didUnresolved, "")])
    }

    @Test func `an address that is a DID whose own service has no address is refused, and so is a loop`() throws {
        let key = try Samples.verkey(5).didKey
        #expect(try Samples.resolve(mediated(by: key)).refusals == [DIDCommError(.serviceNone, "")])
        #expect(try Samples.resolve(mediated(by: public1)).refusals == [DIDCommError(.serviceNone, "")])
    }

    @Test func `a DID resolution requests at most four documents`() throws {
        let dids = try (1...5).map { DID.unqualified(of: try Samples.verkey($0)) }
        let services = dids.map { Samples.service(["serviceEndpoint": .string("did:sov:" + $0.text)]) }
        var resolution = DIDResolution(try Samples.read(Samples.document(services: services)))
        var asked = 0
        while case .needs(let did) = try resolution.progress() {
            asked += 1
            resolution.fail(did, StaticDIDResolver.unresolved(did))
        }
        #expect(asked == DIDResolution.maximumQuestions - 1, "the first document counts")
        guard case .resolved(let document) = try resolution.progress() else { return }
        #expect(document.refusals.count == 5)
        #expect(document.refusals.last == DIDCommError(.documentTooLarge, ""))
    }

    @Test func `a resolver without a document reports the reason`() throws {
        let resolver = StaticDIDResolver()
        #expect(throws: DIDCommError(.didMethodUnsupported, "")) {
            try resolver.resolve(DID(parsing: "did:web:a.example"))
        }
        #expect(throws: DIDCommError(.didUnresolved, "")) { try resolver.resolve(DID(parsing: public1)) }
        let long = try Samples.address(3).peer4()
        #expect(throws: DIDCommError(.didUnresolved, "")) { try resolver.resolve(long.shortForm) }
    }

    @Test func `a resolver that has the long form of a did:peer:4 resolves the short one`() throws {
        for long in [try Samples.address(3).peer2(), try Samples.address(3).peer4()] {
            var resolver = StaticDIDResolver()
            try resolver.add(long)
            let document = try resolver.resolve(long.shortForm)
            #expect(document.did == long.shortForm)
            #expect(try document.service().recipientKeys == [Samples.verkey(3)])
            #expect(throws: DIDCommError(.didUnresolved, "")) { try resolver.add(long.shortForm) }
        }
    }

    @Test func `a stored DID document is read back unchanged`() throws {
        var resolver = StaticDIDResolver([try Samples.read(Samples.document(services: [Samples.service()]))])
        try resolver.add(Samples.address(3, routing: [4]).peer4())
        for did in [try DID(parsing: public1), try Samples.address(3, routing: [4]).peer4().shortForm] {
            let document = try resolver.resolve(did)
            #expect(try PeerDocument(stored: JSONValueReader(object: document.json)) == document)
        }
        #expect(throws: DIDCommError(.documentMalformed, "")) { try PeerDocument(stored: JSONValueReader(object: [:])) }
    }
}
