import ByteCoding
import CryptoSuite
import Testing

@Suite struct SignatureTests {
    // RFC 8032, section 7.1, test 1.
    @Test func `Ed25519 gives the signature of RFC 8032`() throws {
        let seed = Secret(
            copying: try #require(Hex.decode("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")))
        let publicKey = try Ed25519.publicKey(for: seed)
        #expect(Hex.encode(publicKey) == "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
        let signature = try Ed25519.sign([], seed: seed)
        #expect(
            Hex.encode(signature)
                == "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
                + "d25bf5f0595bbe24655141438e7a100b")
        #expect(Ed25519.verify(signature: signature, message: [], publicKey: publicKey))
    }

    @Test func `an Ed25519 signature is valid for one message, key and encoding`() throws {
        let seed = Secret(copying: [UInt8](repeating: 3, count: 32))
        let publicKey = try Ed25519.publicKey(for: seed)
        let other = try Ed25519.publicKey(for: Secret(copying: [UInt8](repeating: 4, count: 32)))
        let signature = try Ed25519.sign([1, 2, 3], seed: seed)
        #expect(Ed25519.verify(signature: signature, message: [1, 2, 3], publicKey: publicKey))
        #expect(!Ed25519.verify(signature: signature, message: [1, 2, 4], publicKey: publicKey))
        #expect(!Ed25519.verify(signature: signature, message: [1, 2, 3], publicKey: other))
        for bit in 0..<512 {
            var changed = signature
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(!Ed25519.verify(signature: changed, message: [1, 2, 3], publicKey: publicKey))
        }
    }

    @Test func `Ed25519 signatures and seeds of a wrong length are refused`() throws {
        let seed = Secret(copying: [UInt8](repeating: 3, count: 32))
        let publicKey = try Ed25519.publicKey(for: seed)
        let signature = try Ed25519.sign([], seed: seed)
        #expect(!Ed25519.verify(signature: signature + [0], message: [], publicKey: publicKey))
        #expect(!Ed25519.verify(signature: Array(signature.dropLast()), message: [], publicKey: publicKey))
        #expect(!Ed25519.verify(signature: signature, message: [], publicKey: publicKey + [0]))
        #expect(!Ed25519.verify(signature: [], message: [], publicKey: []))
        for count in [0, 31, 33] {
            let wrong = Secret(copying: [UInt8](repeating: 3, count: count))
            #expect(throws: CryptoError(.invalidKey, "")) { try Ed25519.sign([], seed: wrong) }
            #expect(throws: CryptoError(.invalidKey, "")) { try Ed25519.publicKey(for: wrong) }
        }
    }

    @Test func `an Ed25519 public key of small order verifies nothing`() {
        let identity = [1] + [UInt8](repeating: 0, count: 31)
        let signature = identity + [UInt8](repeating: 0, count: 32)
        #expect(!Ed25519.verify(signature: signature, message: [1], publicKey: identity))
    }
}
