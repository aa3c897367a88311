@_exported public import CodedErrors

/// Why a verifier's request, or a wallet's answer to it, is not taken.
public typealias PresentationError = CodedFailure<PresentationErrorCode>

/// The stable names of the causes, which are never renamed and never reused; `explanations` says what each means.
public enum PresentationErrorCode: String, CaseIterable, Sendable {
    case requestMediaType = "request.media-type"
    case requestMalformed = "request.malformed"
    case requestClaims = "request.claims"
    case requestUnsupported = "request.unsupported"
    case requestWrongChannel = "request.wrong-channel"
    case requestUnbound = "request.unbound"
    case requestSignature = "request.signature"
    case requestExpired = "request.expired"
    case requestMissing = "request.missing"
    case requestPreset = "request.preset"
    case answerMalformed = "answer.malformed"
    case answerRefused = "answer.refused"
    case answerWrongNonce = "answer.wrong-nonce"
    case answerPresentation = "answer.presentation"
    case answerCredentialMissing = "answer.credential-missing"
    case answerClaimMissing = "answer.claim-missing"
    case walletNothingFits = "answer.nothing-fits"
    case walletHolderKey = "answer.holder-key"
}
