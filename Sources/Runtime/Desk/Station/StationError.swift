@_exported public import CodedErrors

/// The cause that keeps a station of a verifier desk from its work, or that ended one hand-over.
public typealias StationError = CodedFailure<StationErrorCode>

/// The stable names of the causes, which are never renamed and never reused; `explanations` says what each means.
public enum StationErrorCode: String, CaseIterable, Sendable {
    case noRadio = "desk.no-radio"
    case noPermission = "desk.no-permission"
    case simulatedRadio = "desk.simulated-radio"
    case walletLeft = "desk.wallet-left"
    /// It loses much, stands still, or was lost.
    case linkWeak = "desk.link-weak"
    case wrongCode = "desk.wrong-code"
    case tooManyRetries = "desk.too-many-retries"
    /// The first one is served.
    case severalWallets = "desk.several-wallets"
    case diskFull = "desk.disk-full"
    case listFailed = "desk.list-failed"
    case clockNotSet = "desk.clock-not-set"
    case trustOutdated = "desk.trust-outdated"
    case payloadUnreadable = "desk.payload-unreadable"
    case answerUnusable = "desk.answer-unusable"
    case requestUnread = "desk.request-unread"
    case declined = "desk.declined"
    case decisionLate = "desk.decision-late"
    case policyMalformed = "desk.policy-malformed"
    case phoneCode = "desk.phone-code"
    case phoneNotFound = "desk.phone-not-found"
    case phoneBroken = "desk.phone-broken"
    case phoneDeclined = "desk.phone-declined"
    /// It breaks the protocol.
    case phoneFaulty = "desk.phone-faulty"
    case `internal` = "desk.internal"
}

extension StationError {
    /// Makes an error whose code says all.
    public init(_ code: Code) { self.init(code, "") }
}
