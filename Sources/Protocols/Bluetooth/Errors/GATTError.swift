public import CodedErrors

/// Why an operation of the GATT client or server failed.
public struct GATTError: CodedError {
    /// The stable name of a cause: never renamed, never reused.
    public enum Code: String, CaseIterable, Sendable {
        /// The peer answered with an Error Response. `wireCode` holds the error byte.
        case attError = "gatt.att-error"
        /// The peer's answer does not follow the protocol.
        case badAnswer = "gatt.bad-answer"
        /// The peer sent a PDU that was not requested or cannot be read; it was ignored.
        case unexpectedPDU = "gatt.unexpected-pdu"
        /// A request or an indication went unanswered for the transaction time-out; the link must be closed.
        case transactionTimeout = "gatt.transaction-timeout"
        /// The link is gone, before or during the operation.
        case linkLost = "gatt.link-lost"
        /// A value is longer than the MTU, the attribute or a limit allows.
        case tooLarge = "gatt.too-large"
        /// The database has no such characteristic.
        case notFound = "gatt.not-found"
        /// Too many operations wait already.
        case queueFull = "gatt.queue-full"
    }

    /// The stable code of the cause.
    public let code: Code

    /// The byte of the ATT Error Response, when there is one.
    public let wireCode: UInt8?

    /// One sentence for a log line; not for comparison.
    public let reason: String

    /// Makes an error with its code and a sentence about the cause.
    public init(_ code: Code, _ reason: String, wireCode: UInt8? = nil) {
        self.code = code
        self.reason = reason
        self.wireCode = wireCode
    }
}
