import ByteCoding
import CryptoSuite
import TestSupport
import Testing

@testable import DIDComm

@Suite struct VerkeyTests {
    @Test(.shows("ARI-025")) func `all spellings of one key are one value`() throws {
        let raw = "8HH5gYEeNc3z7PYXmd54d4x6qAfCNrqQqEB3nS7Zfu7K"
        let multibase = "z6MkmjY8GnV5i9YTDtPETC2uUAW6ejw3nk5mXF5yci5ab7th"
        let key = try Verkey(parsing: raw)
        #expect(try Verkey(parsing: "did:key:" + multibase) == key)
        #expect(try Verkey(parsing: "did:key:\(multibase)#\(multibase)") == key)
        #expect(key.base58 == raw && key.description == raw && key.multibase == multibase)
    }

    @Test func `an X25519 key is refused as a verkey`() throws {
        let agreement = "did:key:z6LSbkodSr6SU2trs8VUgnrnWtSm7BAPG245ggrBmSrxbv1R"
        #expect(throws: DIDCommError(.keyWrongKind, "")) { try Verkey(parsing: agreement) }
        #expect(Verkey(try Curve25519PublicKey(didKey: agreement)) == nil)
    }

    @Test func `a verkey has 32 bytes, and 31 or 33 are refused`() {
        for count in [31, 33] {
            let text = Base58.encode([UInt8](repeating: 9, count: count))
            #expect(throws: DIDCommError(.keyMalformed, "")) { try Verkey(parsing: text) }
            #expect(Verkey([UInt8](repeating: 9, count: count)) == nil)
        }
        let zeros = [UInt8](repeating: 0, count: 32)
        #expect(throws: Never.self) { try Verkey(parsing: Base58.encode(zeros)) }
        #expect(throws: DIDCommError(.keyMalformed, "")) { try Verkey(parsing: String(repeating: "1", count: 33)) }
    }

    @Test(arguments: ["", "did:", "did:sov:V4SGRU86Z58d6TV7PBUe6f", "V4SGRU86Z58d6TV7PBUe6f", "0OIl"])
    func `text that is no key is refused as a verkey`(text: String) {
        #expect(throws: DIDCommError(.keyMalformed, "")) { try Verkey(parsing: text) }
    }

    @Test func `a verkey cut short by more than its last digit, or followed by more, is refused`() {
        let decode: ([UInt8]) throws -> Verkey? = { try Verkey(parsing: String(decoding: $0, as: UTF8.self)) }
        let text = Array("8HH5gYEeNc3z7PYXmd54d4x6qAfCNrqQqEB3nS7Zfu7K".utf8)
        #expect(DecoderVerifier.acceptedTruncations(of: text, by: decode) == [43], "that is 32 bytes too")
        #expect(DecoderVerifier.acceptedExtensions(of: text, by: decode) == [])
    }

    @Test func `verkeys are ordered by their bytes`() throws {
        let small = try #require(Verkey([UInt8](repeating: 1, count: 32)))
        let large = try #require(Verkey([UInt8](repeating: 2, count: 32)))
        #expect(small < large && !(large < small) && !(small < small))
    }

    @Test(.enabled(if: OutsideVectors.arePresent, "\(OutsideVectors.skipped)"))
    func `the published verkeys have the published spellings`() throws {
        let vectors = try AriesVectors.read()
        #expect(try Verkey(parsing: vectors.rfc0360.verkey).didKey == vectors.rfc0360.didKey)
        #expect(vectors.keys.count == 4)
        for vector in vectors.keys {
            let bytes = try Ed25519.publicKey(for: Secret(copying: vector.seedASCII.utf8))
            #expect(Hex.encode(bytes) == vector.publicKeyHex)
            let key = try #require(Verkey(bytes))
            #expect(key.base58 == vector.verkey)
            #expect(key.didKey == vector.didKey)
            #expect(DID.unqualified(of: key).text == vector.indyDID)
            #expect(try DID(parsing: vector.didPeer0).method == .peer(.key(key.publicKey)))
            let agreement = try #require(Hex.decode(vector.x25519Hex).flatMap { Curve25519PublicKey(.x25519, $0) })
            #expect(agreement.multibase == vector.x25519Multibase)
        }
    }
}
