import ByteCoding
import TestSupport
import Testing

@testable import DIDComm

@Suite struct DIDTests {
    private let key = "z6MkmjY8GnV5i9YTDtPETC2uUAW6ejw3nk5mXF5yci5ab7th"

    private func same(_ left: String, _ right: String) throws -> Bool {
        try DID(parsing: left).isSame(as: DID(parsing: right))
    }

    @Test func `a DID with and without did:sov is equal, and its text is kept`() throws {
        #expect(try same("V4SGRU86Z58d6TV7PBUe6f", "did:sov:V4SGRU86Z58d6TV7PBUe6f"))
        #expect(try !same("V4SGRU86Z58d6TV7PBUe6f", "did:sov:Th7MpTaRZVRYnPiabds81Y"))
        #expect(try DID(parsing: "V4SGRU86Z58d6TV7PBUe6f").text == "V4SGRU86Z58d6TV7PBUe6f")
        #expect(try DID(parsing: "did:sov:V4SGRU86Z58d6TV7PBUe6f").description == "did:sov:V4SGRU86Z58d6TV7PBUe6f")
    }

    @Test func `a did:key and a did:peer:0 of one key are different DIDs`() throws {
        #expect(try !same("did:key:\(key)", "did:peer:0\(key)"))
        #expect(try DID(parsing: "did:key:\(key)") == .key(Curve25519PublicKey(multibase: key)))
        #expect(try DID(parsing: "did:peer:0\(key)").method == .peer(.key(Curve25519PublicKey(multibase: key))))
    }

    @Test(arguments: ["did:web:example.com", "did:web:example.com%3A8080:a", "did:indy:net:V4SGRU86Z58d6TV7PBUe6f"])
    func `a DID of an unknown method is read with the method's name`(text: String) throws {
        let did = try DID(parsing: text)
        #expect(did.method == .other(String(text.dropFirst(4).prefix { $0 != ":" })))
        #expect(did.shortForm == did)
    }

    @Test(arguments: [
        "", "did", "did:", "did:web", "did:web:", "did::x", "did:Web:x", "did:web:a b", "did:web:a#b", "did:web:a/b",
        "did:web:a?b", "did:web:a:", "did:web:\u{E9}", "V4SGRU86Z58d6TV7PBU", "did:sov:V4SGRU86Z58d6TV7PBUe6fff",
        "GJ1SzoWzavQYfNL9XkaJdrQejfztN4XqdsiV4ct3LXKL", "did:peer:", "did:peer:5zabc", "DID:web:x",
    ])
    func `text that is no DID is refused`(text: String) {
        #expect(throws: DIDCommError(.didMalformed, "")) { try DID(parsing: text) }
    }

    @Test func `a bad key in a did:key has the code of the key`() {
        #expect(throws: DIDCommError(.keyMalformed, "")) { try DID(parsing: "did:key:z0") }
        #expect(throws: DIDCommError(.keyUnsupported, "")) {
            try DID(parsing: "did:key:" + Multibase.encode([0xE7, 1] + [UInt8](repeating: 1, count: 33)))
        }
    }

    @Test func `a DID may have 12,000 characters and not one more`() {
        let text = "did:web:" + String(repeating: "a", count: DID.maximumCharacters - 8)
        #expect(throws: Never.self) { try DID(parsing: text) }
        #expect(throws: DIDCommError(.didTooLong, "")) { try DID(parsing: text + "a") }
    }
}
