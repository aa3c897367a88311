public import CodedErrors

/// Why a text is not an address that we would ask for anything.
public struct WebAddressError: CodedError {
    /// The stable name of a cause: never renamed, never reused.
    public enum Code: String, CaseIterable, Sendable {
        /// The address is too long. The limit is `WebAddress.maximumBytes`.
        case tooLong = "address.too-long"
        /// The address holds a control character. A line break and a tab are control characters too.
        case controlCharacter = "address.control-character"
        /// The address holds a character that must be encoded. RFC 3986 does not have the character, or not in this
        /// part of an address.
        case character = "address.character"
        /// A per cent sign in the address is not followed by two hexadecimal digits.
        case percentEncoding = "address.percent-encoding"
        /// The address does not begin with http, https, ws or wss and a colon.
        case scheme = "address.scheme"
        /// A user name or password stands before the host of the address.
        case credentials = "address.credentials"
        /// The address has no host, or one that is neither a name in ASCII nor an IP address in its usual form.
        case host = "address.host"
        /// The host is a number in an unusual spelling. Unusual are octal and hexadecimal numbers, shortened addresses,
        /// and one single number.
        case hostNumber = "address.host-number"
        /// The port is not a decimal number from 1 to 65535 without leading zeros.
        case port = "address.port"
    }

    /// The stable code of the cause.
    public let code: Code

    /// One sentence for a log line; not for comparison, and without any part of the text.
    public let reason: String

    /// Makes an error with its code and a sentence about the cause.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}
