import JSON

/// A cache of decoded keys, so that a verification does not decode a point or a modulus again.
///
/// Keys that are not here are made when they are needed, with the same result: the keys decide how fast a verification
/// is, and nothing else.
struct DecodedKeyCache: Sendable {
    /// The most keys in the cache.
    static let maximumCount = 1024

    private var keys: [UncheckedPublicKey: VerificationKey] = [:]
    /// The cached keys of did:key identifiers.
    private var identified: [JSONMemberName: VerificationKey] = [:]

    /// The number of keys in the cache.
    var count: Int { keys.count }

    /// Returns the key for key material; throws like `VerificationKey.init(_:)`.
    func key(of material: UncheckedPublicKey) throws(CredentialError) -> VerificationKey {
        if let key = keys[material] { return key }
        return try VerificationKey(material)
    }

    /// Returns the key of a did:key; nil when it is not cached.
    func key(ofIdentifier identifier: String) -> VerificationKey? { identified[JSONMemberName(text: identifier)] }

    /// Adds the key of a did:key or did:jwk; ignores other identifiers.
    mutating func add(identifier: String) {
        if identifier.hasPrefix("did:key:") {
            let material = try? UncheckedPublicKey(multikey: identifier.dropFirst("did:key:".count))
            add(material)
            if let material { identified[JSONMemberName(text: identifier)] = keys[material] }
        } else if identifier.hasPrefix("did:jwk:"),
            let bytes = try? StrictBase64.url(identifier.dropFirst("did:jwk:".count), "The key of a did:jwk"),
            let object = (try? JSONValue(parsing: bytes))?.object
        {
            add(try? UncheckedPublicKey(jwk: object))
        }
    }

    /// Adds the keys of every JWK and multibase text in a document; ignores malformed ones.
    mutating func add(keysIn document: JSONValue) {
        guard keys.count < Self.maximumCount else { return }
        switch document {
        case .object(let object):
            if object["kty"] != nil { return add(try? UncheckedPublicKey(jwk: object)) }
            if let text = object["publicKeyMultibase"]?.string { return add(try? UncheckedPublicKey(multikey: text)) }
            for member in object.members { add(keysIn: member.value) }
        case .array(let values): for value in values { add(keysIn: value) }
        default: break
        }
    }

    private mutating func add(_ material: UncheckedPublicKey?) {
        guard let material, keys.count < Self.maximumCount, let key = try? VerificationKey(material) else { return }
        keys[material] = key
    }
}
