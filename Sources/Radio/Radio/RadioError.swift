@_exported public import CodedErrors

/// Why an operation of a radio failed.
public typealias RadioError = CodedFailure<RadioErrorCode>

/// The stable names of the causes, which are never renamed and never reused; `explanations` says what each means.
public enum RadioErrorCode: String, CaseIterable, Sendable {
    /// The byte of the ATT Error Response.
    public typealias Detail = UInt8

    case unavailable = "radio.unavailable"
    case notPermitted = "radio.not-permitted"
    case connectTimeout = "radio.connect-timeout"
    /// The link ended before or during the operation.
    case linkLost = "radio.link-lost"
    /// The limit is the ATT transaction time-out of 30 s, or the one given.
    case requestTimeout = "radio.request-timeout"
    /// `attError` holds the error byte.
    case attError = "radio.att-error"
    case badAnswer = "radio.bad-answer"
    case notFound = "radio.not-found"
    case tooLarge = "radio.too-large"
    case unsupported = "radio.unsupported"
    case cancelled = "radio.cancelled"
}

extension RadioError {
    /// The byte of the ATT Error Response; nil without one.
    public var attError: UInt8? { detail }

    /// Makes an error with its code, a sentence, and the byte of the ATT Error Response.
    public init(_ code: Code, _ reason: String, attError: UInt8?) { self.init(code, reason, detail: attError) }
}
