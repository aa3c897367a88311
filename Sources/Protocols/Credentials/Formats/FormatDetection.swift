import ByteCoding

/// Tells formats apart by how their bytes begin; what a format demands is checked by its verifier alone.
enum FormatDetection {
    /// The format that `bytes` look like.
    static func format(of bytes: [UInt8]) -> CredentialFormat {
        let text = trimmed(bytes)
        guard let first = text.first else { return .unknown }
        if first == UInt8(ascii: "{") {
            let isToken = contains("\"payload\"", in: text) && !contains("\"@context\"", in: text)
            return isToken ? .sdJWT : .linkedData
        }
        guard text.allSatisfy({ $0 &- 0x20 <= 0x5E || isSpace($0) }) else { return binaryFormat(of: bytes) }
        if text.contains(UInt8(ascii: "~")) { return .sdJWT }
        if text.contains(UInt8(ascii: ".")) { return .jwt }
        guard let decoded = decoded(text) else { return .unknown }
        return binaryFormat(of: decoded)
    }

    /// The bytes of a credential in CBOR that stands as it is or in base64url.
    static func binary(_ bytes: [UInt8]) -> [UInt8] {
        let text = trimmed(bytes)
        guard text.allSatisfy({ (0x20...0x7E).contains($0) }), let decoded = decoded(text) else { return bytes }
        return decoded
    }

    /// The bytes without white space at either end.
    static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
        guard let start = bytes.firstIndex(where: { !isSpace($0) }),
            let end = bytes.lastIndex(where: { !isSpace($0) })
        else { return [] }
        return start == 0 && end == bytes.count - 1 ? bytes : Array(bytes[start...end])
    }

    private static func decoded(_ text: [UInt8]) -> [UInt8]? {
        Base64URL.decode(String(decoding: text, as: UTF8.self), acceptsBothAlphabets: true)
    }

    /// Tag 61 or 18, or an array of four, begins a CWT; a map, a mobile document.
    private static func binaryFormat(of bytes: [UInt8]) -> CredentialFormat {
        guard let first = bytes.first else { return .unknown }
        switch first {
        case 0xA0...0xBF: return .mobileDocument
        case 0xD2, 0x84, 0x9F: return .cwt
        case 0xC0...0xDB: return .cwt
        default: return .unknown
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func contains(_ word: String, in text: [UInt8]) -> Bool {
        let word = Array(word.utf8)
        guard text.count >= word.count else { return false }
        return text.withUnsafeBufferPointer { buffer in
            word.withUnsafeBufferPointer { word in
                (0...(buffer.count - word.count)).contains { start in
                    buffer[start] == word[0] && buffer[start..<(start + word.count)].elementsEqual(word)
                }
            }
        }
    }
}
