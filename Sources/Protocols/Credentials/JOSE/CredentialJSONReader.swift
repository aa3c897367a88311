import JSON

/// Reads JSON in credentials, and throws the error codes of credentials.
enum CredentialJSONReader {
    /// Parses `bytes` as one JSON value.
    ///
    /// Throws `credential.parse-utf-8`, `credential.parse-duplicate-key`, `credential.parse-trailing`,
    /// `credential.parse-json`, `credential.limit-depth` and `credential.limit-input`.
    static func value(
        _ bytes: [UInt8], _ what: String, limits: VerificationLimits
    ) throws(CredentialError) -> JSONValue {
        // UTF-16 of a text in ASCII is UTF-8 with zeros.
        guard !bytes.prefix(2).contains(0) else {
            throw CredentialError(.parseUTF8, "\(what) is not UTF-8.")
        }
        do throws(JSONError) {
            return try JSONValue(parsing: bytes, limits: limits.json)
        } catch {
            throw CredentialError(code(of: error.code), "\(what): \(error.reason).", at: place(of: error))
        }
    }

    private static func place(of error: JSONError) -> CheckLocation? { error.offset.map { .bytes($0..<($0 + 1)) } }

    private static func code(of code: JSONError.Code) -> CredentialError.Code {
        switch code {
        case .tooLarge, .stringTooLong, .numberTooLong, .tooManyMembers, .tooManyElements: .limitInput
        case .tooDeep: .limitDepth
        case .byteOrderMark, .notUTF8: .parseUTF8
        case .trailingData: .parseTrailing
        case .duplicateName: .parseDuplicateKey
        case .truncated, .syntax, .badNumber, .badEscape, .loneSurrogate, .controlCharacter, .missing, .wrongKind,
            .numberOutOfRange:
            .parseJSON
        }
    }
}
