import ByteCoding

/// A public key with its curve, in the text forms of multibase and did:key.
///
/// The 32 bytes are taken as they are; that they are a safe point is checked where a document is read and where the key
/// is used. Source: did:key method, Multikey; multicodec `ed25519-pub` 0xED and `x25519-pub` 0xEC.
public struct Curve25519PublicKey: Hashable, Sendable, CustomStringConvertible {
    /// The curve of a key, which decides what the key can do.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The curve Ed25519, for signatures; envelopes of version 1 encrypt to it too, after conversion.
        case ed25519 = "Ed25519"
        /// The curve X25519, for key agreement.
        case x25519 = "X25519"
    }

    /// The length of a key in bytes, for either curve.
    public static let byteCount = 32

    /// The curve of the key.
    public let kind: Kind

    /// The 32 bytes of the key, little-endian as RFC 7748 and RFC 8032 write them.
    public let bytes: [UInt8]

    /// Makes a key of 32 bytes; nil for another number of bytes.
    public init?(_ kind: Kind, _ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.kind = kind
        self.bytes = bytes
    }

    /// Reads a key in multibase: `z` and base 58 of the multicodec number and the key.
    ///
    /// Throws `didcomm.key.malformed`, and `didcomm.key.unsupported` for a key of another kind.
    public init(multibase text: some StringProtocol) throws(DIDCommError) {
        guard text.utf8.count <= Self.maximumCharacters, let bytes = Multibase.decode(text),
            let (code, key) = Multicodec.split(bytes)
        else { throw DIDCommError(.keyMalformed, "the text is not a multibase key") }
        let kind = Kind.allCases.first { $0.code == code }
        guard let kind else {
            throw DIDCommError(.keyUnsupported, "the key has the multicodec number \(code), not that of Curve25519")
        }
        guard let whole = Curve25519PublicKey(kind, Array(key)) else {
            throw DIDCommError(.keyMalformed, "the \(kind.rawValue) key has \(key.count) bytes, not \(Self.byteCount)")
        }
        self = whole
    }

    /// Reads a did:key; a fragment that repeats the value is dropped.
    ///
    /// Throws `didcomm.key.malformed`, also for another fragment, and `didcomm.key.unsupported`.
    public init(didKey text: some StringProtocol) throws(DIDCommError) {
        guard text.hasPrefix(Self.didKeyPrefix) else {
            throw DIDCommError(.keyMalformed, "the text does not begin with \(Self.didKeyPrefix)")
        }
        let parts = text.dropFirst(Self.didKeyPrefix.count).split(
            separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        guard let value = parts.first, parts.count == 1 || parts[1] == value else {
            throw DIDCommError(.keyMalformed, "the fragment of the did:key names another key")
        }
        try self.init(multibase: value)
    }

    /// The key in multibase, such as `z6Mk…`.
    public var multibase: String { Multibase.encode(Multicodec.varint(kind.code) + bytes) }

    /// The key as a did:key, without a fragment.
    public var didKey: String { Self.didKeyPrefix + multibase }

    /// The key as a did:key.
    public var description: String { didKey }

    /// The prefix of a did:key before the key's multibase.
    static let didKeyPrefix = "did:key:"

    /// The longest key text that is read; RSA keys exceed it and are refused as too long, not as unsupported.
    private static let maximumCharacters = 128
}

extension Curve25519PublicKey.Kind {
    /// The multicodec number of the key's curve.
    var code: UInt64 {
        switch self {
        case .ed25519: Multicodec.ed25519PublicKey
        case .x25519: Multicodec.x25519PublicKey
        }
    }
}
