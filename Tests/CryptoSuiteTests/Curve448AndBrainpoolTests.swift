import ByteCoding
import Determinism
import Testing

@testable import CryptoSuite

/// The published examples of RFC 7748, section 6.2, RFC 8032, section 7.4, and RFC 7027, appendix A.1.
@Suite struct Curve448AndBrainpoolTests {
    private static func bytes(_ text: String) throws -> [UInt8] { try #require(Hex.decode(text)) }

    private static func secret(_ text: String) throws -> Secret { Secret(copying: try bytes(text)) }

    @Test func `X448 computes the published public keys and their secret, and refuses a key of low order`() throws {
        let first = try Self.secret(
            "9a8f4925d1519f5775cf46b04b5800d4ee9ee8bae8bc5565d498c28d"
                + "d9c9baf574a9419744897391006382a6f127ab1d9ac2d8c0a598726b")
        let second = try Self.secret(
            "1c306a7ac2a0e2e0990b294470cba339e6453772b075811d8fad0d1d"
                + "6927c120bb5ee8972b0d3e21374c9c921b09d1b0366f10b65173992d")
        let publicKey = try X448.publicKey(for: first)
        #expect(
            Hex.encode(publicKey)
                == "9b08f7cc31b7e3e67d22d5aea121074a273bd2b83de09c63faa73d2c"
                + "22c5d9bbc836647241d953d40c5b12da88120d53177f80e532c41fa0")
        let shared = try X448.sharedSecret(privateKey: second, publicKey: publicKey)
        #expect(
            Hex.encode(shared.copyBytes())
                == "07fff4181ac6cc95ec1c16a94a0f74d12da232ce40a77552281d282b"
                + "b60c0b56fd2464c335543936521c24403085d59a449a5037514a879d")
        #expect(throws: CryptoError(.lowOrderPoint, "")) {
            try X448.sharedSecret(privateKey: first, publicKey: [UInt8](repeating: 0, count: 56))
        }
        #expect(throws: CryptoError(.invalidKey, "")) {
            try X448.sharedSecret(privateKey: first, publicKey: [UInt8](repeating: 9, count: 55))
        }
    }

    @Test func `Ed448 makes the published signature, and every other one is wrong`() throws {
        let seed = try Self.secret(
            "6c82a562cb808d10d632be89c8513ebf6c929f34ddfa8c9f63c9960ef6e348a3528c8a3fcc2f044e39a3fc5b94492f8f032e"
                + "7549a20098f95b")
        let publicKey = try Ed448.publicKey(for: seed)
        #expect(
            Hex.encode(publicKey)
                == "5fd7449b59b461fd2ce787ec616ad46a1da1342485a70e1f8a0ea75d80e96778edf124769b46c7061bd6783df1e50f6c"
                + "d1fa1abeafe8256180")
        let signature = try Ed448.sign([], seed: seed)
        #expect(
            Hex.encode(signature)
                == "533a37f6bbe457251f023c0d88f976ae2dfb504a843e34d2074fd823d41a591f2b233f034f628281f2fd7a22ddd47d78"
                + "28c59bd0a21bfd3980ff0d2028d4b18a9df63e006c5d1c2d345b925d8dc00b4104852db99ac5c7cdda8530a113a0f4db"
                + "b61149f05a7363268c71d95808ff2e652600")
        #expect(Ed448.verify(signature: signature, message: [], publicKey: publicKey))
        #expect(!Ed448.verify(signature: signature, message: [0], publicKey: publicKey))
        for index in signature.indices {
            var other = signature
            other[index] ^= 1
            #expect(!Ed448.verify(signature: other, message: [], publicKey: publicKey), "byte \(index)")
        }
        #expect(!Ed448.verify(signature: Array(signature.dropLast()), message: [], publicKey: publicKey))
        #expect(throws: CryptoError(.invalidKey, "")) { try Ed448.sign([], seed: Secret(copying: [1, 2, 3])) }
    }

    @Test func `ECDH on brainpoolP256r1 computes the published secret`() throws {
        let first = try ECDSA.PrivateKey(
            curve: .brainpoolP256r1,
            scalar: Self.secret("81DB1EE100150FF2EA338D708271BE38300CB54241D79950F77B063039804F1D"))
        let second = try ECDSA.PrivateKey(
            curve: .brainpoolP256r1,
            scalar: Self.secret("55E40BC41E37E3E2AD25C3C6654511FFA8474A91A0032087593852D3E7D76BD3"))
        #expect(
            Hex.encode(first.publicKey.x) == "44106e913f92bc02a1705d9953a8414db95e1aaa49e81d9e85f929a8e3100be5")
        #expect(
            Hex.encode(try ECDH.sharedSecret(privateKey: first, publicKey: second.publicKey).copyBytes())
                == "89afc39d41d3b327814b80940b042590f96556ec91e6ae7939bce31f3a18bf2b")
    }

    @Test(arguments: ECDSA.Curve.allCases) func `a key on each curve signs, and is read from its certificate form`(
        _ curve: ECDSA.Curve
    ) throws {
        var random = SeededRandom(seed: 7)
        let key = try ECDSA.PrivateKey.make(curve, from: &random)
        let message: [UInt8] = [1, 2, 3]
        let signature = try key.sign(message, hash: curve.hash)
        #expect(signature.count == curve.signatureCount)
        #expect(
            ECDSA.verify(signature: signature, message: message, publicKey: key.publicKey, hash: curve.hash))
        #expect(!ECDSA.verify(signature: signature, message: [1, 2], publicKey: key.publicKey, hash: curve.hash))
        let information = try CertificateTemplate.SigningKey.ecdsa(key).subjectPublicKeyInfo()
        #expect(try SubjectPublicKey(der: information) == .ecdsa(key.publicKey))
        let compressed = try ECDSA.PublicKey(curve: curve, x963: key.publicKey.compressed)
        #expect(compressed == key.publicKey && compressed.y == key.publicKey.y)
        var off = key.publicKey.x963
        off[off.count - 1] ^= 1
        #expect(throws: CryptoError(.invalidPoint, "")) { try ECDSA.PublicKey(curve: curve, x963: off) }
    }
}
