/// Classes of ASCII characters that RFC 3986 defines for URIs.
enum URICharacterClass {
    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }

    static func isHexDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }

    static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    /// Returns true when the byte may occur somewhere in a web address.
    static func isAddressCharacter(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || "-._~:/?#[]@!$&'()*+,;=%".utf8.contains(byte)
    }

    /// Throws at the first byte that may not occur in a web address.
    static func check(_ bytes: [UInt8]) throws(WebAddressError) {
        for byte in bytes where !isAddressCharacter(byte) {
            if byte < 0x20 || byte == 0x7F {
                throw WebAddressError(.controlCharacter, "a control character stands in the address")
            }
            throw WebAddressError(.character, "a character that must be percent-encoded stands in the address")
        }
    }
}
