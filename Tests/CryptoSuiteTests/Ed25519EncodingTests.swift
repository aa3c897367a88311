import ByteCoding
import TestSupport
import Testing

@testable import CryptoSuite

/// The encodings that are refused before a library that has no rule about them is asked.
@Suite struct Ed25519EncodingTests {
    private let seed = Secret(copying: [UInt8](repeating: 7, count: 32))

    @Test func `the Ed25519 encodings of our own key and signature are acceptable`() throws {
        let key = try Ed25519.publicKey(for: seed)
        let signature = try Ed25519.sign([1, 2], seed: seed)
        #expect(Ed25519Encoding.isAcceptable(publicKey: key, signature: signature))
        #expect(!Ed25519Encoding.isAcceptable(publicKey: Array(key.dropLast()), signature: signature))
        #expect(!Ed25519Encoding.isAcceptable(publicKey: key, signature: signature + [0]))
    }

    @Test(arguments: [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000080",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ]) func `an Ed25519 point of small order is refused as key and as commitment`(hex: String) throws {
        let point = try #require(Hex.decode(hex))
        let key = try Ed25519.publicKey(for: seed)
        let signature = try Ed25519.sign([1], seed: seed)
        #expect(!Ed25519Encoding.isAcceptable(publicKey: point, signature: signature))
        #expect(!Ed25519Encoding.isAcceptable(publicKey: key, signature: point + signature[32...]))
        #expect(!Ed25519.verify(signature: signature, message: [1], publicKey: point))
    }

    @Test func `an Ed25519 coordinate not below the prime and a scalar not below the order are refused`() throws {
        let key = try Ed25519.publicKey(for: seed)
        let signature = try Ed25519.sign([1], seed: seed)
        let commitment = signature[..<32]
        let above = [0xF0] + [UInt8](repeating: 0xFF, count: 30) + [0x7F]
        #expect(!Ed25519Encoding.isAcceptable(publicKey: above, signature: signature))
        let order = try #require(Hex.decode("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010"))
        #expect(!Ed25519Encoding.isAcceptable(publicKey: key, signature: commitment + order))
        let below = [order[0] - 1] + order[1...]
        #expect(Ed25519Encoding.isAcceptable(publicKey: key, signature: commitment + below))
    }
}
