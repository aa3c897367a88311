/// The codes that mark the type of the bytes in a multibase or multihash text.
///
/// Source: the multicodec registry of multiformats.
public enum Multicodec {
    /// The code of an Ed25519 public key of 32 bytes.
    public static let ed25519PublicKey: UInt64 = 0xED
    /// The code of an X25519 public key of 32 bytes.
    public static let x25519PublicKey: UInt64 = 0xEC
    /// The code of a SHA-256 digest with its length before it.
    public static let sha256: UInt64 = 0x12
    /// The code of a JSON text.
    public static let json: UInt64 = 0x0200

    /// The most bytes that a code of the multicodec registry needs.
    static let maximumBytes = 4

    /// Encodes `code` in groups of seven bits, least significant first (unsigned LEB128).
    public static func varint(_ code: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = code
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
        return bytes
    }

    /// Returns the multicodec code that `bytes` begin with, and the bytes behind it.
    ///
    /// Nil when the number does not end within `maximumBytes`, or is written longer than it needs to be.
    public static func split(_ bytes: [UInt8]) -> (code: UInt64, rest: ArraySlice<UInt8>)? {
        var code: UInt64 = 0
        for (index, byte) in bytes.prefix(maximumBytes).enumerated() {
            code |= UInt64(byte & 0x7F) << (7 * UInt64(index))
            guard byte & 0x80 == 0 else { continue }
            return byte == 0 && index > 0 ? nil : (code, bytes[(index + 1)...])
        }
        return nil
    }
}

/// Base 58 with the multibase prefix `z`, the one form that DID methods use.
public enum Multibase {
    private static let base58: Character = "z"

    /// Writes at most `maximumBytes` bytes in base 58 behind `z`; more are a mistake of the caller and trap.
    public static func encode(_ bytes: [UInt8], maximumBytes: Int = Base58.maximumBytes) -> String {
        String(base58) + Base58.encode(bytes, maximumBytes: maximumBytes)
    }

    /// Reads base 58 behind `z`; nil for another prefix or alphabet, for no digits at all, and past the limit.
    public static func decode(_ text: some StringProtocol, maximumCharacters: Int = Base58.maximumCharacters)
        -> [UInt8]?
    {
        guard text.first == base58, text.dropFirst().first != nil else { return nil }
        return Base58.decode(text.dropFirst(), maximumCharacters: maximumCharacters)
    }
}
