public import CodedErrors

/// Why an operation of a radio failed.
public struct RadioError: CodedError {
    /// The stable name of a cause: never renamed, never reused.
    public enum Code: String, CaseIterable, Sendable {
        /// There is no Bluetooth adapter, or it is off.
        case unavailable = "radio.unavailable"
        /// The operating system does not allow this program to use the radio.
        case notPermitted = "radio.not-permitted"
        /// The device could not be connected to in the time allowed.
        case connectTimeout = "radio.connect-timeout"
        /// The link was lost. The link ended before or during the operation.
        case linkLost = "radio.link-lost"
        /// The other device did not answer a request in time. The limit is the ATT transaction time-out of 30 s, or the
        /// one given.
        case requestTimeout = "radio.request-timeout"
        /// The other device answered with an ATT error. `attError` holds the error byte.
        case attError = "radio.att-error"
        /// The other device's answer does not follow the protocol.
        case badAnswer = "radio.bad-answer"
        /// The other device does not offer the service, characteristic or descriptor.
        case notFound = "radio.not-found"
        /// A value or list is longer than the link, the peer or a limit allows.
        case tooLarge = "radio.too-large"
        /// The radio cannot do this, or not in its present state.
        case unsupported = "radio.unsupported"
        /// The caller cancelled the operation.
        case cancelled = "radio.cancelled"
    }

    /// The stable code of the cause.
    public let code: Code

    /// The byte of an ATT Error Response, when that is the cause.
    public let attError: UInt8?

    /// One sentence for a log line; not for comparison.
    public let reason: String

    /// Makes an error with its code and a sentence about the cause.
    public init(_ code: Code, _ reason: String, attError: UInt8? = nil) {
        self.code = code
        self.reason = reason
        self.attError = attError
    }
}
