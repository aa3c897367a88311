import ByteCoding
import Testing

@testable import CryptoSuite

@Suite struct CipherTests {
    private let key = Secret(copying: [UInt8](repeating: 0x42, count: 32))
    private let nonce = [UInt8](0..<12)

    // The 256- and 128-bit examples of "The Galois/Counter Mode of Operation", test cases 16 and 4.
    @Test(arguments: [
        (
            32,
            "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838"
                + "c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b"
        ),
        (
            16,
            "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa05"
                + "1ba30b396a0aac973d58e0915bc94fbc3221a5db94fae95ae7121a47"
        ),
    ]) func `AES-GCM gives the published bytes`(keyCount: Int, expected: String) throws {
        let half = try bytes("feffe9928665731c6d6a8f9467308308")
        let key = Secret(copying: (half + half)[..<keyCount])
        let plaintext = try bytes(
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525"
                + "b16aedf5aa0de657ba637b39")
        let nonce = try bytes("cafebabefacedbaddecaf888")
        let data = try bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2")
        let sealed = try AuthenticatedCipher.aesGCM.seal(plaintext, key: key, nonce: nonce, additionalData: data)
        #expect(Hex.encode(sealed) == expected)
        #expect(try AuthenticatedCipher.aesGCM.open(sealed, key: key, nonce: nonce, additionalData: data) == plaintext)
    }

    // RFC 8439, section 2.8.2.
    @Test func `ChaCha20-Poly1305 gives the published bytes`() throws {
        let key = Secret(copying: 0x80...0x9F)
        let nonce = try bytes("070000004041424344454647")
        let data = try bytes("50515253c0c1c2c3c4c5c6c7")
        let plaintext = Array(
            ("Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen "
                + "would be it.").utf8)
        let sealed = try AuthenticatedCipher.chaChaPoly.seal(plaintext, key: key, nonce: nonce, additionalData: data)
        #expect(
            Hex.encode(sealed)
                == "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b"
                + "1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc"
                + "3ff4def08e4b7a9de576d26586cec64b61161ae10b594f09e26a7e902ecbd0600691")
        #expect(
            try AuthenticatedCipher.chaChaPoly.open(sealed, key: key, nonce: nonce, additionalData: data) == plaintext)
        let other = plaintext.withUnsafeBytes {
            BackEnd.chaChaPolySeal($0, key: key, nonce: nonce, additionalData: data)
        }
        #expect(other == sealed)
    }

    @Test(arguments: [0, 1, 15, 16, 17, 4096])
    func `a message of any length is sealed and opened unchanged by each cipher`(count: Int) throws {
        let message = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let gcm = try AuthenticatedCipher.aesGCM.seal(message, key: key, nonce: nonce)
        #expect(gcm.count == count + 16)
        #expect(try AuthenticatedCipher.aesGCM.open(gcm, key: key, nonce: nonce) == message)
        #expect(
            try AuthenticatedCipher.aesGCM.open(([7] + gcm + [7])[1...count + 16], key: key, nonce: nonce) == message)
        let chacha = try AuthenticatedCipher.chaChaPoly.seal(message, key: key, nonce: nonce)
        #expect(chacha.count == count + 16)
        #expect(try AuthenticatedCipher.chaChaPoly.open(chacha, key: key, nonce: nonce) == message)
    }

    @Test func `a cipher seals bytes that are not contiguous in memory to the same result`() throws {
        let message = [UInt8](repeating: 1, count: 40)
        let sealed = try AuthenticatedCipher.aesGCM.seal(message, key: key, nonce: nonce)
        #expect(
            try AuthenticatedCipher.aesGCM.seal(repeatElement(1 as UInt8, count: 40), key: key, nonce: nonce) == sealed)
        #expect(
            try AuthenticatedCipher.aesGCM.open(sealed.reversed().reversed() as [UInt8], key: key, nonce: nonce)
                == message)
    }

    @Test func `sealed bytes with any one bit changed are refused`() throws {
        let message = Array("attack at dawn".utf8)
        let gcm = try AuthenticatedCipher.aesGCM.seal(message, key: key, nonce: nonce, additionalData: [1])
        let chacha = try AuthenticatedCipher.chaChaPoly.seal(message, key: key, nonce: nonce, additionalData: [1])
        for bit in 0..<gcm.count * 8 {
            #expect(throws: CryptoError(.authenticationFailed, "")) {
                try AuthenticatedCipher.aesGCM.open(flip(bit, of: gcm), key: key, nonce: nonce, additionalData: [1])
            }
            #expect(throws: CryptoError(.authenticationFailed, "")) {
                try AuthenticatedCipher.chaChaPoly.open(
                    flip(bit, of: chacha), key: key, nonce: nonce, additionalData: [1])
            }
        }
        for (nonce, data) in [(flip(0, of: nonce), [1 as UInt8]), (nonce, []), (nonce, [2])] {
            #expect(throws: CryptoError(.authenticationFailed, "")) {
                try AuthenticatedCipher.aesGCM.open(gcm, key: key, nonce: nonce, additionalData: data)
            }
            #expect(throws: CryptoError(.authenticationFailed, "")) {
                try AuthenticatedCipher.chaChaPoly.open(chacha, key: key, nonce: nonce, additionalData: data)
            }
        }
    }

    @Test func `a sealed message cut short at any length is refused`() throws {
        let sealed = try AuthenticatedCipher.aesGCM.seal(Array("attack at dawn".utf8), key: key, nonce: nonce)
        for count in 0..<sealed.count {
            let code: CryptoError.Code = count < 16 ? .invalidLength : .authenticationFailed
            #expect(throws: CryptoError(code, "")) {
                try AuthenticatedCipher.aesGCM.open(sealed[..<count], key: key, nonce: nonce)
            }
            #expect(throws: CryptoError(code, "")) {
                try AuthenticatedCipher.chaChaPoly.open(sealed[..<count], key: key, nonce: nonce)
            }
        }
    }

    @Test(arguments: [0, 15, 17, 24, 31, 33]) func `a cipher refuses a key of another length`(count: Int) {
        let key = Secret(copying: [UInt8](repeating: 1, count: count))
        #expect(throws: CryptoError(.invalidKey, "")) {
            try AuthenticatedCipher.aesGCM.seal([1], key: key, nonce: nonce)
        }
        #expect(throws: CryptoError(.invalidKey, "")) {
            try AuthenticatedCipher.aesGCM.open([UInt8](repeating: 0, count: 16), key: key, nonce: nonce)
        }
        #expect(throws: CryptoError(.invalidKey, "")) {
            try AuthenticatedCipher.chaChaPoly.seal([1], key: key, nonce: nonce)
        }
    }

    @Test(arguments: [0, 8, 11, 13, 16]) func `a cipher refuses a nonce of another length`(count: Int) {
        let nonce = [UInt8](repeating: 1, count: count)
        #expect(throws: CryptoError(.invalidLength, "")) {
            try AuthenticatedCipher.aesGCM.seal([1], key: key, nonce: nonce)
        }
        #expect(throws: CryptoError(.invalidLength, "")) {
            try AuthenticatedCipher.chaChaPoly.seal([1], key: key, nonce: nonce)
        }
    }

    private func flip(_ bit: Int, of bytes: [UInt8]) -> [UInt8] {
        var changed = bytes
        changed[bit / 8] ^= 1 << (bit % 8)
        return changed
    }

    private func bytes(_ hex: String) throws -> [UInt8] { try #require(Hex.decode(hex)) }
}
