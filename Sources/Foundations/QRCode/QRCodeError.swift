public import CodedErrors

/// Why a text could not become a QR code.
public struct QRCodeError: CodedError {
    /// The stable name of a cause: never renamed, never reused.
    public enum Code: String, CaseIterable, Sendable {
        /// No version of the symbol holds so much at this level.
        case tooLong = "qr.too-long"
        /// The text is empty or holds the character NUL, which the library takes for its end.
        case invalidText = "qr.invalid-text"
        /// The library failed for another reason, such as lack of memory.
        case `internal` = "qr.internal"
    }

    /// The stable code of the cause.
    public let code: Code

    /// One sentence for a log line; not for comparison.
    public let reason: String

    /// Makes an error with its code and a sentence about the cause.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}
