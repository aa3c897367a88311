import ByteCoding
import Determinism
import TestSupport
import Testing

@testable import CryptoSuite

#if canImport(Darwin)
    import Foundation
#else
    import FoundationEssentials
#endif

/// The values of primitives that another binding of libsodium gave.
private struct Primitives: Decodable {
    struct File: Decodable { let primitives: Primitives }

    struct Box: Decodable { let nonce_hex, plaintext_hex, box_hex: String }

    struct Seal: Decodable { let ephemeral_secret_hex, ephemeral_public_hex, plaintext_utf8, sealed_hex: String }

    struct Cipher: Decodable { let key_hex, nonce_hex, aad_utf8, plaintext_utf8, ciphertext_and_tag_hex: String }

    struct SmallOrder: Decodable { let ed25519_pub_hex: String }

    struct LowOrder: Decodable { let x25519_pub_hex: String }

    let x25519_shared_hex: String
    let crypto_box_beforenm_hex: String
    let crypto_box: Box
    let crypto_box_seal: Seal
    let chacha20poly1305_ietf: Cipher
    let ed25519_small_order_inputs: [SmallOrder]
    let x25519_low_order_inputs: [LowOrder]

    static func read() throws -> Primitives {
        let file = Data(try OutsideVectors.contents(of: "aries-vectors.json"))
        return try JSONDecoder().decode(File.self, from: file).primitives
    }
}

@Suite(.enabled(if: OutsideVectors.arePresent, Comment(rawValue: OutsideVectors.skipped)))
struct PublishedPrimitivesTests {
    private let trustee = Secret(copying: Array("000000000000000000000000Trustee1".utf8))
    private let steward = Secret(copying: Array("000000000000000000000000Steward1".utf8))

    private func bytes(_ hex: String) throws -> [UInt8] { try #require(Hex.decode(hex)) }

    @Test func `NaCl keys, boxes, sealed boxes and content ciphers have the published bytes`() throws {
        let published = try Primitives.read()
        let recipient = try Ed25519.x25519PublicKey(for: Ed25519.publicKey(for: trustee))
        let sender = try Ed25519.x25519PrivateKey(for: steward)
        let shared = try X25519.sharedSecret(privateKey: sender, publicKey: recipient)
        #expect(Hex.encode(shared.copyBytes()) == published.x25519_shared_hex)
        let key = try CryptoBox.sharedKey(publicKey: recipient, privateKey: sender)
        #expect(Hex.encode(key.copyBytes()) == published.crypto_box_beforenm_hex)
        let box = published.crypto_box
        let sealed = try CryptoBox.seal(bytes(box.plaintext_hex), nonce: bytes(box.nonce_hex), sharedKey: key)
        #expect(Hex.encode(sealed) == box.box_hex)
        let seal = published.crypto_box_seal
        let ephemeral = Secret(copying: try bytes(seal.ephemeral_secret_hex))
        #expect(Hex.encode(try X25519.publicKey(for: ephemeral)) == seal.ephemeral_public_hex)
        let anonymous = try SealedBox.seal(Array(seal.plaintext_utf8.utf8), to: recipient, ephemeralKey: ephemeral)
        #expect(Hex.encode(anonymous) == seal.sealed_hex)
        let cipher = published.chacha20poly1305_ietf
        let content = try AuthenticatedCipher.chaChaPoly.seal(
            Array(cipher.plaintext_utf8.utf8), key: Secret(copying: bytes(cipher.key_hex)),
            nonce: bytes(cipher.nonce_hex), additionalData: Array(cipher.aad_utf8.utf8))
        #expect(Hex.encode(content) == cipher.ciphertext_and_tag_hex)
    }

    @Test func `every published X25519 key of low order is refused`() throws {
        let published = try Primitives.read()
        #expect(published.ed25519_small_order_inputs.count == 5 && published.x25519_low_order_inputs.count == 4)
        for input in published.ed25519_small_order_inputs {
            let key = try bytes(input.ed25519_pub_hex)
            #expect(throws: CryptoError.self) { try Ed25519.x25519PublicKey(for: key) }
        }
        let own = try Ed25519.x25519PrivateKey(for: trustee)
        for input in published.x25519_low_order_inputs {
            let key = try bytes(input.x25519_pub_hex)
            #expect(throws: CryptoError.self) { try X25519.sharedSecret(privateKey: own, publicKey: key) }
            #expect(throws: CryptoError.self) { try CryptoBox.sharedKey(publicKey: key, privateKey: own) }
        }
    }
}
