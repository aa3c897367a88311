import ByteCoding
import Determinism
import TestSupport
import Testing

@testable import CryptoSuite

@Suite struct BoxTests {
    // The example of "Cryptography in NaCl", sections 8 to 10: Alice's key with Bob's.
    private let alice = "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"
    private let bobPublic = "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"
    private let message =
        "be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c61296cdc3c012335"
        + "61f41db66cce314adb310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde048977eb48f59ffd4924"
        + "ca1c60902e52f0a089bc76897040e082f937763848645e0705"
    private let box =
        "f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186ac0dfc17c98dc"
        + "e87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae90224368517acfeabd6b"
        + "b3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74e355a5"

    // Two identities as DIDComm agents make them, with the values another libsodium binding gives.
    private let trustee = Secret(copying: Array("000000000000000000000000Trustee1".utf8))
    private let steward = Secret(copying: Array("000000000000000000000000Steward1".utf8))

    @Test func `a NaCl box has the bytes of the published example`() throws {
        let key = try CryptoBox.sharedKey(publicKey: bytes(bobPublic), privateKey: Secret(copying: bytes(alice)))
        #expect(Hex.encode(key.copyBytes()) == "1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389")
        let nonce = try bytes("69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37")
        let sealed = try CryptoBox.seal(bytes(message), nonce: nonce, sharedKey: key)
        #expect(Hex.encode(sealed) == box)
        #expect(try CryptoBox.open(sealed, nonce: nonce, sharedKey: key) == bytes(message))
    }

    @Test func `Ed25519 keys convert to the X25519 keys that other libraries compute`() throws {
        let publicKey = try Ed25519.publicKey(for: trustee)
        #expect(Hex.encode(publicKey) == "e33aaf381fffa6109ad591fdc38717945f8fabf7abf02086ae401c63e9913097")
        let agreementKey = try Ed25519.x25519PublicKey(for: publicKey)
        #expect(Hex.encode(agreementKey) == "07d0b594683bdb6af5f4eacb1a392687d580a58db196a752dca316dedb7d251c")
        let privateKey = try Ed25519.x25519PrivateKey(for: trustee)
        #expect(
            Hex.encode(privateKey.copyBytes()) == "d8a0b14421154b57e0fab8bec8abed1222a6bbdfeb02b4fae5c6292e97082855")
        #expect(try X25519.publicKey(for: privateKey) == agreementKey)
        let stewardKey = try Ed25519.x25519PrivateKey(for: steward)
        let shared = try CryptoBox.sharedKey(publicKey: agreementKey, privateKey: stewardKey)
        #expect(Hex.encode(shared.copyBytes()) == "2ecdcae2b25f4ff580a32725da02ffd518f6c2a5a2488120e8526194d91abca0")
        let sealed = try CryptoBox.seal(0x20...0x3F, nonce: Array(0..<24), sharedKey: shared)
        #expect(
            Hex.encode(sealed)
                == "e8d0debc56a775a94ac6d413402dbb4fa775892bf42d7e0de1eac2a7393013d62f141e80720d3f0b7b3afea1d873dc03")
    }

    @Test(arguments: [
        // Of small order: neutral element, order 2, order 4, order 8 twice.
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        // No point at all.
        "0200000000000000000000000000000000000000000000000000000000000000",
    ]) func `an Ed25519 key that no honest signer has is not converted`(key: String) throws {
        #expect(throws: CryptoError(.invalidPoint, "")) { try Ed25519.x25519PublicKey(for: bytes(key)) }
    }

    @Test func `an Ed25519 coordinate that is not reduced is refused, and so is its reduced form`() throws {
        // Only 0 to 18 have a second form below 2²⁵⁵, and none of them belongs to a point of the large group.
        for coordinate in UInt8(0)..<19 {
            for sign: UInt8 in [0, 0x80] {
                for key in [
                    [coordinate] + [UInt8](repeating: 0, count: 30) + [sign],
                    [0xED + coordinate] + [UInt8](repeating: 0xFF, count: 30) + [0x7F | sign],
                ] {
                    #expect(throws: CryptoError(.invalidPoint, "")) { try Ed25519.x25519PublicKey(for: key) }
                }
            }
        }
    }

    @Test func `a sealed box has the bytes that follow from its ephemeral key`() throws {
        let publicKey = try bytes("07d0b594683bdb6af5f4eacb1a392687d580a58db196a752dca316dedb7d251c")
        let sealed = try SealedBox.seal(
            Array("abc".utf8), to: publicKey, ephemeralKey: Secret(copying: 0x40...0x5F))
        #expect(
            Hex.encode(sealed)
                == "79a631eede1bf9c98f12032cdeadd0e7a079398fc786b88cc846ec89af85a51a"
                + "0a8a847902240660099d0eab66d8cb32022681")
        let privateKey = try Ed25519.x25519PrivateKey(for: trustee)
        #expect(try SealedBox.open(sealed, publicKey: publicKey, privateKey: privateKey) == Array("abc".utf8))
    }

    @Test func `a sealed box draws its ephemeral key from the given random source`() throws {
        var first = SeededRandom(seed: 3)
        var second = SeededRandom(seed: 3)
        let privateKey = X25519.makePrivateKey(from: &first)
        _ = second.bytes(count: 32)
        let publicKey = try X25519.publicKey(for: privateKey)
        let sealed = try SealedBox.seal([1, 2], to: publicKey, random: &first)
        #expect(sealed.count == 2 + SealedBox.overheadCount)
        let ephemeral = try X25519.publicKey(for: Secret(copying: second.bytes(count: 32)))
        #expect(Array(sealed[..<32]) == ephemeral)
        #expect(try SealedBox.seal([1, 2], to: publicKey, random: &first) != sealed)
    }

    @Test func `a box with any one bit changed is refused`() throws {
        let (publicKey, privateKey) = try pair()
        let key = try CryptoBox.sharedKey(publicKey: publicKey, privateKey: privateKey)
        let nonce = [UInt8](repeating: 7, count: 24)
        let box = try CryptoBox.seal([1, 2, 3], nonce: nonce, sharedKey: key)
        for bit in 0..<box.count * 8 {
            #expect(throws: CryptoError(.authenticationFailed, "")) {
                try CryptoBox.open(flip(bit, of: box), nonce: nonce, sharedKey: key)
            }
        }
        #expect(throws: CryptoError(.authenticationFailed, "")) {
            try CryptoBox.open(box, nonce: flip(0, of: nonce), sharedKey: key)
        }
        let sealed = try SealedBox.seal([1, 2, 3], to: publicKey, ephemeralKey: Secret(copying: 1...32))
        // The top bit of the ephemeral key is no part of the coordinate, but of the nonce.
        for bit in 0..<sealed.count * 8 {
            #expect(throws: CryptoError(.authenticationFailed, "")) {
                try SealedBox.open(flip(bit, of: sealed), publicKey: publicKey, privateKey: privateKey)
            }
        }
    }

    @Test func `a box cut short at any length is refused`() throws {
        let (publicKey, privateKey) = try pair()
        let key = try CryptoBox.sharedKey(publicKey: publicKey, privateKey: privateKey)
        let nonce = [UInt8](repeating: 7, count: 24)
        let box = try CryptoBox.seal([1, 2, 3], nonce: nonce, sharedKey: key)
        for count in 0..<box.count {
            let code: CryptoError.Code = count < 16 ? .invalidLength : .authenticationFailed
            #expect(throws: CryptoError(code, "")) { try CryptoBox.open(box[..<count], nonce: nonce, sharedKey: key) }
        }
        let sealed = try SealedBox.seal([1, 2, 3], to: publicKey, ephemeralKey: Secret(copying: 1...32))
        for count in 0..<sealed.count {
            let code: CryptoError.Code = count < 48 ? .invalidLength : .authenticationFailed
            #expect(throws: CryptoError(code, "")) {
                try SealedBox.open(sealed[..<count], publicKey: publicKey, privateKey: privateKey)
            }
        }
    }

    @Test(
        .shows("CHK-061"),
        arguments: [
            "0000000000000000000000000000000000000000000000000000000000000000",
            "0100000000000000000000000000000000000000000000000000000000000000",
            "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
            "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        ]) func `an X25519 key of low order is refused by every kind of box`(point: String) throws
    {
        let (publicKey, privateKey) = try pair()
        let point = try bytes(point)
        let error = CryptoError(.lowOrderPoint, "")
        #expect(throws: error) { try CryptoBox.sharedKey(publicKey: point, privateKey: privateKey) }
        #expect(throws: error) { try SealedBox.seal([1], to: point, ephemeralKey: privateKey) }
        let sealed = point + [UInt8](repeating: 0, count: 20)
        #expect(throws: error) { try SealedBox.open(sealed, publicKey: publicKey, privateKey: privateKey) }
    }

    @Test(arguments: [0, 31, 33]) func `a key of another length than 32 bytes is refused by every kind of box`(
        count: Int
    ) {
        let error = CryptoError(.invalidKey, "")
        let wrong = [UInt8](repeating: 9, count: count)
        let right = [UInt8](repeating: 9, count: 32)
        let (wrongKey, rightKey) = (Secret(copying: wrong), Secret(copying: right))
        #expect(throws: error) { try CryptoBox.sharedKey(publicKey: wrong, privateKey: rightKey) }
        #expect(throws: error) { try CryptoBox.sharedKey(publicKey: right, privateKey: wrongKey) }
        #expect(throws: error) { try CryptoBox.seal([1], nonce: Array(0..<24), sharedKey: wrongKey) }
        #expect(throws: error) { try CryptoBox.open(right, nonce: Array(0..<24), sharedKey: wrongKey) }
        #expect(throws: error) { try SealedBox.seal([1], to: wrong, ephemeralKey: rightKey) }
        #expect(throws: error) { try SealedBox.seal([1], to: right, ephemeralKey: wrongKey) }
        #expect(throws: error) { try SealedBox.open(right + right, publicKey: right, privateKey: wrongKey) }
        #expect(throws: error) { try Ed25519.x25519PublicKey(for: wrong) }
        #expect(throws: error) { try Ed25519.x25519PrivateKey(for: wrongKey) }
    }

    @Test(arguments: [0, 12, 23, 25]) func `a nonce of another length than 24 bytes is refused by a box`(count: Int) {
        let key = Secret(copying: [UInt8](repeating: 1, count: 32))
        let nonce = [UInt8](repeating: 1, count: count)
        #expect(throws: CryptoError(.invalidLength, "")) { try CryptoBox.seal([1], nonce: nonce, sharedKey: key) }
    }

    private func pair() throws -> (publicKey: [UInt8], privateKey: Secret) {
        let privateKey = Secret(copying: (0..<32).map { UInt8($0 * 3) })
        return (try X25519.publicKey(for: privateKey), privateKey)
    }

    private func flip(_ bit: Int, of bytes: [UInt8]) -> [UInt8] {
        var changed = bytes
        changed[bit / 8] ^= 1 << (bit % 8)
        return changed
    }

    private func bytes(_ hex: String) throws -> [UInt8] { try #require(Hex.decode(hex)) }
}
