import ByteCoding
import JSON

/// A key in a DID document, with the name that the document gives it.
struct VerificationMethod: Hashable, Sendable {
    /// The part of the method's identifier after `#`, or the whole identifier when it has no `#`.
    let fragment: String

    /// The public key; nil when it is of an unsupported kind.
    let key: Curve25519PublicKey?

    init(fragment: String, key: Curve25519PublicKey?) {
        self.fragment = fragment
        self.key = key
    }

    /// Reads an entry of `publicKey` or `verificationMethod`: a key of the 2018, 2020 or Multikey types, or a JWK.
    init(reading reader: JSONValueReader, of did: DID?) throws(DIDCommError) {
        let (id, type, keys) = try DIDCommError.reading { () throws(JSONError) in
            (try reader.string("id"), try reader.string("type"), try Self.texts(in: reader))
        }
        guard let fragment = DIDKeyReference(id).fragment(in: did), !fragment.isEmpty else {
            throw DIDCommError(.documentMalformed, "a key of the document has the name of another document")
        }
        self.fragment = fragment
        let found = try Self.keys(keys, type: type)
        guard Set(found).count <= 1 else {
            throw DIDCommError(.documentMalformed, "the key \(fragment) is written twice, and differently")
        }
        if let key = found.first, let claimed = Self.kind(ofType: type), claimed != key.kind {
            throw DIDCommError(.documentMalformed, "the key \(fragment) is not of the kind that its type says")
        }
        key = found.first
    }

    private struct EncodedKeyTexts {
        let base58: String?
        let multibase: String?
        let jwk: JSONValueReader?
    }

    private static func texts(in reader: JSONValueReader) throws(JSONError) -> EncodedKeyTexts {
        EncodedKeyTexts(
            base58: try reader.optionalString("publicKeyBase58"),
            multibase: try reader.optionalString("publicKeyMultibase"), jwk: try reader.optional("publicKeyJwk"))
    }

    private static func kind(ofType type: String) -> Curve25519PublicKey.Kind? {
        if type.hasPrefix("Ed25519") { return .ed25519 }
        return type.hasPrefix("X25519") ? .x25519 : nil
    }

    /// Reads the keys of a verification method, one for each form that it has, without unsupported kinds.
    private static func keys(_ texts: EncodedKeyTexts, type: String) throws(DIDCommError) -> [Curve25519PublicKey] {
        var keys: [Curve25519PublicKey] = []
        if let text = texts.base58, let kind = kind(ofType: type) {
            guard text.utf8.count <= 44, let bytes = Base58.decode(text), let key = Curve25519PublicKey(kind, bytes)
            else {
                throw DIDCommError(.keyMalformed, "a key of the document is not 32 bytes in base 58")
            }
            keys.append(key)
        }
        if let text = texts.multibase {
            do {
                keys.append(try Curve25519PublicKey(multibase: text))
            } catch  where error.code == .keyUnsupported {}
        }
        if let jwk = texts.jwk, let key = try JSONWebKey(reading: jwk).key { keys.append(key) }
        return keys
    }
}

/// A JSON web key of the kind that RFC 8037 defines.
struct JSONWebKey: Hashable, Sendable {
    /// The public key; nil when it is of an unsupported kind.
    let key: Curve25519PublicKey?

    /// The `kid` member of the JSON web key.
    let keyID: String?

    init(reading reader: JSONValueReader) throws(DIDCommError) {
        let (type, curve, text) = try DIDCommError.reading(.keyMalformed) { () throws(JSONError) in
            (try reader.string("kty"), try reader.optionalString("crv"), try reader.optionalString("x"))
        }
        keyID = try DIDCommError.reading(.keyMalformed) { () throws(JSONError) in try reader.optionalString("kid") }
        guard type == "OKP", let kind = Curve25519PublicKey.Kind.allCases.first(where: { $0.rawValue == curve }) else {
            key = nil
            return
        }
        guard let text, text.utf8.count <= 44, let bytes = Base64URL.decode(text, acceptsBothAlphabets: true),
            let key = Curve25519PublicKey(kind, bytes)
        else { throw DIDCommError(.keyMalformed, "the JSON web key is not 32 bytes in base64url") }
        self.key = key
    }
}
