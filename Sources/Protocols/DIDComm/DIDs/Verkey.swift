import ByteCoding

/// The Ed25519 key that identifies an agent: envelopes are addressed to it, signatures are verified with it.
///
/// One value for all spellings (base 58, did:key with or without fragment, multibase), so comparing two keys is
/// comparing their bytes. Source: RFC 0360 (use of did:key), RFC 0019 (raw base 58 in envelopes).
public struct Verkey: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The 32 bytes of the key, as RFC 8032 writes a public key.
    public let bytes: [UInt8]

    /// Makes a key of 32 bytes; nil for another number of bytes.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Curve25519PublicKey.byteCount else { return nil }
        self.bytes = Array(bytes)
    }

    /// Makes a verkey of an Ed25519 key; nil for an X25519 key.
    public init?(_ key: Curve25519PublicKey) {
        guard key.kind == .ed25519 else { return nil }
        bytes = key.bytes
    }

    /// Reads a verkey in base 58 or as did:key; a fragment that repeats the value is dropped.
    ///
    /// Throws `didcomm.key.malformed`, `didcomm.key.unsupported`, and `didcomm.key.wrong-kind` for an X25519 key.
    public init(parsing text: some StringProtocol) throws(DIDCommError) {
        guard text.hasPrefix("did:") else {
            guard text.utf8.count <= Self.maximumCharacters, let bytes = Base58.decode(text), let key = Verkey(bytes)
            else { throw DIDCommError(.keyMalformed, "the text is not a key of 32 bytes in base 58, and no did:key") }
            self = key
            return
        }
        guard let key = Verkey(try Curve25519PublicKey(didKey: text)) else {
            throw DIDCommError(.keyWrongKind, "the key is for key agreement, and one for signatures is needed")
        }
        self = key
    }

    /// The key in base 58 as in envelopes: 43 or 44 characters for all keys but those that begin with zeros.
    public var base58: String { Base58.encode(bytes) }

    /// The key in multibase, such as `z6Mk…`.
    public var multibase: String { publicKey.multibase }

    /// The key as a did:key without a fragment, such as `did:key:z6Mk…`.
    public var didKey: String { publicKey.didKey }

    /// The key as DID documents refer to it: the did:key with its fragment.
    public var didKeyReference: String { didKey + "#" + multibase }

    /// The key as a `Curve25519PublicKey` of the curve Ed25519.
    public var publicKey: Curve25519PublicKey {
        guard let key = Curve25519PublicKey(.ed25519, bytes) else { preconditionFailure("a verkey has 32 bytes") }
        return key
    }

    /// The unqualified DID that older agents make of a key: base 58 of its first 16 bytes.
    public var unqualifiedDID: String { Base58.encode(bytes.prefix(16)) }

    /// The key in base 58, as in envelopes.
    public var description: String { base58 }

    /// Hashes all bytes at once, because every envelope looks a key up.
    public func hash(into hasher: inout Hasher) {
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }

    /// Orders keys by their bytes.
    public static func < (left: Verkey, right: Verkey) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }

    private static let maximumCharacters = 44
}
