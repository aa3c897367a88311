import ByteCoding

/// Reads public keys in DER.
///
/// RSAPublicKey (RFC 8017, appendix A.1.1) and SubjectPublicKeyInfo (RFC 5280, RFC 5480, RFC 8410).
enum DERPublicKeyReader {
    private static let rsaEncryption: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
    private static let ecPublicKey: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
    private static let ed25519: [UInt8] = [0x2B, 0x65, 0x70]
    private static let curves: [[UInt8]: String] = [
        [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]: "P-256", [0x2B, 0x81, 0x04, 0x00, 0x22]: "P-384",
        [0x2B, 0x81, 0x04, 0x00, 0x23]: "P-521", [0x2B, 0x81, 0x04, 0x00, 0x0A]: "secp256k1",
    ]

    /// Reads the key in a SubjectPublicKeyInfo.
    ///
    /// Throws `credential.key-form` for other bytes and `credential.key-unresolved` for another algorithm or curve.
    static func key(in bytes: [UInt8]) throws(CredentialError) -> UncheckedPublicKey {
        var rest = bytes[...]
        guard var content = take(0x30, from: &rest), rest.isEmpty, var algorithm = take(0x30, from: &content),
            let name = take(0x06, from: &algorithm), var bits = take(0x03, from: &content), content.isEmpty,
            bits.popFirst() == 0
        else { throw CredentialError(.keyForm, "A public key is not DER of X.509.") }
        let key = Array(bits)
        switch Array(name) {
        case rsaEncryption:
            guard let (modulus, exponent) = integers(in: key) else {
                throw CredentialError(.keyForm, "An RSA key is not the DER of modulus and exponent.")
            }
            return .rsa(modulus: modulus, exponent: exponent)
        case ecPublicKey:
            guard let parameters = take(0x06, from: &algorithm), let curve = curves[Array(parameters)] else {
                throw CredentialError(.keyUnresolved, "The curve of a public key is not known.")
            }
            return .point(curve: curve, key)
        case ed25519: return .ed25519(try UncheckedPublicKey.exactly(32, key))
        default: throw CredentialError(.keyUnresolved, "The algorithm of a public key is not known.")
        }
    }

    /// Reads modulus and exponent of an RSAPublicKey, without leading zeros; nil for other bytes.
    static func integers(in bytes: [UInt8]) -> (modulus: [UInt8], exponent: [UInt8])? {
        var rest = bytes[...]
        guard var content = take(0x30, from: &rest), rest.isEmpty, let modulus = take(0x02, from: &content),
            let exponent = take(0x02, from: &content), content.isEmpty
        else { return nil }
        return (Array(modulus.drop { $0 == 0 }), Array(exponent.drop { $0 == 0 }))
    }

    /// Removes and returns the content of the first element if it has this tag; the rest stays in `rest`.
    private static func take(_ tag: UInt8, from rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard rest.popFirst() == tag, let first = rest.popFirst() else { return nil }
        var count = Int(first)
        if first >= 0x80 {
            let length = Int(first & 0x7F)
            guard (1...2).contains(length) else { return nil }
            count = Int(bigEndianBytes: rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        guard count > 0, rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}
