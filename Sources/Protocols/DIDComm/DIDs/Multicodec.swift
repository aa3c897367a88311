import ByteCoding

/// The numbers that say what the bytes of a multibase or multihash text are.
enum Multicodec {
    static let ed25519PublicKey: UInt64 = 0xED
    static let x25519PublicKey: UInt64 = 0xEC
    static let sha256: UInt64 = 0x12
    static let json: UInt64 = 0x0200

    /// No number of the registry needs more bytes.
    static let maximumBytes = 4

    /// `code` in groups of seven bits, least significant first (unsigned LEB128).
    static func varint(_ code: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = code
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
        return bytes
    }

    /// The number that `bytes` begin with, and what follows it.
    ///
    /// Nil when the number does not end within `maximumBytes`, or is written longer than it needs to be.
    static func split(_ bytes: [UInt8]) -> (code: UInt64, rest: ArraySlice<UInt8>)? {
        var code: UInt64 = 0
        for (index, byte) in bytes.prefix(maximumBytes).enumerated() {
            code |= UInt64(byte & 0x7F) << (7 * UInt64(index))
            guard byte & 0x80 == 0 else { continue }
            return byte == 0 && index > 0 ? nil : (code, bytes[(index + 1)...])
        }
        return nil
    }
}

/// Base 58 with the multibase prefix `z`, the one form that the DID methods of this module use.
enum Multibase {
    static let base58: Character = "z"

    static func encode(_ bytes: [UInt8], maximumBytes: Int = Base58.maximumBytes) -> String {
        String(base58) + Base58.encode(bytes, maximumBytes: maximumBytes)
    }

    /// The bytes; nil for another letter or alphabet, for no digits at all, and past the limit.
    static func decode(_ text: some StringProtocol, maximumCharacters: Int = Base58.maximumCharacters) -> [UInt8]? {
        guard text.first == base58, text.dropFirst().first != nil else { return nil }
        return Base58.decode(text.dropFirst(), maximumCharacters: maximumCharacters)
    }
}

/// A SHA-256 digest written as multihash in multibase, as did:peer does.
enum Multihash {
    private static let prefix = Multicodec.varint(Multicodec.sha256) + [32]

    static func text(ofDigest digest: [UInt8]) -> String { Multibase.encode(prefix + digest) }

    /// The 32 bytes of the digest; nil for another hash function, length or form.
    static func digest(in text: some StringProtocol) -> [UInt8]? {
        guard let bytes = Multibase.decode(text, maximumCharacters: 64), bytes.count == prefix.count + 32,
            bytes.starts(with: prefix)
        else { return nil }
        return Array(bytes.dropFirst(prefix.count))
    }
}
