import ByteCoding
import JSON

/// A public key in decoded form, before its validity is checked.
enum UncheckedPublicKey: Hashable, Sendable {
    /// An Ed25519 key, 32 bytes.
    case ed25519([UInt8])
    /// An X25519 key, which signs nothing.
    case x25519([UInt8])
    /// An elliptic curve point in SEC 1 form, compressed or not; `curve` is the JOSE name, such as `P-256`.
    case point(curve: String, [UInt8])
    /// An RSA key: modulus and exponent, most significant byte first.
    case rsa(modulus: [UInt8], exponent: [UInt8])

    /// The number of bytes of a coordinate of each curve, by its JOSE name.
    static let coordinateCounts = ["P-256": 32, "P-384": 48, "P-521": 66, "secp256k1": 32]

    private static let secp256k1: UInt64 = 0xE7
    private static let p256: UInt64 = 0x1200
    private static let p384: UInt64 = 0x1201
    private static let p521: UInt64 = 0x1202
    private static let rsaPublicKey: UInt64 = 0x1205

    /// Reads a key in multibase with its multicodec (did:key, Multikey).
    ///
    /// Throws `credential.parse-base64` for another base, `credential.key-unresolved` for a codec that is not known and
    /// `credential.key-form` for a key of another length than the codec says.
    init(multikey text: some StringProtocol) throws(CredentialError) {
        let bytes: [UInt8]
        if text.first == "u" {
            bytes = try StrictBase64.url(text.dropFirst(), "A key in multibase")
        } else if let decoded = Multibase.decode(text) {
            bytes = decoded
        } else {
            throw CredentialError(.parseBase64, "A key in multibase is not written in base 58 or base64url.")
        }
        guard let (code, rest) = Multicodec.split(bytes) else {
            throw CredentialError(.keyForm, "A key in multibase does not say what kind of key it is.")
        }
        let key = Array(rest)
        switch code {
        case Multicodec.ed25519PublicKey: self = .ed25519(try Self.exactly(32, key))
        case Multicodec.x25519PublicKey: self = .x25519(try Self.exactly(32, key))
        case Self.secp256k1: self = .point(curve: "secp256k1", try Self.compressed(33, key))
        case Self.p256: self = .point(curve: "P-256", try Self.compressed(33, key))
        case Self.p384: self = .point(curve: "P-384", try Self.compressed(49, key))
        case Self.p521: self = .point(curve: "P-521", try Self.compressed(67, key))
        case Self.rsaPublicKey:
            guard let (modulus, exponent) = DERPublicKeyReader.integers(in: key) else {
                throw CredentialError(.keyForm, "An RSA key is not the DER of modulus and exponent.")
            }
            self = .rsa(modulus: modulus, exponent: exponent)
        default: throw CredentialError(.keyUnresolved, "The kind of key \(code) is not known.")
        }
    }

    /// Reads the key in a JWK (RFC 7517, RFC 8037, RFC 8812).
    ///
    /// Throws `credential.key-private` when the private part is there, `credential.key-form`, `credential.parse-base64`
    /// and, for a curve or a kind that is not known, `credential.key-unresolved`.
    init(jwk: JSONObject) throws(CredentialError) {
        guard jwk["d"] == nil else {
            throw CredentialError(.keyPrivate, "A JWK holds a private key.")
        }
        guard let kind = jwk["kty"]?.string else {
            throw CredentialError(.keyForm, "A JWK does not say what kind of key it is.")
        }
        switch kind {
        case "OKP":
            let key = try Self.member("x", of: jwk)
            switch jwk["crv"]?.string {
            case "Ed25519": self = .ed25519(try Self.exactly(32, key))
            case "X25519": self = .x25519(try Self.exactly(32, key))
            default: throw CredentialError(.keyUnresolved, "The curve of a JWK is not known.")
            }
        case "EC":
            guard let curve = jwk["crv"]?.string, let count = Self.coordinateCounts[curve] else {
                throw CredentialError(.keyUnresolved, "The curve of a JWK is not known.")
            }
            let x = try Self.exactly(count, try Self.member("x", of: jwk))
            let y = try Self.exactly(count, try Self.member("y", of: jwk))
            self = .point(curve: curve, [4] + x + y)
        case "RSA":
            self = .rsa(modulus: try Self.member("n", of: jwk), exponent: try Self.member("e", of: jwk))
        case "oct": throw CredentialError(.algMismatch, "A JWK is a shared secret, with which nothing is signed here.")
        default: throw CredentialError(.keyUnresolved, "The kind of a JWK is not known.")
        }
    }

    /// Reads the key in a PEM text: a SubjectPublicKeyInfo with LF or CR LF line ends.
    init(pem text: String) throws(CredentialError) {
        let (begin, end) = ("-----BEGIN PUBLIC KEY-----", "-----END PUBLIC KEY-----")
        let lines = text.split { $0.isNewline }.map { $0 }
        guard lines.first.map({ $0 == begin }) == true, lines.last.map({ $0 == end }) == true,
            let bytes = Base64.decode(lines.dropFirst().dropLast().joined())
        else { throw CredentialError(.keyForm, "A key in PEM is not one block of a public key.") }
        self = try DERPublicKeyReader.key(in: bytes)
    }

    /// Makes a key from bytes without prefix, whose kind follows from the method's type.
    init(raw key: [UInt8], methodType: String) throws(CredentialError) {
        switch key.count {
        case 32 where methodType.hasPrefix("Ed25519"): self = .ed25519(key)
        case 33 where methodType.hasPrefix("EcdsaSecp256k1"):
            self = .point(curve: "secp256k1", try Self.compressed(33, key))
        case 33 where methodType.hasPrefix("EcdsaSecp256r1"):
            self = .point(curve: "P-256", try Self.compressed(33, key))
        default: throw CredentialError(.keyForm, "A key of type \(methodType) does not have \(key.count) bytes.")
        }
    }

    private static func member(_ name: String, of jwk: JSONObject) throws(CredentialError) -> [UInt8] {
        guard let text = jwk[name]?.string else {
            throw CredentialError(.keyForm, "A JWK has no member \(name) that is a text.")
        }
        return try StrictBase64.url(text, "The member \(name) of a JWK")
    }

    static func exactly(_ count: Int, _ key: [UInt8]) throws(CredentialError) -> [UInt8] {
        guard key.count == count else {
            throw CredentialError(.keyForm, "A key of \(count) bytes has \(key.count) bytes.")
        }
        return key
    }

    private static func compressed(_ count: Int, _ key: [UInt8]) throws(CredentialError) -> [UInt8] {
        let key = try exactly(count, key)
        guard key[0] == 2 || key[0] == 3 else {
            throw CredentialError(.keyForm, "A point is not written in its compressed form.")
        }
        return key
    }
}
