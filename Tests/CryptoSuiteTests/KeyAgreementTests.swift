import ByteCoding
import Determinism
import Testing

@testable import CryptoSuite

@Suite struct KeyAgreementTests {
    // RFC 7748, section 6.1.
    @Test func `both sides of X25519 agree on the secret of RFC 7748`() throws {
        let alice = Secret(copying: try bytes("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"))
        let bob = Secret(copying: try bytes("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"))
        let shared = try bytes("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742")
        let alicePublic = try X25519.publicKey(for: alice)
        let bobPublic = try X25519.publicKey(for: bob)
        #expect(Hex.encode(alicePublic) == "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a")
        #expect(Hex.encode(bobPublic) == "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f")
        #expect(try X25519.sharedSecret(privateKey: alice, publicKey: bobPublic).copyBytes() == shared)
        #expect(try X25519.sharedSecret(privateKey: bob, publicKey: alicePublic).copyBytes() == shared)
        #expect(HashBackEnd.x25519SharedSecret(alice, bobPublic)?.copyBytes() == shared)
        #expect(HashBackEnd.x25519PublicKey(alice) == alicePublic)
    }

    @Test func `a public key of low order is refused in a key agreement`() throws {
        let key = Secret(copying: (0..<32).map { UInt8($0) })
        for point in [[UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31)] {
            #expect(throws: CryptoError(.lowOrderPoint, "")) {
                try X25519.sharedSecret(privateKey: key, publicKey: point)
            }
            #expect(HashBackEnd.x25519SharedSecret(key, point) == nil)
        }
    }

    @Test(arguments: [0, 31, 33]) func `a key agreement key that is not 32 bytes long is refused`(count: Int) {
        let wrong = [UInt8](repeating: 9, count: count)
        let right = [UInt8](repeating: 9, count: 32)
        #expect(throws: CryptoError(.invalidKey, "")) { try X25519.publicKey(for: Secret(copying: wrong)) }
        #expect(throws: CryptoError(.invalidKey, "")) {
            try X25519.sharedSecret(privateKey: Secret(copying: right), publicKey: wrong)
        }
        #expect(throws: CryptoError(.invalidKey, "")) {
            try X25519.sharedSecret(privateKey: Secret(copying: wrong), publicKey: right)
        }
    }

    @Test func `X25519 private keys are drawn from the given random source`() {
        var first = SeededRandom(seed: 5)
        var second = SeededRandom(seed: 5)
        let key = X25519.makePrivateKey(from: &first)
        #expect(key.copyBytes() == second.bytes(count: 32))
        #expect(X25519.makePrivateKey(from: &first) != key)
    }

    // RFC 5869, appendices A.1 and A.2 as far as one block and more are concerned.
    @Test func `HKDF derives the keys of RFC 5869`() throws {
        let input = Secret(copying: [UInt8](repeating: 0x0B, count: 22))
        let key = try HKDF.deriveSHA256(
            inputKey: input, salt: Array(0...0x0C), info: Array(0xF0...0xF9), count: 42)
        #expect(
            Hex.encode(key.copyBytes())
                == "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")
        let plain = try HKDF.deriveSHA256(inputKey: input, salt: [], info: [], count: 42)
        #expect(
            Hex.encode(plain.copyBytes())
                == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")
    }

    @Test func `HKDF derives keys of one to 8160 bytes`() throws {
        let input = Secret(copying: [1, 2, 3])
        for count in [1, 32, 33, 8160] {
            let key = try HKDF.deriveSHA256(inputKey: input, salt: [4], info: [5], count: count)
            #expect(key.count == count)
            #expect(HashBackEnd.hkdfSHA256(inputKey: input, salt: [4], info: [5], count: count) == key)
        }
        for count in [-1, 0, 8161, .max] {
            #expect(throws: CryptoError(.invalidLength, "")) {
                try HKDF.deriveSHA256(inputKey: input, salt: [4], info: [5], count: count)
            }
        }
    }

    private func bytes(_ hex: String) throws -> [UInt8] { try #require(Hex.decode(hex)) }
}
