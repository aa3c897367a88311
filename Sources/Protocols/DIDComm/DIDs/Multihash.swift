import ByteCoding

/// A SHA-256 digest written as multihash in multibase, as did:peer does.
enum Multihash {
    private static let prefix = Multicodec.varint(Multicodec.sha256) + [32]

    static func text(ofDigest digest: [UInt8]) -> String { Multibase.encode(prefix + digest) }

    /// Returns the 32 bytes of the digest; nil for another hash function, length or form.
    static func digest(in text: some StringProtocol) -> [UInt8]? {
        guard let bytes = Multibase.decode(text, maximumCharacters: 64), bytes.count == prefix.count + 32,
            bytes.starts(with: prefix)
        else { return nil }
        return Array(bytes.dropFirst(prefix.count))
    }
}
