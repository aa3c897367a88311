@_exported public import CodedErrors

/// Why an operation of the GATT client or server failed.
public typealias GATTError = CodedFailure<GATTErrorCode>

/// The stable names of the causes, which are never renamed and never reused; `explanations` says what each means.
public enum GATTErrorCode: String, CaseIterable, Sendable {
    /// The byte of the ATT Error Response.
    public typealias Detail = UInt8

    /// `wireCode` holds the error byte.
    case attError = "gatt.att-error"
    case badAnswer = "gatt.bad-answer"
    case unexpectedPDU = "gatt.unexpected-pdu"
    case transactionTimeout = "gatt.transaction-timeout"
    case linkLost = "gatt.link-lost"
    case tooLarge = "gatt.too-large"
    case notFound = "gatt.not-found"
    case queueFull = "gatt.queue-full"
}

extension GATTError {
    /// The byte of the ATT Error Response; nil without one.
    public var wireCode: UInt8? { detail }

    /// Makes an error with its code, a sentence, and the byte of the ATT Error Response.
    public init(_ code: Code, _ reason: String, wireCode: UInt8?) { self.init(code, reason, detail: wireCode) }
}
