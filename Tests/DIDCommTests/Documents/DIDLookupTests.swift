import Determinism
import JSON
import Testing
import WebAddressing

@testable import DIDComm

/// Where documents are fetched, what counts as one, and how long it is remembered.
@Suite struct DIDLookupTests {
    private let sov = "did:sov:LjgpST2rjsoxYegQDRm7EL"

    private func document(_ did: String) throws -> JSONObject {
        try Samples.document(did, services: [Samples.service()])
    }

    private func did(_ text: String) throws -> DID { try DID(parsing: text) }

    @Test(arguments: [
        ("did:web:example.com", "https://example.com/.well-known/did.json"),
        ("did:web:example.com%3A3000", "https://example.com:3000/.well-known/did.json"),
        ("did:web:example.com:user:alice", "https://example.com/user/alice/did.json"),
        ("did:web:example.com%3a3000:a", "https://example.com:3000/a/did.json"),
        ("did:web:127.0.0.1%3A80:a", "https://127.0.0.1:80/a/did.json"),
    ])
    func `the document of a did:web stands at the address that its method says, always by TLS`(
        _ text: String, _ address: String
    ) throws {
        var lookup = DIDLookup()
        #expect(try lookup.next(did(text), at: .zero) == .web(WebAddress(parsing: address)))
    }

    @Test(arguments: [
        "did:web:a%2Fb.example", "did:web:example.com:..:secret", "did:web:example.com:%2E%2e", "did:web:a::b",
        "did:web:example.com%3A99999", "did:web:-",
    ])
    func `a did:web that names no host, or leads to another path, is malformed`(_ text: String) throws {
        var lookup = DIDLookup()
        #expect(throws: DIDCommError(.didMalformed, "")) { try lookup.next(DID(parsing: text), at: .zero) }
    }

    @Test func `DIDs of other methods are requested from the resolver, and refused with a code where there is none`()
        throws
    {
        var lookup = DIDLookup(resolver: try WebAddress(parsing: "https://resolver.example/base/"))
        let address = try WebAddress(parsing: "https://resolver.example/base/1.0/identifiers/\(sov)")
        #expect(try lookup.next(did(sov), at: .zero) == .resolver(address))
        #expect(try lookup.next(did("LjgpST2rjsoxYegQDRm7EL"), at: .zero) == .resolver(address))
        let escaped = try WebAddress(parsing: "https://resolver.example/base/1.0/identifiers/did:indy:a%253Ab")
        #expect(try lookup.next(did("did:indy:a%3Ab"), at: .zero) == .resolver(escaped))
        var alone = DIDLookup()
        #expect(throws: DIDCommError(.didUnresolved, "")) { try alone.next(did(sov), at: .zero) }
        #expect(throws: DIDCommError(.didMethodUnsupported, "")) { try alone.next(did("did:indy:a"), at: .zero) }
    }

    @Test func `a DID document given by hand and one that the DID holds are found without a fetch`() throws {
        let given = try Samples.read(document("did:web:example.com"))
        var lookup = DIDLookup(
            known: StaticDIDResolver([given]), resolver: try WebAddress(parsing: "https://resolver.example"))
        #expect(try lookup.next(did("did:web:example.com"), at: .zero) == .found(given))
        let held = try Samples.address(1).peer2()
        guard case .found = try lookup.next(held, at: .zero) else { throw DIDCommError(.didUnresolved, "") }
    }

    @Test func `a resolver's answer is the DID document alone or a resolution result with it`() throws {
        var lookup = DIDLookup()
        let bare = try document(sov)
        let result: JSONObject = [
            "didDocument": .object(bare), "didResolutionMetadata": ["contentType": "application/did+json"],
            "didDocumentMetadata": [:],
        ]
        for answer in [bare, result] {
            let found = try lookup.take(answer.encoded, for: did(sov), at: .zero)
            #expect(found == (try Samples.read(bare)))
            #expect(try DIDLookup.document(in: answer.encoded).did.text == sov)
        }
    }

    @Test(arguments: [
        (#"{"didDocument":null,"didResolutionMetadata":{"error":"notFound"}}"#, DIDCommError.Code.didNotFound),
        (#"{"didResolutionMetadata":{"error":"https://www.w3.org/ns/did#NOT_FOUND"}}"#, .didNotFound),
        (#"{"didDocument":null,"didResolutionMetadata":{}}"#, .didNotFound),
        (#"{"didDocument":{"id":"x"},"didDocumentMetadata":{"deactivated":true}}"#, .didDeactivated),
        (#"{"didResolutionMetadata":{"error":"methodNotSupported"}}"#, .didMethodUnsupported),
        (#"{"didResolutionMetadata":{"error":"internalError"}}"#, .didUnresolved),
        (#"{"didDocument":{"id":"did:sov:WgWxqztrNooG92RXvxSTWv"}}"#, .documentWrongID),
        (#"{"id":"did:sov:WgWxqztrNooG92RXvxSTWv"}"#, .documentWrongID),
        (#"{"hello":1}"#, .documentMalformed), ("<html>", .documentMalformed), ("[]", .documentMalformed),
        (#"{"didDocument":"text"}"#, .documentMalformed),
    ])
    func `a resolver's answer without the document of the DID is refused with its cause, and is not remembered`(
        _ answer: String, _ code: DIDCommError.Code
    ) throws {
        var lookup = DIDLookup()
        #expect(throws: DIDCommError(code, "")) { try lookup.take(Array(answer.utf8), for: did(sov), at: .zero) }
        #expect(throws: DIDCommError(.didUnresolved, "")) { try lookup.next(did(sov), at: .zero) }
    }

    @Test(arguments: [(404, DIDCommError.Code.didNotFound), (410, .didDeactivated), (501, .didMethodUnsupported)])
    func `each HTTP status with a meaning for the DID has its error code`(_ status: Int, _ code: DIDCommError.Code) {
        #expect(DIDLookup.refusal(status: status)?.code == code)
        #expect(DIDLookup.refusal(status: 500) == nil)
    }

    @Test func `a DID document at the size limit is read, and one byte more is too large`() throws {
        var lookup = DIDLookup()
        let document = try document(sov).encoded
        let padding = [UInt8](repeating: 0x20, count: DIDLookup.maximumAnswerBytes - document.count)
        #expect(try lookup.take(document + padding, for: did(sov), at: .zero).did.text == sov)
        #expect(throws: DIDCommError(.documentTooLarge, "")) {
            try lookup.take(document + padding + [0x20], for: did(sov), at: .zero)
        }
    }

    @Test func `a fetched DID document is used until its lifetime ends, and the oldest of too many are dropped`() throws
    {
        let resolver = try WebAddress(parsing: "https://resolver.example")
        var lookup = DIDLookup(resolver: resolver, lifetime: .seconds(10))
        let document = try lookup.take(document(sov).encoded, for: did(sov), at: .zero)
        #expect(try lookup.next(did(sov), at: .zero + .milliseconds(9_999)) == .found(document))
        guard case .resolver = try lookup.next(did(sov), at: .zero + .seconds(10)) else {
            throw DIDCommError(.documentTooLarge, "an expired document was used")
        }
        _ = try lookup.take(self.document(sov).encoded, for: did(sov), at: .zero)
        for number in 0..<DIDLookup.maximumDocuments {
            let other = "did:web:example.com:\(number)"
            _ = try lookup.take(self.document(other).encoded, for: did(other), at: .zero)
        }
        guard case .resolver = try lookup.next(did(sov), at: .zero) else {
            throw DIDCommError(.documentTooLarge, "more documents are remembered than the limit")
        }
    }
}
