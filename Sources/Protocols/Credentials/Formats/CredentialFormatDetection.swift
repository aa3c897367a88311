import ByteCoding
package import CBOR

/// Detects the format of a credential by features that only it has; its verifier checks the rest.
///
/// An input without the form of any is `unknown`, and so never refused: a text with points, a word that is base 64 by
/// chance or another object in JSON or CBOR is no broken credential.
package enum CredentialFormatDetection {
    /// Returns the format that `bytes` appear to have.
    package static func format(of bytes: [UInt8]) -> CredentialFormat {
        let text = trimmed(bytes)
        guard let first = text.first else { return .unknown }
        if first == UInt8(ascii: "{") { return ObjectFormatDetection.format(of: text) }
        guard text.allSatisfy({ $0 &- 0x20 <= 0x5E || isSpace($0) }) else {
            return BinaryFormatDetection.format(of: bytes)
        }
        if text.contains(UInt8(ascii: "~")) { return TokenFormatDetection.isToken(text) ? .sdJWT : .unknown }
        if text.contains(UInt8(ascii: ".")) { return TokenFormatDetection.isToken(text) ? .jwt : .unknown }
        guard let decoded = decoded(text) else { return .unknown }
        return BinaryFormatDetection.format(of: decoded, isDecoded: true)
    }

    /// Returns true for a whole item of CBOR that is a mobile document, or a part of one.
    package static func isMobileDocument(_ value: CBORValue) -> Bool { BinaryFormatDetection.isMobileDocument(value) }

    /// Returns the bytes of a CBOR credential that is given as CBOR or in base64url.
    package static func binary(_ bytes: [UInt8]) -> [UInt8] {
        let text = trimmed(bytes)
        guard text.allSatisfy({ (0x20...0x7E).contains($0) }), let decoded = decoded(text) else { return bytes }
        return decoded
    }

    /// Returns the bytes without white space at both ends.
    package static func trimmed(_ bytes: [UInt8]) -> [UInt8] {
        guard let start = bytes.firstIndex(where: { !isSpace($0) }),
            let end = bytes.lastIndex(where: { !isSpace($0) })
        else { return [] }
        return start == 0 && end == bytes.count - 1 ? bytes : Array(bytes[start...end])
    }

    private static func decoded(_ text: [UInt8]) -> [UInt8]? {
        Base64URL.decode(String(decoding: text, as: UTF8.self), acceptsBothAlphabets: true)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
