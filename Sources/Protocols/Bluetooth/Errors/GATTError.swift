public import CodedErrors

/// Why an operation of the GATT client or server failed.
public struct GATTError: CodedError {
    /// The stable name of a cause: never renamed, never reused.
    public enum Code: String, CaseIterable, Sendable {
        /// The peer answered with an Error Response; `wireCode` holds its byte.
        case attError = "gatt.att-error"
        /// The peer's answer does not follow the protocol.
        case badAnswer = "gatt.bad-answer"
        /// The peer sent a PDU that was not asked for or that cannot be read; it was ignored.
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

    /// Where the cause lies.
    public enum Origin: String, Hashable, Sendable {
        /// On this side.
        case local
        /// At the other end of the link.
        case peer
        /// Between the two.
        case radio
    }

    /// What the error ends.
    public enum Scope: String, Hashable, Sendable {
        /// One operation; the link goes on.
        case message
        /// The link: it must be closed, and no more may be sent on it.
        case connection
    }

    /// Which cause.
    public let code: Code

    /// Where the cause lies.
    public let origin: Origin

    /// What the error ends.
    public let scope: Scope

    /// The byte of the ATT Error Response, when there is one.
    public let wireCode: UInt8?

    /// One sentence for a log line; not for comparison.
    public let reason: String

    /// Makes an error.
    public init(
        _ code: Code, _ reason: String, origin: Origin = .local, scope: Scope = .message, wireCode: UInt8? = nil
    ) {
        self.code = code
        self.reason = reason
        self.origin = origin
        self.scope = scope
        self.wireCode = wireCode
    }
}
