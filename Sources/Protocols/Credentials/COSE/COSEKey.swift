import CBOR
import CryptoSuite

/// Reads a public key in CBOR (COSE_Key, RFC 9052, section 7; RFC 9053, section 7).
enum COSEKey {
    /// The kind of a COSE key: one that signs, one that only agrees on secrets, or an unknown one.
    enum Kind {
        case signing(VerificationKey)
        case agreement
        /// The key has an unknown curve.
        case unknown
    }

    /// Reads a COSE key.
    ///
    /// Throws `credential.key-form`, `credential.key-private` for one with a private part, and `credential.key-curve`
    /// for a point off its curve.
    static func read(_ value: CBORValue) throws(CredentialError) -> Kind {
        guard let type = value[1]?.int else {
            throw CredentialError(.keyForm, "A key has no type.", at: value.place)
        }
        guard value[-4] == nil else {
            throw CredentialError(.keyPrivate, "A public key holds its private part.", at: value.place)
        }
        guard let curve = value[-1]?.int, let x = value[-2]?.bytes else {
            throw CredentialError(.keyForm, "A key has no curve or no coordinate.", at: value.place)
        }
        switch type {
        case 1: return try octetKey(curve, x, value)
        case 2: return try point(curve, x, value)
        default: throw CredentialError(.keyForm, "A key is of a type that is not known.", at: value.place)
        }
    }

    private static func octetKey(_ curve: Int, _ x: [UInt8], _ value: CBORValue) throws(CredentialError) -> Kind {
        guard curve == 6 || curve == 4 else { return .unknown }
        guard x.count == 32 else {
            throw CredentialError(.keyCurve, "A key of Curve25519 has 32 bytes.", at: value.place)
        }
        return curve == 6 ? .signing(.ed25519(x)) : .agreement
    }

    private static func point(_ curve: Int, _ x: [UInt8], _ value: CBORValue) throws(CredentialError) -> Kind {
        let curves: [Int: ECDSA.Curve] = [1: .p256, 2: .p384, 3: .p521, 8: .secp256k1]
        guard let known = curves[curve] else { return .unknown }
        var encoding: [UInt8]
        switch value[-3]?.content {
        case .bytes(let y): encoding = [4] + x + y
        case .bool(let isOdd): encoding = [isOdd ? 3 : 2] + x
        default: throw CredentialError(.keyForm, "A point has no second coordinate.", at: value.place)
        }
        guard x.count == known.coordinateCount, let key = try? ECDSA.PublicKey(curve: known, x963: encoding) else {
            throw CredentialError(.keyCurve, "A key is not a point of its curve.", at: value.place)
        }
        return .signing(.ecdsa(key))
    }
}
