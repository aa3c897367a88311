public import CodedErrors

/// Why a hand-over failed, or why an input was refused.
///
/// Equality is by code. `wireCode` is the code of the Tuvali documentation where it has one for the cause.
public struct TuvaliError: CodedError {
    /// The stable name of a cause: never renamed, never reused.
    public enum Code: String, CaseIterable, Sendable {
        /// This is not the code of a Tuvali verifier. The scheme, its case or the authority is another.
        case uriNotTuvali = "tuvali.uri.not-tuvali"
        /// The code is too long, not percent-encoded, or has a parameter twice.
        case uriMalformed = "tuvali.uri.malformed"
        /// The code names no verifier. The name is missing or empty.
        case uriMissingName = "tuvali.uri.missing-name"
        /// The verifier's name is longer than an advertisement holds.
        case uriBadName = "tuvali.uri.bad-name"
        /// The code holds no key. The key is missing or empty.
        case uriMissingKey = "tuvali.uri.missing-key"
        /// The key in the code is not 32 bytes in hexadecimal digits.
        case uriBadKey = "tuvali.uri.bad-key"
        /// The session cannot do this in its present state, or the payload is empty. The session goes on.
        case sessionMisused = "tuvali.session.misused"
        /// A library, or a part of this program, failed for a reason that has no code.
        case sessionInternal = "tuvali.session.internal"
        /// The link was lost before the hand-over was complete.
        case linkLost = "tuvali.session.link-lost"
        /// The other device ended the session before the hand-over was complete.
        case peerDisconnected = "tuvali.session.peer-disconnected"
        /// No verifier was heard.
        case walletVerifierNotFound = "tuvali.wallet.verifier-not-found"
        /// The QR code is stale: verifiers are near, but none has the key of this code.
        case walletStaleURI = "tuvali.wallet.stale-uri"
        /// The radio failed. The radio's error has no Tuvali code of its own.
        case walletRadioFailed = "tuvali.wallet.radio-failed"
        /// The verifier was heard but could not be connected to.
        case walletConnectFailed = "tuvali.wallet.connect-failed"
        /// The device does not offer the whole Tuvali service.
        case walletServiceNotFound = "tuvali.wallet.service-not-found"
        /// The verifier answered no MTU request.
        case walletMTUNotNegotiated = "tuvali.wallet.mtu-not-negotiated"
        /// The verifier's MTU leaves less than 64 bytes for a write.
        case walletMTUTooSmall = "tuvali.wallet.mtu-too-small"
        /// The key in the code gives no secrecy. The key gives every wallet the same secret.
        case walletLowOrderKey = "tuvali.wallet.low-order-key"
        /// The verifier stopped answering before the channel was ready.
        case walletSetupTimeout = "tuvali.wallet.setup-timeout"
        /// Nothing was sent in the time allowed after the channel was ready.
        case walletConsentTimeout = "tuvali.wallet.consent-timeout"
        /// The file is too large for this link. The payload makes more chunks than can be numbered.
        case walletPayloadTooLarge = "tuvali.wallet.payload-too-large"
        /// The transfer stood still.
        case walletTransferTimeout = "tuvali.wallet.transfer-timeout"
        /// The verifier refused a write.
        case walletWriteFailed = "tuvali.wallet.write-failed"
        /// The request for the verifier's transfer report could not be written.
        case walletReportRequestFailed = "tuvali.wallet.report-request-failed"
        /// The verifier sent no transfer report.
        case walletReportTimeout = "tuvali.wallet.report-timeout"
        /// The verifier sent a transfer report that cannot be parsed.
        case walletReportMalformed = "tuvali.wallet.report-malformed"
        /// The verifier asks for a chunk that does not exist.
        case walletReportOutOfRange = "tuvali.wallet.report-out-of-range"
        /// Chunks were still missing after they had been sent again as often as allowed.
        case walletTooManyFailureFrames = "tuvali.wallet.too-many-failure-frames"
        /// Everything arrived, but the verifier did not say what it decided. The verifier sent no decision in the time
        /// allowed.
        case walletStatusTimeout = "tuvali.wallet.status-timeout"
        /// Everything arrived, but the link ended before the verifier said what it decided.
        case walletDecisionUnknown = "tuvali.wallet.decision-unknown"
        /// The verifier's code says that it holds a request, but none could be read.
        case walletRequestWithheld = "tuvali.wallet.request-withheld"
        /// The verifier never answered the read of its request's size. ATT's time for an answer has passed.
        case walletRequestUnanswered = "tuvali.wallet.request-unanswered"
        /// The verifier stopped answering while its request was read, or the request took too long.
        case walletRequestTimeout = "tuvali.wallet.request-timeout"
        /// The verifier announced a request and refused to hand it out.
        case walletRequestReadFailed = "tuvali.wallet.request-read-failed"
        /// The verifier's request is larger than allowed, as announced or when it decompresses.
        case walletRequestTooLarge = "tuvali.wallet.request-too-large"
        /// The verifier's request cannot be parsed. A window, its length or the decompressed bytes are wrong.
        case walletRequestMalformed = "tuvali.wallet.request-malformed"
        /// The verifier's request was not sealed for this wallet, or was altered.
        case walletRequestNotAuthentic = "tuvali.wallet.request-not-authentic"
        /// The radio failed. The radio's error has no Tuvali code of its own.
        case verifierRadioFailed = "tuvali.verifier.radio-failed"
        /// No wallet identified itself in the time allowed.
        case verifierNobodyCame = "tuvali.verifier.nobody-came"
        /// The wallet's MTU leaves less than 64 bytes for a write.
        case verifierMTUTooSmall = "tuvali.verifier.mtu-too-small"
        /// The wallet's identify request is shorter than 44 bytes. The request is ignored.
        case verifierIdentifyMalformed = "tuvali.verifier.identify-malformed"
        /// A device connected and did not identify itself. The verifier ends its link.
        case verifierIdentifyTimeout = "tuvali.verifier.identify-timeout"
        /// The wallet's key gives no secrecy. The key gives every verifier the same secret.
        case verifierLowOrderKey = "tuvali.verifier.low-order-key"
        /// The wallet sent a message that the state of the session does not expect. The message is ignored.
        case verifierOutOfTurn = "tuvali.verifier.out-of-turn"
        /// Another device wrote into the session. The write is ignored.
        case verifierForeignLink = "tuvali.verifier.foreign-link"
        /// The wallet announced a payload size in fewer than four bytes.
        case verifierSizeMalformed = "tuvali.verifier.size-malformed"
        /// The wallet announced a payload size of zero.
        case verifierSizeZero = "tuvali.verifier.size-zero"
        /// The wallet announced a payload larger than allowed.
        case verifierSizeTooLarge = "tuvali.verifier.size-too-large"
        /// The wallet sent chunks or a report request, but never a payload size.
        case verifierSizeMissing = "tuvali.verifier.size-missing"
        /// A chunk is corrupt, malformed or contradicts another. The chunk counts as missing.
        case verifierBadChunk = "tuvali.verifier.bad-chunk"
        /// More than 70 % of the chunks are missing.
        case verifierTooManyMissingChunks = "tuvali.verifier.too-many-missing-chunks"
        /// The wallet asked for more transfer reports than any wallet needs.
        case verifierTooManyReports = "tuvali.verifier.too-many-reports"
        /// The payload was not sealed for this verifier, or was altered.
        case verifierNotAuthentic = "tuvali.verifier.not-authentic"
        /// The payload is authentic but no gzip stream.
        case verifierNotGzip = "tuvali.verifier.not-gzip"
        /// The payload decompresses to more than is allowed.
        case verifierPayloadTooLarge = "tuvali.verifier.payload-too-large"
        /// No new chunk arrived in time, or the transfer took too long in all.
        case verifierTransferTimeout = "tuvali.verifier.transfer-timeout"
        /// The credential was neither accepted nor rejected in time.
        case verifierDecisionTimeout = "tuvali.verifier.decision-timeout"
        /// The wallet did not read the verifier's request.
        case verifierRequestUnread = "tuvali.verifier.request-unread"
        /// The wallet read the verifier's request more often than any wallet needs.
        case verifierTooManyReads = "tuvali.verifier.too-many-reads"
    }

    /// The stable code of the cause.
    public let code: Code

    /// One sentence for people; not for comparison.
    ///
    /// Holds no key, nonce or payload.
    public let reason: String

    /// Makes an error with its code and a sentence about the cause.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}

extension TuvaliError {
    /// The code of the Tuvali documentation for this cause; nil where it has none.
    public var wireCode: TuvaliWireCode? { code.wireCode }
}

extension TuvaliError.Code {
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
