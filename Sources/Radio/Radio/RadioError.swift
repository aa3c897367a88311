public import CodedErrors

/// Why an operation of a radio failed.
public struct RadioError: CodedError {
    /// The stable name of a cause: never renamed, never reused.
    public enum Code: String, CaseIterable, Sendable {
        /// No adapter, or it is off.
        case unavailable = "radio.unavailable"
        /// The operating system does not allow this to us.
        case notPermitted = "radio.not-permitted"
        /// The device was not reached within the time given.
        case connectTimeout = "radio.connect-timeout"
        /// The link is gone, before or during the operation.
        case linkLost = "radio.link-lost"
        /// The peer did not answer a request within the ATT transaction time-out of 30 s, or the one given.
        case requestTimeout = "radio.request-timeout"
        /// The peer answered with an ATT error; `attError` holds its byte.
        case attError = "radio.att-error"
        /// The peer's answer does not follow the protocol.
        case badAnswer = "radio.bad-answer"
        /// The service, characteristic or descriptor is not there.
        case notFound = "radio.not-found"
        /// A value or list is longer than the link, the peer or a limit of ours allows.
        case tooLarge = "radio.too-large"
        /// The radio cannot do this, or not in its present state.
        case unsupported = "radio.unsupported"
        /// The operation was cancelled by its caller.
        case cancelled = "radio.cancelled"
    }

    /// Which cause.
    public let code: Code

    /// The byte of an ATT Error Response, when that is the cause.
    public let attError: UInt8?

    /// One sentence for a log line; not for comparison.
    public let reason: String

    /// Makes an error.
    public init(_ code: Code, _ reason: String, attError: UInt8? = nil) {
        self.code = code
        self.reason = reason
        self.attError = attError
    }
}
