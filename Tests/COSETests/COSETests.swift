import CBOR
import CryptoSuite
import Determinism
import TestSupport
import Testing

@testable import COSE

@Suite struct COSETests {
    private static func secret(_ bytes: [UInt8]) -> Secret { Secret(copying: bytes) }

    @Test(arguments: ECDSA.Curve.allCases) func `a key on each curve of two coordinates is read as it was written`(
        _ curve: ECDSA.Curve
    ) throws {
        var random = SeededRandom(seed: 1)
        let key = COSEKey.ecdsa(try ECDSA.PrivateKey.make(curve, from: &random).publicKey)
        #expect(try COSEKey(CBORValue(parsing: key.item.encoded)) == key)
    }

    @Test func `a key of Curve25519 and Curve448 is read as it was written`() throws {
        for (key, count) in [
            (COSEKey.x25519, 32), (COSEKey.ed25519, 32), (COSEKey.x448, 56), (COSEKey.ed448, 57),
        ] {
            let made = key([UInt8](repeating: 9, count: count))
            #expect(try COSEKey(CBORValue(parsing: made.item.encoded)) == made)
            let short = key([UInt8](repeating: 9, count: count - 1))
            #expect(throws: COSEFault.self) { try COSEKey(CBORValue(parsing: short.item.encoded)) }
        }
    }

    @Test func `a point off its curve and a private part are refused, and an unknown curve is unknown`() throws {
        var random = SeededRandom(seed: 2)
        let point = try ECDSA.PrivateKey.make(.p256, from: &random).publicKey
        func read(_ item: CBORItem) throws(COSEFault) -> COSEKey {
            guard let value = try? CBORValue(parsing: item.encoded) else { return .unknown }
            return try COSEKey(value)
        }
        func parts(_ y: CBORItem, curve: Int = 1, extra: [[CBORItem]] = []) -> CBORItem {
            .ordered(
                [[.int(1), .int(2)], [.int(-1), .int(curve)], [.int(-2), .bytes(point.x)], [.int(-3), y]] + extra)
        }
        #expect(try read(parts(.bytes(point.y))) == .ecdsa(point))
        #expect(try read(parts(.bool(point.y[31] & 1 == 1))) == .ecdsa(point))
        #expect(throws: COSEFault.self) { try read(parts(.bytes(point.x))) }
        #expect(throws: COSEFault.self) { try read(parts(.bytes(point.y), extra: [[.int(-4), .bytes(point.x)]])) }
        #expect(try read(parts(.bytes(point.y), curve: 999)) == .unknown)
    }

    @Test(.shows("MDR-090")) func `each curve has the number that is registered for it`() throws {
        var random = SeededRandom(seed: 8)
        let numbers: [(ECDSA.Curve, Int)] = [
            (.p256, 1), (.p384, 2), (.p521, 3), (.secp256k1, 8), (.brainpoolP256r1, 256), (.brainpoolP320r1, 257),
            (.brainpoolP384r1, 258), (.brainpoolP512r1, 259),
        ]
        #expect(numbers.count == ECDSA.Curve.allCases.count)
        var keys = try numbers.map { (COSEKey.ecdsa(try ECDSA.PrivateKey.make($0, from: &random).publicKey), $1) }
        keys += [
            (.x25519([UInt8](repeating: 9, count: 32)), 4), (.x448([UInt8](repeating: 9, count: 56)), 5),
            (.ed25519([UInt8](repeating: 9, count: 32)), 6), (.ed448([UInt8](repeating: 9, count: 57)), 7),
        ]
        for (key, number) in keys { #expect(try CBORValue(parsing: key.item.encoded)[-1]?.int == number) }
    }

    @Test(.shows("MDR-096")) func `the secret of Curve25519 and Curve448 has the bytes of RFC 7748`() throws {
        var random = SeededRandom(seed: 9)
        let (short, long) = (X25519.makePrivateKey(from: &random), X448.makePrivateKey(from: &random))
        var base = [UInt8](repeating: 0, count: 56)
        base[0] = 5
        #expect(
            try AgreementKey.x448(long).sharedSecret(with: .x448(base)).copyBytes() == X448.publicKey(for: long))
        base = [9] + [UInt8](repeating: 0, count: 31)
        #expect(
            try AgreementKey.x25519(short).sharedSecret(with: .x25519(base)).copyBytes()
                == X25519.publicKey(for: short))
    }

    @Test(.shows("MDR-096")) func `two keys of each curve agree on one secret, and two curves on none`() throws {
        var random = SeededRandom(seed: 3)
        var keys: [AgreementKey] = []
        for curve in ECDSA.Curve.allCases { keys.append(.ecdsa(try ECDSA.PrivateKey.make(curve, from: &random))) }
        keys.append(.x25519(X25519.makePrivateKey(from: &random)))
        keys.append(.x448(X448.makePrivateKey(from: &random)))
        for key in keys {
            let other = try #require(try AgreementKey.make(onCurveOf: try key.publicKey(), from: &random))
            #expect(
                try key.sharedSecret(with: try other.publicKey()) == other.sharedSecret(with: try key.publicKey()))
        }
        #expect(throws: CryptoError.self) { try keys[0].sharedSecret(with: try keys[1].publicKey()) }
        #expect(try AgreementKey.make(onCurveOf: .ed25519([UInt8](repeating: 1, count: 32)), from: &random) == nil)
    }

    @Test(.shows("MDR-122"))
    func `a signature is made with the algorithm of its key, and covers payload and protected header`() throws {
        var random = SeededRandom(seed: 4)
        let key = try ECDSA.PrivateKey.make(.brainpoolP320r1, from: &random)
        let payload: [UInt8] = [1, 2, 3]
        for isDetached in [true, false] {
            let item = try COSESign1.make(over: payload, isDetached: isDetached, by: .ecdsa(key), certificates: [[7]])
            let object = try COSESign1(CBORValue(parsing: item.encoded), limits: CBORLimits())
            #expect(object.payload?.bytes == (isDetached ? nil : payload))
            #expect(object.headers.protected?[COSEHeaders.Label.algorithm]?.int == -35)
            #expect(object.headers.value(COSEHeaders.Label.certificates)?.bytes == [7])
            #expect(
                ECDSA.verify(
                    signature: object.signature, message: object.signedBytes(payload), publicKey: key.publicKey,
                    hash: .sha384))
            #expect(
                !ECDSA.verify(
                    signature: object.signature, message: object.signedBytes([1, 2]), publicKey: key.publicKey,
                    hash: .sha384))
        }
    }

    @Test(.shows("MS2")) func `a MAC is right for its payload and key alone`() throws {
        let key = Self.secret([UInt8](repeating: 5, count: 32))
        let item = COSEMac0.makeDetached(over: [1, 2, 3], key: key)
        let object = try COSEMac0(CBORValue(parsing: item.encoded), limits: CBORLimits())
        #expect(object.isValid(over: [1, 2, 3], key: key))
        #expect(!object.isValid(over: [1, 2, 4], key: key))
        #expect(!object.isValid(over: [1, 2, 3], key: Self.secret([UInt8](repeating: 6, count: 32))))
    }

    @Test(.enabled(if: OutsideVectors.arePresent, Comment(rawValue: OutsideVectors.skipped)))
    func `a published signature and a published MAC are right, and wrong with any other byte`() throws {
        func value(_ name: String) throws -> CBORValue {
            try CBORValue(parsing: OutsideVectors.contents(of: "mdoc/cose/\(name).cbor"))
        }
        let scalar = Self.secret(try OutsideVectors.contents(of: "mdoc/cose/sign1-key.bin"))
        let key = try ECDSA.PrivateKey(curve: .p256, scalar: scalar).publicKey
        let signature = try COSESign1(value("sign1"), limits: CBORLimits())
        let payload = try #require(signature.payload?.bytes)
        for index in payload.indices {
            var other = payload
            other[index] ^= 1
            #expect(
                !ECDSA.verify(
                    signature: signature.signature, message: signature.signedBytes(other), publicKey: key,
                    hash: .sha256))
        }
        #expect(
            ECDSA.verify(
                signature: signature.signature, message: signature.signedBytes(payload), publicKey: key, hash: .sha256))
        let mac = try COSEMac0(value("mac0"), limits: CBORLimits())
        let content = try #require(mac.payload?.bytes)
        let macKey = Self.secret(try OutsideVectors.contents(of: "mdoc/cose/mac0-key.bin"))
        #expect(mac.isValid(over: content, key: macKey))
        #expect(!mac.isValid(over: content + [0], key: macKey))
        #expect(throws: Never.self) { try COSEKey(value("key-p256")) }
    }
}
