import ByteCoding

/// Decodes base 64 strictly in the forms that tokens use.
enum StrictBase64 {
    /// Decodes base64url without padding (RFC 7515, section 2).
    ///
    /// Throws `credential.parse-base64` for padding, white space, the other alphabet, a length of 1 modulo 4, and
    /// unused bits that are not 0.
    static func url(
        _ text: some StringProtocol, _ what: String, at location: CheckLocation? = nil
    ) throws(CredentialError) -> [UInt8] {
        let bytes = Array(text.utf8)
        return try url(bytes, bytes.indices, what, at: location)
    }

    /// Decodes a range of a longer text like a whole text.
    static func url(
        _ text: [UInt8], _ part: Range<Int>, _ what: String, at location: CheckLocation? = nil
    ) throws(CredentialError) -> [UInt8] {
        let run = Base64URL.decodeRun(in: text, from: part.lowerBound, limit: part.count)
        // Padding elsewhere than at the end is refused in any case.
        guard text[part].last != UInt8(ascii: "="), let run, run.end == part.upperBound else {
            throw CredentialError(.parseBase64, "\(what) is not written in base64url without padding.", at: location)
        }
        return run.bytes
    }

    /// Decodes standard base 64 with padding, as certificates in a header use it (RFC 7515, section 4.1.6).
    static func padded(_ text: some StringProtocol, _ what: String) throws(CredentialError) -> [UInt8] {
        guard text.utf8.count % 4 == 0, let bytes = Base64.decode(text) else {
            throw CredentialError(.parseBase64, "\(what) is not written in standard base 64 with padding.")
        }
        return bytes
    }
}
