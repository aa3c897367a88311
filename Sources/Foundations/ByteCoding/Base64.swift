/// Base 64 with the standard alphabet, RFC 4648, section 4.
public enum Base64 {
    /// Writes with `+`, `/` and padding, in one line.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        Base64Coder.encode(bytes, alphabet: .standard, isPadded: true)
    }

    /// Reads with or without padding; nil for anything else that `encode` would not write.
    ///
    /// Refused are: other characters (white space too), padding that is wrong or not at the end, a lone last character,
    /// and last characters whose unused bits are not 0.
    ///
    /// - Parameter acceptsBothAlphabets: also takes `-` for `+` and `_` for `/`.
    public static func decode(_ text: some StringProtocol, acceptsBothAlphabets: Bool = false) -> [UInt8]? {
        Base64Coder.read(text, acceptsBothAlphabets ? .both : .standard)
    }
}

/// Base 64 with the alphabet that is safe in addresses and file names, RFC 4648, section 5.
public enum Base64URL {
    /// Writes with `-` and `_` in one line, and without padding unless `isPadded` asks for it.
    public static func encode(_ bytes: some Sequence<UInt8>, isPadded: Bool = false) -> String {
        Base64Coder.encode(bytes, alphabet: .safe, isPadded: isPadded)
    }

    /// Writes an array as base 64 for addresses; faster than the generic form.
    public static func encode(_ bytes: [UInt8], isPadded: Bool = false) -> String {
        Base64Coder.encode(bytes, alphabet: .safe, isPadded: isPadded)
    }

    /// Appends the base 64 of `bytes` to `text` as UTF-8, for callers that build a long text in one piece.
    public static func append(_ bytes: some Collection<UInt8>, to text: inout [UInt8], isPadded: Bool = false) {
        Base64Coder.append(bytes, to: &text, alphabet: .safe, isPadded: isPadded)
    }

    /// Reads with or without padding; nil for what `Base64.decode` refuses too.
    ///
    /// - Parameter acceptsBothAlphabets: also takes `+` for `-` and `/` for `_`.
    public static func decode(_ text: some StringProtocol, acceptsBothAlphabets: Bool = false) -> [UInt8]? {
        Base64Coder.read(text, acceptsBothAlphabets ? .both : .safe)
    }

    /// Reads the digits and padding at `start` of UTF-8 up to the first byte that is neither, which is at `end`.
    ///
    /// For those who find base 64 in a longer text without having looked for its end. Nil for padding, lengths and last
    /// characters that `decode` refuses, and for a `start` outside the text.
    ///
    /// - Parameters:
    ///   - limit: the most characters that are looked at; not negative.
    ///   - room: for how many bytes more the array that is returned has capacity.
    public static func decodeRun(
        in text: [UInt8], from start: Int, limit: Int = .max, acceptsBothAlphabets: Bool = false, room: Int = 0
    ) -> (bytes: [UInt8], end: Int)? {
        precondition(limit >= 0 && room >= 0, "counts are not negative")
        guard (0...text.count).contains(start) else { return nil }
        let end = start + min(limit, text.count - start)
        return text.withUnsafeBufferPointer { text in
            Base64Coder.decodeRun(text[start..<end], acceptsBothAlphabets ? .both : .safe, room: room)
        }
    }
}
