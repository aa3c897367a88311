import ByteCoding
import Testing

@testable import CryptoSuite

/// The cipher that libsodium alone has.
@Suite struct XChaChaTests {
    private let key = Secret(copying: [UInt8](repeating: 0x42, count: 32))

    // draft-irtf-cfrg-xchacha-03, appendix A.3.1.
    @Test func `XChaCha20-Poly1305 gives the published bytes`() throws {
        let key = Secret(copying: 0x80...0x9F)
        let data = try bytes("50515253c0c1c2c3c4c5c6c7")
        let plaintext = Array(
            ("Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen "
                + "would be it.").utf8)
        let sealed = try AuthenticatedCipher.xChaChaPoly.seal(
            plaintext, key: key, nonce: Array(0x40...0x57), additionalData: data)
        #expect(
            Hex.encode(sealed)
                == "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39"
                + "ae64c6708c54c216cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9"
                + "21f9664c97637da9768812f615c68b13b52ec0875924c1c7987947deafd8780acf49")
        #expect(
            try AuthenticatedCipher.xChaChaPoly.open(sealed, key: key, nonce: Array(0x40...0x57), additionalData: data)
                == plaintext)
    }

    @Test func `XChaCha20-Poly1305 refuses a changed bit, a truncation, and keys and nonces of other lengths`() throws {
        let nonce = [UInt8](0..<24)
        let sealed = try AuthenticatedCipher.xChaChaPoly.seal(
            Array("dusk".utf8), key: key, nonce: nonce, additionalData: [1])
        for bit in 0..<sealed.count * 8 {
            #expect(throws: CryptoError(.authenticationFailed, "")) {
                try AuthenticatedCipher.xChaChaPoly.open(
                    flip(bit, of: sealed), key: key, nonce: nonce, additionalData: [1])
            }
        }
        for (nonce, data) in [(flip(191, of: nonce), [1 as UInt8]), (nonce, []), (nonce, [2])] {
            #expect(throws: CryptoError(.authenticationFailed, "")) {
                try AuthenticatedCipher.xChaChaPoly.open(sealed, key: key, nonce: nonce, additionalData: data)
            }
        }
        for count in 0..<sealed.count {
            let code: CryptoError.Code = count < 16 ? .invalidLength : .authenticationFailed
            #expect(throws: CryptoError(code, "")) {
                try AuthenticatedCipher.xChaChaPoly.open(sealed[..<count], key: key, nonce: nonce)
            }
        }
        for count in [0, 12, 23, 25] {
            let nonce = [UInt8](repeating: 0, count: count)
            #expect(throws: CryptoError(.invalidLength, "")) {
                try AuthenticatedCipher.xChaChaPoly.seal([1], key: key, nonce: nonce)
            }
        }
        for count in [0, 31, 33] {
            let key = Secret(copying: [UInt8](repeating: 0, count: count))
            #expect(throws: CryptoError(.invalidKey, "")) {
                try AuthenticatedCipher.xChaChaPoly.seal([1], key: key, nonce: nonce)
            }
        }
        #expect(
            try AuthenticatedCipher.xChaChaPoly.open(
                AuthenticatedCipher.xChaChaPoly.seal([], key: key, nonce: nonce), key: key, nonce: nonce) == [])
    }

    private func flip(_ bit: Int, of bytes: [UInt8]) -> [UInt8] {
        var changed = bytes
        changed[bit / 8] ^= 1 << (bit % 8)
        return changed
    }

    private func bytes(_ hex: String) throws -> [UInt8] { try #require(Hex.decode(hex)) }
}
