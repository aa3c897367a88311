@_exported public import CodedErrors

/// Why a reading of a mobile document failed, or why an input was refused.
///
/// Equality is by code. `status` is the status that the other side sent, where the code tells of one.
public typealias MobileSessionError = CodedFailure<MobileSessionErrorCode>

/// The stable names of the causes, which are never renamed and never reused; `explanations` says what each means.
public enum MobileSessionErrorCode: String, CaseIterable, Sendable {
    /// The status of a session or of a response (ISO/IEC 18013-5, tables 3 and 20).
    public typealias Detail = Int

    case engagementMalformed = "mdoc.engagement-malformed"
    case engagementVersion = "mdoc.engagement-version"
    case engagementSuite = "mdoc.engagement-suite"
    case engagementCurve = "mdoc.engagement-curve"
    case noCommonMethod = "mdoc.no-common-method"
    case notFound = "mdoc.not-found"
    /// The other side was found, and no link to it came up that could be used.
    case connectTimeout = "mdoc.connect-timeout"
    case serviceMissing = "mdoc.service-missing"
    case identMismatch = "mdoc.ident-mismatch"
    case partMalformed = "mdoc.part-malformed"
    /// A value of the link came at a time, or with a content, that the protocol does not allow.
    case protocolBroken = "mdoc.protocol"
    case messageTooLarge = "mdoc.message-too-large"
    /// The link or the other side ended while a message was half received, or before an answer.
    case brokenOff = "mdoc.broken-off"
    case sessionDecrypt = "mdoc.session-decrypt"
    case sessionMalformed = "mdoc.session-cbor"
    /// `status` holds the status.
    case peerStatus = "mdoc.peer-status"
    case idleTimeout = "mdoc.timeout-idle"
    case requestMalformed = "mdoc.request-malformed"
    /// The key or the certificate by which the user's own reader signs.
    case readerIdentity = "mdoc.reader-identity"
    case responseMalformed = "mdoc.response-malformed"
    /// `status` holds the status.
    case responseStatus = "mdoc.response-status"
    case nothingReturned = "mdoc.nothing-returned"
    case radioFailed = "mdoc.radio-failed"
    case sessionInternal = "mdoc.session-internal"
}

extension MobileSessionErrorCode {
    /// The place of a status in a log line.
    public static func place(of detail: Int) -> String? { "status \(detail)" }

    /// The status as the wire code.
    public static func wireCodeText(of detail: Int) -> String? { "\(detail)" }
}

extension MobileSessionError {
    /// The status that the other side sent; nil without one.
    public var status: Int? { detail }
}
