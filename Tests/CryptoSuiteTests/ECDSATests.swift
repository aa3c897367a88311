import ByteCoding
import CryptoSuite
import Determinism
import Testing

@Suite struct ECDSATests {
    // RFC 6979, annex A.2.5 and A.2.6: the message "sample".
    @Test(arguments: [
        (
            ECDSA.Curve.p256, SHA2.sha256, "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721",
            "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
                + "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"
        ),
        (
            ECDSA.Curve.p384, SHA2.sha384,
            "6b9d3dad2e1b8c1c05b19875b6659f4de23c3b667bf297ba9aa47740787137d896d5724e4c70a825f872c9ea60d2edf5",
            "94edbb92a5ecb8aad4736e56c691916b3f88140666ce9fa73d64c4ea95ad133c81a648152e44acf96e36dd1e80fabe46"
                + "99ef4aeb15f178cea1fe40db2603138f130e740a19624526203b6351d0a3a94fa329c145786e679e7b82c71a38628ac8"
        ),
    ])
    func `ECDSA gives the signatures of RFC 6979`(
        curve: ECDSA.Curve, hash: SHA2, scalar: String, expected: String
    ) throws {
        let key = try ECDSA.PrivateKey(curve: curve, scalar: Secret(copying: try #require(Hex.decode(scalar))))
        let signature = try key.sign(Array("sample".utf8), hash: hash)
        #expect(Hex.encode(signature) == expected)
        #expect(
            ECDSA.verify(signature: signature, message: Array("sample".utf8), publicKey: key.publicKey, hash: hash))
    }

    @Test(arguments: ECDSA.Curve.allCases, SHA2.allCases)
    func `an ECDSA signature is valid for one message, hash and key on each curve`(curve: ECDSA.Curve, hash: SHA2)
        throws
    {
        var random = SeededRandom(seed: 1)
        let key = try ECDSA.PrivateKey.make(curve, from: &random)
        let other = try ECDSA.PrivateKey.make(curve, from: &random).publicKey
        let message = Array("message".utf8)
        let signature = try key.sign(message, hash: hash)
        #expect(signature.count == curve.signatureCount)
        #expect(ECDSA.verify(signature: signature, message: message, publicKey: key.publicKey, hash: hash))
        #expect(!ECDSA.verify(signature: signature, message: message, publicKey: other, hash: hash))
        #expect(!ECDSA.verify(signature: signature, message: message + [0], publicKey: key.publicKey, hash: hash))
        for otherHash in SHA2.allCases where otherHash != hash {
            #expect(!ECDSA.verify(signature: signature, message: message, publicKey: key.publicKey, hash: otherHash))
        }
        for index in stride(from: 0, to: signature.count, by: 7) {
            var changed = signature
            changed[index] ^= 1
            #expect(!ECDSA.verify(signature: changed, message: message, publicKey: key.publicKey, hash: hash))
        }
    }

    @Test(arguments: ECDSA.Curve.allCases)
    func `an ECDSA signature of another length, or with a half that is 0 or the order, is refused`(curve: ECDSA.Curve)
        throws
    {
        let key = try Self.key(curve)
        let signature = try key.sign([1], hash: .sha256)
        let half = curve.coordinateCount
        let zero = [UInt8](repeating: 0, count: half)
        let large = [UInt8](repeating: 0xff, count: half)
        let refused: [[UInt8]] = [
            [], Array(signature.dropLast()), signature + [0], [0] + signature, zero + zero, zero + signature[half...],
            signature[..<half] + zero, large + signature[half...], signature[..<half] + large,
            try key.signDER([1], hash: .sha256),
        ]
        for bytes in refused {
            #expect(!ECDSA.verify(signature: bytes, message: [1], publicKey: key.publicKey, hash: .sha256))
        }
    }

    @Test(arguments: ECDSA.Curve.allCases)
    func `an ECDSA signature in DER is accepted only in its canonical form`(curve: ECDSA.Curve) throws {
        let key = try Self.key(curve)
        let signature = try key.signDER([1], hash: .sha256)
        let verify = { (bytes: [UInt8]) in
            ECDSA.verify(derSignature: bytes, message: [1], publicKey: key.publicKey, hash: .sha256)
        }
        #expect(verify(signature))
        #expect(!verify(try key.sign([1], hash: .sha256)))
        #expect(!verify(signature + [0]))
        for count in 0..<signature.count { #expect(!verify(Array(signature[..<count]))) }
        for index in signature.indices {
            var changed = signature
            changed[index] ^= 0x80
            #expect(!verify(changed))
        }
        // The same length in two bytes or more.
        let header = signature[1] == 0x81 ? 3 : 2
        let content = signature[header...]
        #expect(!verify([0x30, 0x82, 0, UInt8(content.count)] + content))
        #expect(!verify([0x30, 0x80] + content + [0, 0]))
    }

    @Test(arguments: ECDSA.Curve.allCases)
    func `a compressed curve point is the same key as the point in full`(curve: ECDSA.Curve) throws {
        var random = SeededRandom(seed: 3)
        for _ in 0..<8 {
            let key = try ECDSA.PrivateKey.make(curve, from: &random).publicKey
            #expect(try ECDSA.PublicKey(curve: curve, x963: key.compressed) == key)
            #expect(try ECDSA.PublicKey(curve: curve, x963: key.x963) == key)
            #expect(key.x963.count == 1 + 2 * curve.coordinateCount)
        }
    }

    @Test(arguments: ECDSA.Curve.allCases)
    func `a point off the curve, infinite, hybrid or of another length is no public key`(curve: ECDSA.Curve) throws {
        let key = try Self.key(curve).publicKey
        let count = curve.coordinateCount
        let large = [UInt8](repeating: 0xff, count: count)
        var offCurve = key.x963
        offCurve[2 * count] ^= 1
        let hybrid: UInt8 = 6 + ((key.y.last ?? 0) & 1)
        let refused: [[UInt8]] = [
            [], [0], [0] + [UInt8](repeating: 0, count: 2 * count), offCurve,
            [4] + [UInt8](repeating: 0, count: 2 * count),
            [hybrid] + key.x + key.y, key.x + key.y, [1] + key.x, [5] + key.x, [4] + key.x, [2] + key.x + key.y,
            Array(key.x963.dropLast()), key.x963 + [0], key.compressed + [0], [2] + large, [4] + large + key.y,
            [4] + key.x + large,
        ]
        for point in refused {
            #expect(throws: CryptoError(.invalidPoint, "")) { try ECDSA.PublicKey(curve: curve, x963: point) }
        }
        for other in ECDSA.Curve.allCases where other != curve {
            #expect(throws: CryptoError(.invalidPoint, "")) { try ECDSA.PublicKey(curve: other, x963: key.x963) }
        }
    }

    @Test(arguments: ECDSA.Curve.allCases)
    func `a scalar of 0, of the curve's order or of another length is no private key`(curve: ECDSA.Curve) {
        let count = curve.coordinateCount
        let refused = [
            [UInt8](repeating: 0, count: count), [UInt8](repeating: 0xff, count: count),
            [UInt8](repeating: 1, count: 31),
            [],
        ]
        for scalar in refused {
            #expect(throws: CryptoError(.invalidKey, "")) {
                try ECDSA.PrivateKey(curve: curve, scalar: Secret(copying: scalar))
            }
        }
    }

    @Test(arguments: ECDSA.Curve.allCases)
    func `both sides of an ECDH agreement compute one secret`(curve: ECDSA.Curve) throws {
        var random = SeededRandom(seed: 5)
        let (first, second) = (
            try ECDSA.PrivateKey.make(curve, from: &random), try ECDSA.PrivateKey.make(curve, from: &random)
        )
        let secret = try ECDH.sharedSecret(privateKey: first, publicKey: second.publicKey)
        #expect(secret.count == curve.coordinateCount)
        #expect(try ECDH.sharedSecret(privateKey: second, publicKey: first.publicKey) == secret)
        let other = try Self.key(curve == .p256 ? .p384 : .p256)
        #expect(throws: CryptoError(.invalidKey, "")) {
            try ECDH.sharedSecret(privateKey: first, publicKey: other.publicKey)
        }
    }

    @Test func `key generation fails when the random source gives no valid scalar`() {
        struct Zeros: RandomSource {
            func bytes(count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
        }
        var zeros = Zeros()
        #expect(throws: CryptoError(.internal, "")) { try ECDSA.PrivateKey.make(.p256, from: &zeros) }
    }

    private static func key(_ curve: ECDSA.Curve) throws -> ECDSA.PrivateKey {
        var random = SeededRandom(seed: 2)
        return try ECDSA.PrivateKey.make(curve, from: &random)
    }
}
