public import CodedErrors

/// Why a verifier's request, or a wallet's answer to it, is not taken.
public struct PresentationError: CodedError {
    /// The stable name of a cause: never renamed, never reused.
    public enum Code: String, CaseIterable, Sendable {
        /// The verifier's request has a media type that is not understood.
        case requestMediaType = "request.media-type"
        /// The verifier's request is not a request object.
        case requestMalformed = "request.malformed"
        /// The request lacks a claim that it must have, or has one that it must not have.
        case requestClaims = "request.claims"
        /// The request asks in a way that is not supported.
        case requestUnsupported = "request.unsupported"
        /// The request was written for another session than this one.
        case requestWrongChannel = "request.wrong-channel"
        /// The request is bound to no session, so that another device may be relaying it.
        case requestUnbound = "request.unbound"
        /// The signature of the request does not fit, or its algorithm or key is not accepted.
        case requestSignature = "request.signature"
        /// The request is not valid at this time.
        case requestExpired = "request.expired"
        /// The verifier holds no request, and there is nothing else to send.
        case requestMissing = "request.missing"
        /// A preset of a request does not exist.
        case requestPreset = "request.preset"
        /// The wallet's answer holds neither presentations nor a refusal.
        case answerMalformed = "answer.malformed"
        /// The wallet refused the request.
        case answerRefused = "answer.refused"
        /// The answer was made for another request or another session.
        case answerWrongNonce = "answer.wrong-nonce"
        /// A presentation in the answer is refused, or could not be checked.
        case answerPresentation = "answer.presentation"
        /// A credential that the request asks for is not in the answer.
        case answerCredentialMissing = "answer.credential-missing"
        /// A claim that the request asks for is not in the credential.
        case answerClaimMissing = "answer.claim-missing"
        /// No credential of the wallet fits the request.
        case walletNothingFits = "answer.nothing-fits"
        /// A key of the holder or for requests is not a private Ed25519 or P-256 key in a JWK.
        case walletHolderKey = "answer.holder-key"
    }

    /// The stable code of the cause.
    public let code: Code

    /// One sentence for people; not for comparison.
    public let reason: String

    /// Makes an error with its code and a sentence about the cause.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}
