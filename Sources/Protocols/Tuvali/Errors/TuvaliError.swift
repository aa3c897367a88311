@_exported public import CodedErrors

/// Why a hand-over failed, or why an input was refused.
///
/// Equality is by code. `wireCode` is the code of the Tuvali documentation where it has one for the cause.
public typealias TuvaliError = CodedFailure<TuvaliErrorCode>

/// The stable names of the causes, which are never renamed and never reused; `explanations` says what each means.
public enum TuvaliErrorCode: String, CaseIterable, Sendable {
    /// The scheme, its case or the authority is another.
    case uriNotTuvali = "tuvali.uri.not-tuvali"
    case uriMalformed = "tuvali.uri.malformed"
    /// The name is missing or empty.
    case uriMissingName = "tuvali.uri.missing-name"
    case uriBadName = "tuvali.uri.bad-name"
    /// The key is missing or empty.
    case uriMissingKey = "tuvali.uri.missing-key"
    case uriBadKey = "tuvali.uri.bad-key"
    /// The session goes on.
    case sessionMisused = "tuvali.session.misused"
    case sessionInternal = "tuvali.session.internal"
    case linkLost = "tuvali.session.link-lost"
    case peerDisconnected = "tuvali.session.peer-disconnected"
    case walletVerifierNotFound = "tuvali.wallet.verifier-not-found"
    case walletStaleURI = "tuvali.wallet.stale-uri"
    /// The radio's error has no Tuvali code of its own.
    case walletRadioFailed = "tuvali.wallet.radio-failed"
    case walletConnectFailed = "tuvali.wallet.connect-failed"
    case walletServiceNotFound = "tuvali.wallet.service-not-found"
    case walletMTUNotNegotiated = "tuvali.wallet.mtu-not-negotiated"
    case walletMTUTooSmall = "tuvali.wallet.mtu-too-small"
    /// The key gives every wallet the same secret.
    case walletLowOrderKey = "tuvali.wallet.low-order-key"
    case walletSetupTimeout = "tuvali.wallet.setup-timeout"
    case walletConsentTimeout = "tuvali.wallet.consent-timeout"
    /// The payload makes more chunks than can be numbered.
    case walletPayloadTooLarge = "tuvali.wallet.payload-too-large"
    case walletTransferTimeout = "tuvali.wallet.transfer-timeout"
    case walletWriteFailed = "tuvali.wallet.write-failed"
    case walletReportRequestFailed = "tuvali.wallet.report-request-failed"
    case walletReportTimeout = "tuvali.wallet.report-timeout"
    case walletReportMalformed = "tuvali.wallet.report-malformed"
    case walletReportOutOfRange = "tuvali.wallet.report-out-of-range"
    case walletTooManyFailureFrames = "tuvali.wallet.too-many-failure-frames"
    /// The verifier sent no decision in the time allowed.
    case walletStatusTimeout = "tuvali.wallet.status-timeout"
    case walletDecisionUnknown = "tuvali.wallet.decision-unknown"
    case walletRequestWithheld = "tuvali.wallet.request-withheld"
    /// ATT's time for an answer has passed.
    case walletRequestUnanswered = "tuvali.wallet.request-unanswered"
    case walletRequestTimeout = "tuvali.wallet.request-timeout"
    case walletRequestReadFailed = "tuvali.wallet.request-read-failed"
    case walletRequestTooLarge = "tuvali.wallet.request-too-large"
    /// A part of the verifier's request has a wrong length, or the request does not decompress.
    case walletRequestMalformed = "tuvali.wallet.request-malformed"
    case walletRequestNotAuthentic = "tuvali.wallet.request-not-authentic"
    /// The radio's error has no Tuvali code of its own.
    case verifierRadioFailed = "tuvali.verifier.radio-failed"
    case verifierNobodyCame = "tuvali.verifier.nobody-came"
    case verifierMTUTooSmall = "tuvali.verifier.mtu-too-small"
    /// The request is ignored.
    case verifierIdentifyMalformed = "tuvali.verifier.identify-malformed"
    /// The verifier ends its link.
    case verifierIdentifyTimeout = "tuvali.verifier.identify-timeout"
    /// The key gives every verifier the same secret.
    case verifierLowOrderKey = "tuvali.verifier.low-order-key"
    /// The message is ignored.
    case verifierOutOfTurn = "tuvali.verifier.out-of-turn"
    /// The write is ignored.
    case verifierForeignLink = "tuvali.verifier.foreign-link"
    case verifierSizeMalformed = "tuvali.verifier.size-malformed"
    case verifierSizeZero = "tuvali.verifier.size-zero"
    case verifierSizeTooLarge = "tuvali.verifier.size-too-large"
    case verifierSizeMissing = "tuvali.verifier.size-missing"
    /// The chunk counts as missing.
    case verifierBadChunk = "tuvali.verifier.bad-chunk"
    case verifierTooManyMissingChunks = "tuvali.verifier.too-many-missing-chunks"
    case verifierTooManyReports = "tuvali.verifier.too-many-reports"
    case verifierNotAuthentic = "tuvali.verifier.not-authentic"
    case verifierNotGzip = "tuvali.verifier.not-gzip"
    case verifierPayloadTooLarge = "tuvali.verifier.payload-too-large"
    case verifierTransferTimeout = "tuvali.verifier.transfer-timeout"
    case verifierDecisionTimeout = "tuvali.verifier.decision-timeout"
    case verifierRequestUnread = "tuvali.verifier.request-unread"
    case verifierTooManyReads = "tuvali.verifier.too-many-reads"
}

extension TuvaliError {
    /// The code of the Tuvali documentation for this cause; nil where it has none.
    public var wireCode: TuvaliWireCode? { code.wireCode }
}

extension TuvaliErrorCode {
    /// The code of the Tuvali documentation, like `TVW_CON_001`.
    public var specifiedCode: String? { wireCode?.rawValue }

    /// The code of the Tuvali documentation for this cause; nil where it has none.
    public var wireCode: TuvaliWireCode? {
        switch self {
        case .uriNotTuvali, .uriMalformed, .uriMissingName, .uriBadName, .uriMissingKey, .uriBadKey: .invalidURI
        case .sessionMisused, .sessionInternal: .unknown
        case .linkLost, .peerDisconnected: nil
        case .walletVerifierNotFound, .walletStaleURI, .walletConsentTimeout, .walletStatusTimeout: nil
        case .walletDecisionUnknown: nil
        case .walletRadioFailed, .walletConnectFailed, .walletSetupTimeout, .walletLowOrderKey: .walletUnknown
        case .walletServiceNotFound: .serviceNotFound
        case .walletMTUNotNegotiated, .walletMTUTooSmall: .mtuNegotiation
        case .walletPayloadTooLarge, .walletTransferTimeout, .walletWriteFailed: .walletTransferHandler
        case .walletReportMalformed: .centralStateHandler
        case .walletReportOutOfRange: .walletTransferHandler
        case .walletReportRequestFailed, .walletReportTimeout, .walletTooManyFailureFrames: .transferFailed
        case .verifierRadioFailed: .verifierUnknown
        case .walletRequestWithheld, .walletRequestUnanswered, .walletRequestTimeout, .walletRequestReadFailed: nil
        case .walletRequestTooLarge, .walletRequestMalformed, .walletRequestNotAuthentic: .centralStateHandler
        case .verifierRequestUnread, .verifierTooManyReads: nil
        case .verifierNobodyCame, .verifierDecisionTimeout: nil
        case .verifierMTUTooSmall: .unsupportedMTUSize
        case .verifierIdentifyMalformed, .verifierIdentifyTimeout, .verifierLowOrderKey: .peripheralStateHandler
        case .verifierOutOfTurn, .verifierForeignLink, .verifierSizeMalformed: .peripheralStateHandler
        case .verifierSizeZero, .verifierSizeTooLarge: .corruptedChunkReceived
        case .verifierBadChunk, .verifierSizeMissing, .verifierTransferTimeout: .verifierTransferHandler
        case .verifierTooManyMissingChunks, .verifierTooManyReports: .tooManyFailureChunks
        case .verifierNotAuthentic, .verifierNotGzip, .verifierPayloadTooLarge: .verifierTransferHandler
        }
    }
}
