import ByteCoding

/// Base 64 as the token formats write it, and nothing else.
enum StrictBase64 {
    /// Reads base64url without padding (RFC 7515, section 2).
    ///
    /// Throws `credential.parse-base64` for padding, white space, the other alphabet, a length of 1 modulo 4, and
    /// unused bits that are not 0.
    static func url(
        _ text: some StringProtocol, _ what: String, at location: CheckLocation? = nil
    ) throws(CredentialError) -> [UInt8] {
        // Padding elsewhere than at the end is refused in any case.
        guard text.last != "=", let bytes = Base64URL.decode(text) else {
            throw CredentialError(.parseBase64, "\(what) is not written in base64url without padding.", at: location)
        }
        return bytes
    }

    /// Reads standard base 64 with padding, as certificates in a header have it (RFC 7515, section 4.1.6).
    static func padded(_ text: some StringProtocol, _ what: String) throws(CredentialError) -> [UInt8] {
        guard text.utf8.count % 4 == 0, let bytes = Base64.decode(text) else {
            throw CredentialError(.parseBase64, "\(what) is not written in standard base 64 with padding.")
        }
        return bytes
    }
}
