@_exported public import CodedErrors

/// Why a text is not an address that we would ask for anything.
public typealias WebAddressError = CodedFailure<WebAddressErrorCode>

/// The stable names of the causes, which are never renamed and never reused; `explanations` says what each means.
public enum WebAddressErrorCode: String, CaseIterable, Sendable {
    /// The limit is `WebAddress.maximumBytes`.
    case tooLong = "address.too-long"
    /// A line break and a tab are control characters too.
    case controlCharacter = "address.control-character"
    /// RFC 3986 does not have the character, or not in this part of an address.
    case character = "address.character"
    case percentEncoding = "address.percent-encoding"
    case scheme = "address.scheme"
    case credentials = "address.credentials"
    case host = "address.host"
    /// Unusual are octal and hexadecimal numbers, shortened addresses, and one single number.
    case hostNumber = "address.host-number"
    case port = "address.port"
}
