import ByteCoding
import TestSupport
import Testing

@testable import DIDComm

@Suite struct Curve25519PublicKeyTests {
    private let text = "z6MkmjY8GnV5i9YTDtPETC2uUAW6ejw3nk5mXF5yci5ab7th"

    private func key(prefix: [UInt8], count: Int = 32) -> String {
        Multibase.encode(prefix + [UInt8](repeating: 7, count: count))
    }

    @Test func `a public key is written as it was read, with its type`() throws {
        let key = try Curve25519PublicKey(multibase: text)
        #expect(key.kind == .ed25519)
        #expect(key.multibase == text)
        #expect(key.didKey == "did:key:" + text)
        #expect(try Curve25519PublicKey(didKey: key.didKey) == key)
        let agreement = try Curve25519PublicKey(multibase: "z6LSbkodSr6SU2trs8VUgnrnWtSm7BAPG245ggrBmSrxbv1R")
        #expect(agreement.kind == .x25519)
    }

    @Test func `a public key has 32 bytes, not one less and not one more`() {
        #expect(throws: Never.self) { try Curve25519PublicKey(multibase: key(prefix: [0xED, 0x01])) }
        for count in [31, 33] {
            #expect(throws: DIDCommError(.keyMalformed, "")) {
                try Curve25519PublicKey(multibase: key(prefix: [0xED, 0x01], count: count))
            }
            #expect(Curve25519PublicKey(.x25519, [UInt8](repeating: 0, count: count)) == nil)
        }
    }

    @Test(arguments: [[0xE7, 0x01], [0x80, 0x24], [0x00]] as [[UInt8]])
    func `a public key of another type is refused as unsupported`(prefix: [UInt8]) {
        #expect(throws: DIDCommError(.keyUnsupported, "")) { try Curve25519PublicKey(multibase: key(prefix: prefix)) }
    }

    @Test(arguments: [
        "", "z", "z0", "m" + "7QEBAQ", "6MkmjY8GnV5i9YTDtPETC2uUAW6ejw3nk5mXF5yci5ab7th",
        "z6MkmjY8GnV5i9YTDtPETC2uUAW6ejw3nk5mXF5yci5ab7t0", " z6MkmjY8GnV5i9YTDtPETC2uUAW6ejw3nk5mXF5yci5ab7th",
    ])
    func `a text that is no multibase key is refused`(text: String) {
        #expect(throws: DIDCommError(.keyMalformed, "")) { try Curve25519PublicKey(multibase: text) }
    }

    @Test func `a multicodec number written longer than needed, or without end, is refused`() {
        for prefix in [[0xED, 0x81, 0x00], [0xED, 0x81, 0x80, 0x00], [0xFF, 0xFF, 0xFF, 0xFF, 0x01]] as [[UInt8]] {
            #expect(throws: DIDCommError(.keyMalformed, "")) { try Curve25519PublicKey(multibase: key(prefix: prefix)) }
        }
        #expect(Multicodec.split([0xFF, 0xFF, 0xFF, 0x7F])?.code == 0x0FFF_FFFF)
        #expect(Multicodec.split([0xFF, 0xFF, 0xFF, 0xFF, 0x7F]) == nil)
        #expect(Multicodec.split([]) == nil)
        #expect(Multicodec.split([0])?.code == 0)
    }

    @Test func `a did:key fragment equal to the key is dropped, and any other fragment is refused`() throws {
        let key = try Curve25519PublicKey(multibase: text)
        #expect(try Curve25519PublicKey(didKey: "did:key:\(text)#\(text)") == key)
        let other = "z6MkukGVb3mRvTu1msArDKY9UwxeZFGjmwnCKtdQttr4Fk6i"
        for form in ["\(text)#\(other)", "\(text)#", "#\(text)", "\(text)#\(text)#\(text)", ""] {
            #expect(throws: DIDCommError(.keyMalformed, "")) { try Curve25519PublicKey(didKey: "did:key:" + form) }
        }
    }

    @Test func `a public key cut short or followed by more is refused`() throws {
        let decode: ([UInt8]) throws -> Curve25519PublicKey? = {
            try Curve25519PublicKey(multibase: String(decoding: $0, as: UTF8.self))
        }
        #expect(DecoderVerifier.acceptedTruncations(of: Array(text.utf8), by: decode) == [])
        #expect(DecoderVerifier.acceptedExtensions(of: Array(text.utf8), by: decode) == [])
    }
}
