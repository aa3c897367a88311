import ByteCoding

/// Recognises JOSE tokens, whole or damaged, among other texts with points and tildes.
enum TokenFormatDetection {
    /// Returns true when the first or second part of the token is base 64 of a JSON object.
    ///
    /// Before any tilde, and as far as its beginning shows: one of them may be what is broken.
    static func isToken(_ text: [UInt8]) -> Bool {
        let end = text.firstIndex(of: UInt8(ascii: "~")) ?? text.count
        guard let point = text[..<end].firstIndex(of: UInt8(ascii: ".")) else { return isObject(text[..<end]) }
        if isObject(text[..<point]) { return true }
        let rest = text[(point + 1)..<end]
        return isObject(rest.prefix { $0 != UInt8(ascii: ".") })
    }

    /// The most base 64 digits that are decoded to recognise a token.
    private static let decodedDigits = 64

    private static func isObject(_ part: ArraySlice<UInt8>) -> Bool {
        guard part.allSatisfy(isDigit) else { return false }
        let digits = part.prefix(decodedDigits).prefix { $0 != UInt8(ascii: "=") }
        // An object without members has three digits.
        let whole = digits.count < 4 ? digits : digits.prefix(digits.count & ~3)
        guard
            let bytes = Base64URL.decode(String(decoding: whole, as: UTF8.self), acceptsBothAlphabets: true),
            bytes.first == UInt8(ascii: "{")
        else { return false }
        let next = bytes.dropFirst().first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        return next == UInt8(ascii: "\"") || next == UInt8(ascii: "}")
    }

    /// Returns true for base64 digits of both alphabets, and padding.
    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "+"),
            UInt8(ascii: "/"), UInt8(ascii: "="):
            true
        default: false
        }
    }
}
