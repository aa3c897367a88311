import CryptoSuite
import Determinism
import Testing

@Suite struct RSATests {
    private static let key: Result<RSA.PrivateKey, any Error> = Result {
        var random = SeededRandom(seed: 7)
        return try RSA.PrivateKey.make(bitCount: 2048, from: &random)
    }

    private let message = Array("message".utf8)

    @Test(arguments: SHA2.allCases) func `an RSA signature is valid for one padding, hash, message and salt`(hash: SHA2)
        throws
    {
        let key = try Self.key.get()
        let bare = try key.signPKCS1(message, hash: hash)
        let salted = try key.signPSS(message, hash: hash, salt: [UInt8](repeating: 9, count: hash.digestCount))
        for other in SHA2.allCases {
            let isSame = other == hash
            #expect(RSA.verifyPKCS1(signature: bare, message: message, publicKey: key.publicKey, hash: other) == isSame)
            #expect(RSA.verifyPSS(signature: salted, message: message, publicKey: key.publicKey, hash: other) == isSame)
        }
        #expect(!RSA.verifyPKCS1(signature: salted, message: message, publicKey: key.publicKey, hash: hash))
        #expect(!RSA.verifyPSS(signature: bare, message: message, publicKey: key.publicKey, hash: hash))
        #expect(!RSA.verifyPKCS1(signature: bare, message: message + [0], publicKey: key.publicKey, hash: hash))
        #expect(!RSA.verifyPSS(signature: salted, message: message + [0], publicKey: key.publicKey, hash: hash))
    }

    @Test func `an RSA PSS salt of another length than requested is refused`() throws {
        let key = try Self.key.get()
        for count in [0, 20, 31, 33, 222] {
            let signature = try key.signPSS(message, hash: .sha256, salt: [UInt8](repeating: 9, count: count))
            let verify = { (count: Int?) in
                RSA.verifyPSS(
                    signature: signature, message: message, publicKey: key.publicKey, hash: .sha256, saltCount: count)
            }
            #expect(!verify(nil))
            #expect(verify(count))
            #expect(!verify(-1))
            #expect(!verify(-2))
            #expect(!verify(257))
        }
        #expect(throws: CryptoError(.invalidLength, "")) {
            try key.signPSS(message, hash: .sha256, salt: [UInt8](repeating: 9, count: 223))
        }
    }

    @Test func `RSA PSS with a mask by another hash is refused`() throws {
        let key = try Self.key.get()
        let salt = [UInt8](repeating: 9, count: 32)
        func sign(mask: ([UInt8]) -> [UInt8]) throws -> [UInt8] {
            let digest = SHA256.hash(message)
            let encoded = RSAEncoding.pss(
                digest: digest, salt: salt, bitCount: 2047, hash: { SHA256.hash($0) }, mask: mask)
            return try key.sign(encoded: try #require(encoded))
        }
        let right = try sign { SHA256.hash($0) }
        let wrong = try sign { SHA1.hash($0) }
        #expect(RSA.verifyPSS(signature: right, message: message, publicKey: key.publicKey, hash: .sha256))
        #expect(!RSA.verifyPSS(signature: wrong, message: message, publicKey: key.publicKey, hash: .sha256))
    }

    @Test func `RSA PKCS1 padding with bytes behind the digest, a short padding or no parameters is refused`() throws {
        let key = try Self.key.get()
        let good = RSAEncoding.pkcs1(digest: SHA256.hash(message), hash: .sha256, count: 256)
        let information = good[(good.count - 51)...]
        let bare = Array(information)[..<17] + Array(information)[19...]
        var withoutParameters = Array(bare)
        withoutParameters[1] -= 2
        withoutParameters[3] -= 2
        let padding = { (content: [UInt8], tail: [UInt8]) in
            [0, 1] + [UInt8](repeating: 0xff, count: 253 - content.count - tail.count) + [0] + content + tail
        }
        #expect(padding(Array(information), []) == good)
        let refused: [[UInt8]] = [
            padding(Array(information), [0]), padding(Array(information), [UInt8](repeating: 7, count: 100)),
            padding(withoutParameters, []), [0, 2] + good[2...],
            good[..<200] + [0] + good[201...],
        ]
        for encoded in refused {
            let signature = try key.sign(encoded: encoded)
            #expect(!RSA.verifyPKCS1(signature: signature, message: message, publicKey: key.publicKey, hash: .sha256))
        }
        #expect(
            RSA.verifyPKCS1(
                signature: try key.sign(encoded: good), message: message, publicKey: key.publicKey, hash: .sha256))
    }

    @Test func `an RSA signature has exactly the length of the modulus`() throws {
        let key = try Self.key.get()
        let bare = try key.signPKCS1(message, hash: .sha256)
        let salted = try key.signPSS(message, hash: .sha256, salt: [UInt8](repeating: 9, count: 32))
        #expect(bare.count == 256)
        for (bare, salted) in [
            ([0] + bare, [0] + salted), (bare + [0], salted + [0]), ([], []), (Array(bare[1...]), Array(salted[1...])),
        ] {
            #expect(!RSA.verifyPKCS1(signature: bare, message: message, publicKey: key.publicKey, hash: .sha256))
            #expect(!RSA.verifyPSS(signature: salted, message: message, publicKey: key.publicKey, hash: .sha256))
        }
        let large = [UInt8](repeating: 0xff, count: 256)
        #expect(!RSA.verifyPKCS1(signature: large, message: message, publicKey: key.publicKey, hash: .sha256))
        #expect(!RSA.verifyPSS(signature: large, message: message, publicKey: key.publicKey, hash: .sha256))
        #expect(throws: CryptoError(.invalidLength, "")) { try key.sign(encoded: [0] + large) }
    }

    @Test
    func `an RSA modulus that is short, long, even or starts with zero, or an exponent below 3 or even, is refused`() {
        func modulus(_ bitCount: Int, last: UInt8 = 1) -> [UInt8] {
            let count = (bitCount + 7) / 8
            var bytes = [UInt8](repeating: 0x55, count: count)
            bytes[0] = 0x80 >> UInt8(8 * count - bitCount)
            bytes[count - 1] = last
            return bytes
        }
        let three: [UInt8] = [3]
        let taken: [([UInt8], [UInt8])] = [
            (modulus(2048), three), (modulus(8192), three), (modulus(2048), [UInt8](repeating: 0xff, count: 8)),
            (modulus(2049), [1, 0, 1]),
        ]
        for (modulus, exponent) in taken {
            #expect(throws: Never.self) { try RSA.PublicKey(modulus: modulus, exponent: exponent) }
        }
        let refused: [([UInt8], [UInt8])] = [
            (modulus(2047), three), (modulus(8193), three), (modulus(2048, last: 2), three),
            ([0] + modulus(2048), three),
            ([], three), (modulus(2048), []), (modulus(2048), [0]), (modulus(2048), [1]), (modulus(2048), [2]),
            (modulus(2048), [0, 3]), (modulus(2048), [UInt8](repeating: 0xff, count: 9)), (modulus(1024), [1, 0, 1]),
        ]
        for (modulus, exponent) in refused {
            #expect(throws: CryptoError(.invalidKey, "")) { try RSA.PublicKey(modulus: modulus, exponent: exponent) }
        }
    }

    @Test func `an RSA private exponent that does not belong to the public one is no key`() throws {
        let key = try Self.key.get()
        let (modulus, exponent) = (key.publicKey.modulus, key.publicKey.exponent)
        #expect(throws: Never.self) {
            try RSA.PrivateKey(modulus: modulus, exponent: exponent, privateExponent: key.privateExponent)
        }
        #expect(throws: CryptoError(.invalidKey, "")) {
            try RSA.PrivateKey(modulus: modulus, exponent: exponent, privateExponent: Secret(copying: [5]))
        }
        var random = SeededRandom(seed: 7)
        for count in [2032, 2049, 8208] {
            #expect(throws: CryptoError(.invalidLength, "")) {
                try RSA.PrivateKey.make(bitCount: count, from: &random)
            }
        }
    }
}
