public import CodedErrors

/// Why a text is no address that we would ask for anything.
public struct WebAddressError: CodedError {
    /// The stable name of a cause: never renamed, never reused.
    public enum Code: String, CaseIterable, Sendable {
        /// The text is longer than `WebAddress.maximumBytes`.
        case tooLong = "address.too-long"
        /// A control character, a line break or a tab stands in the text.
        case controlCharacter = "address.control-character"
        /// A character that RFC 3986 does not have, or has in another place, stands in the text.
        case character = "address.character"
        /// A per cent sign is not followed by two hexadecimal digits.
        case percentEncoding = "address.percent-encoding"
        /// The text does not begin with `http`, `https`, `ws` or `wss` and a colon.
        case scheme = "address.scheme"
        /// A user name or a password stands before the host.
        case credentials = "address.credentials"
        /// There is no host, or it is neither a name in ASCII nor an address in its usual spelling.
        case host = "address.host"
        /// The host is a number in an unusual spelling: octal, hexadecimal, shortened, or one single number.
        case hostNumber = "address.host-number"
        /// The port is no decimal number from 1 to 65535 without leading zeros.
        case port = "address.port"
    }

    /// Which cause.
    public let code: Code

    /// One sentence for a log line; not for comparison, and without any part of the text.
    public let reason: String

    /// Makes an error.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}
