import JSON

/// Keys that were made before, so that a verification looks them up instead of decoding a point or a modulus again.
///
/// Keys that are not here are made when they are needed, with the same result: the keys decide how fast a verification
/// is, and nothing else.
struct DecodedKeyCache: Sendable {
    /// The most keys that are kept.
    static let maximumCount = 1024

    private var keys: [EncodedPublicKey: VerificationKey] = [:]
    /// The keys that stand in a did:key, by that identifier.
    private var identified: [JSONName: VerificationKey] = [:]

    /// The number of keys that are kept.
    var count: Int { keys.count }

    /// The key of a written form; throws what `VerificationKey.init(_:)` throws.
    func key(of material: EncodedPublicKey) throws(CredentialError) -> VerificationKey {
        if let key = keys[material] { return key }
        return try VerificationKey(material)
    }

    /// The key of a did:key; nil when it was not made.
    func key(ofIdentifier identifier: String) -> VerificationKey? { identified[JSONName(text: identifier)] }

    /// Makes the key of a did:key or did:jwk; other identifiers hold none.
    mutating func add(identifier: String) {
        if identifier.hasPrefix("did:key:") {
            let material = try? EncodedPublicKey(multikey: identifier.dropFirst("did:key:".count))
            add(material)
            if let material { identified[JSONName(text: identifier)] = keys[material] }
        } else if identifier.hasPrefix("did:jwk:"),
            let bytes = try? StrictBase64.url(identifier.dropFirst("did:jwk:".count), "The key of a did:jwk"),
            let object = (try? JSONValue(parsing: bytes))?.object
        {
            add(try? EncodedPublicKey(jwk: object))
        }
    }

    /// Makes the keys of every JWK and multibase text in a document; what is malformed is left out.
    mutating func add(keysIn document: JSONValue) {
        guard keys.count < Self.maximumCount else { return }
        switch document {
        case .object(let object):
            if object["kty"] != nil { return add(try? EncodedPublicKey(jwk: object)) }
            if let text = object["publicKeyMultibase"]?.string { return add(try? EncodedPublicKey(multikey: text)) }
            for member in object.members { add(keysIn: member.value) }
        case .array(let values): for value in values { add(keysIn: value) }
        default: break
        }
    }

    private mutating func add(_ material: EncodedPublicKey?) {
        guard let material, keys.count < Self.maximumCount, let key = try? VerificationKey(material) else { return }
        keys[material] = key
    }
}
