package import CBOR
package import CryptoSuite

/// A public key in CBOR (COSE_Key, RFC 9052, section 7; RFC 9053, section 7).
package enum COSEKey: Hashable, Sendable {
    /// A point of a curve, which signs and agrees on secrets.
    case ecdsa(ECDSA.PublicKey)
    /// An Ed25519 key, 32 bytes.
    case ed25519([UInt8])
    /// An Ed448 key, 57 bytes.
    case ed448([UInt8])
    /// An X25519 key, 32 bytes.
    case x25519([UInt8])
    /// An X448 key, 56 bytes.
    case x448([UInt8])
    /// The key has an unknown curve.
    case unknown

    /// The identifiers of the curves of two coordinates (RFC 9053, section 7.1; RFC 8812; ISO/IEC 18013-5, table 17).
    private static let curves: [Int: ECDSA.Curve] = [
        1: .p256, 2: .p384, 3: .p521, 8: .secp256k1, 256: .brainpoolP256r1, 257: .brainpoolP320r1,
        258: .brainpoolP384r1, 259: .brainpoolP512r1,
    ]

    /// Returns the curve of two coordinates that has an identifier; nil for another one.
    package static func curve(_ identifier: Int) -> ECDSA.Curve? { curves[identifier] }

    /// Reads a COSE key; other members than those of a public key are ignored.
    ///
    /// Throws the fault of a key without its members, with a private part, and off its curve.
    package init(_ value: CBORValue) throws(COSEFault) {
        guard let type = value[1]?.int else { throw COSEFault(.keyForm, "A key has no type.", in: value) }
        guard value[-4] == nil else {
            throw COSEFault(.keyPrivate, "A public key holds its private part.", in: value)
        }
        guard let curve = value[-1]?.int, let x = value[-2]?.bytes else {
            throw COSEFault(.keyForm, "A key has no curve or no coordinate.", in: value)
        }
        switch type {
        case 1: self = try Self.octetKey(curve, x, value)
        case 2: self = try Self.point(curve, x, value)
        default: throw COSEFault(.keyForm, "A key is of a type that is not known.", in: value)
        }
    }

    private static func octetKey(_ curve: Int, _ x: [UInt8], _ value: CBORValue) throws(COSEFault) -> Self {
        let found: (key: Self, name: String, count: Int)
        switch curve {
        case 4: found = (.x25519(x), "Curve25519", X25519.keyCount)
        case 5: found = (.x448(x), "X448", X448.keyCount)
        case 6: found = (.ed25519(x), "Curve25519", Ed25519.keyCount)
        case 7: found = (.ed448(x), "Ed448", Ed448.keyCount)
        default: return .unknown
        }
        guard x.count == found.count else {
            throw COSEFault(.keyCurve, "A key of \(found.name) has \(found.count) bytes.", in: value)
        }
        return found.key
    }

    private static func point(_ curve: Int, _ x: [UInt8], _ value: CBORValue) throws(COSEFault) -> Self {
        guard let known = curves[curve] else { return .unknown }
        var encoding: [UInt8]
        switch value[-3]?.content {
        case .bytes(let y): encoding = [4] + x + y
        case .bool(let isOdd): encoding = [isOdd ? 3 : 2] + x
        default: throw COSEFault(.keyForm, "A point has no second coordinate.", in: value)
        }
        guard x.count == known.coordinateCount, let key = try? ECDSA.PublicKey(curve: known, x963: encoding) else {
            throw COSEFault(.keyCurve, "A key is not a point of its curve.", in: value)
        }
        return .ecdsa(key)
    }

    /// The key in CBOR, with both coordinates of a point; its members stand in the order 1, -1, -2, -3.
    ///
    /// A precondition is that the curve is known.
    package var item: CBORItem {
        switch self {
        case .ecdsa(let key):
            guard let curve = Self.curves.first(where: { $0.value == key.curve })?.key else {
                preconditionFailure("every curve has an identifier")
            }
            return .ordered([
                [.int(1), .int(2)], [.int(-1), .int(curve)], [.int(-2), .bytes(key.x)], [.int(-3), .bytes(key.y)],
            ])
        case .x25519(let key): return Self.octets(4, key)
        case .x448(let key): return Self.octets(5, key)
        case .ed25519(let key): return Self.octets(6, key)
        case .ed448(let key): return Self.octets(7, key)
        case .unknown: preconditionFailure("a key of an unknown curve is not written")
        }
    }

    private static func octets(_ curve: Int, _ key: [UInt8]) -> CBORItem {
        .ordered([[.int(1), .int(1)], [.int(-1), .int(curve)], [.int(-2), .bytes(key)]])
    }
}
