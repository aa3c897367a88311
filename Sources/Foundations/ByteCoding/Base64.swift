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
        Base64Coder.decode(text, alphabets: acceptsBothAlphabets ? [.standard, .safe] : [.standard])
    }
}

/// Base 64 with the alphabet that is safe in addresses and file names, RFC 4648, section 5.
public enum Base64URL {
    /// Writes with `-` and `_` in one line, and without padding unless `isPadded` asks for it.
    public static func encode(_ bytes: some Sequence<UInt8>, isPadded: Bool = false) -> String {
        Base64Coder.encode(bytes, alphabet: .safe, isPadded: isPadded)
    }

    /// Reads with or without padding; nil for what `Base64.decode` refuses too.
    ///
    /// - Parameter acceptsBothAlphabets: also takes `+` for `-` and `/` for `_`.
    public static func decode(_ text: some StringProtocol, acceptsBothAlphabets: Bool = false) -> [UInt8]? {
        Base64Coder.decode(text, alphabets: acceptsBothAlphabets ? [.standard, .safe] : [.safe])
    }
}

private enum Base64Coder {
    enum Alphabet {
        case standard
        case safe

        var digits: [UInt8] { Array((Self.common + (self == .standard ? "+/" : "-_")).utf8) }

        private static let common = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    }

    static let padding = UInt8(ascii: "=")
    private static let notADigit: UInt8 = 0xFF

    static func encode(_ bytes: some Sequence<UInt8>, alphabet: Alphabet, isPadded: Bool) -> String {
        let digits = alphabet.digits
        var text: [UInt8] = []
        text.reserveCapacity(bytes.underestimatedCount * 4 / 3 + 4)
        var bits: UInt32 = 0
        var count = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(digits[Int(bits >> count & 63)])
            }
        }
        if count > 0 { text.append(digits[Int(bits << (6 - count) & 63)]) }
        while isPadded, text.count % 4 != 0 { text.append(padding) }
        return String(decoding: text, as: UTF8.self)
    }

    static func decode(_ text: some StringProtocol, alphabets: [Alphabet]) -> [UInt8]? {
        let values = values(of: alphabets)
        let characters = Array(text.utf8)
        guard let end = endOfDigits(characters) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(end * 3 / 4)
        var bits: UInt32 = 0
        var count = 0
        for character in characters[..<end] {
            let value = values[Int(character)]
            guard value != notADigit else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        return bits & (1 << count - 1) == 0 ? bytes : nil
    }

    /// Where the padding begins; nil when it is wrong or when the digits before it are no whole number of bytes.
    private static func endOfDigits(_ characters: [UInt8]) -> Int? {
        var end = characters.count
        while end > 0, characters.count - end < 3, characters[end - 1] == padding { end -= 1 }
        guard end % 4 != 1 else { return nil }
        let isUnpadded = end == characters.count
        return isUnpadded || (characters.count % 4 == 0 && characters.count - end < 3) ? end : nil
    }

    private static func values(of alphabets: [Alphabet]) -> [UInt8] {
        var values = [UInt8](repeating: notADigit, count: 256)
        for alphabet in alphabets {
            for (value, digit) in alphabet.digits.enumerated() { values[Int(digit)] = UInt8(value) }
        }
        return values
    }
}
