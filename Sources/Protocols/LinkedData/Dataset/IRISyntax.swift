/// Checks the characters of IRIs and the form of language tags.
enum IRISyntax {
    static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Returns true when a byte may occur in an IRI of N-Quads.
    ///
    /// Not allowed are controls, the space, `<>"{}|^`, the grave accent and the backslash.
    static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "}"),
            UInt8(ascii: "|"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "\\"):
            false
        default: true
        }
    }

    /// Returns true when an IRI begins with a scheme (RFC 3986, section 3.1) and is absolute therefore.
    static func hasScheme(_ iri: some Collection<UInt8>) -> Bool {
        guard let first = iri.first, isLetter(first) else { return false }
        for byte in iri {
            if byte == UInt8(ascii: ":") { return true }
            let isPunctuation = byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            guard isLetter(byte) || isDigit(byte) || isPunctuation else { return false }
        }
        return false
    }

    /// Returns true when a text is a language tag: letters, then parts of letters and digits after hyphens.
    static func isLanguage(_ tag: some Collection<UInt8>) -> Bool {
        let parts = tag.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard let first = parts.first, !first.isEmpty, first.allSatisfy(isLetter) else { return false }
        return parts.dropFirst().allSatisfy { part in
            !part.isEmpty && part.allSatisfy { isLetter($0) || isDigit($0) }
        }
    }
}
