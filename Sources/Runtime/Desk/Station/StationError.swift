public import CodedErrors

/// What keeps a station of a verifier desk from its work, or ended one hand-over.
public struct StationError: CodedError {
    /// The stable name of a cause: never renamed, never reused.
    public enum Code: String, CaseIterable, Sendable {
        /// The desk has no radio that it can use.
        case noRadio = "desk.no-radio"
        /// The system does not let the desk use its radio.
        case noPermission = "desk.no-permission"
        /// The desk uses a simulated radio, which reaches no phone.
        case simulatedRadio = "desk.simulated-radio"
        /// The wallet left before the hand-over was complete.
        case walletLeft = "desk.wallet-left"
        /// The link to the wallet is weak. It loses much, stands still, or was lost.
        case linkWeak = "desk.link-weak"
        /// The wallet used another code than the one that the desk shows.
        case wrongCode = "desk.wrong-code"
        /// The wallet sent the same parts again and again, and the hand-over was given up.
        case tooManyRetries = "desk.too-many-retries"
        /// Several wallets came at once. The first one is served.
        case severalWallets = "desk.several-wallets"
        /// The disk is full, so the day's list cannot be kept.
        case diskFull = "desk.disk-full"
        /// The day's list cannot be kept.
        case listFailed = "desk.list-failed"
        /// The clock of this machine is not set, so dates cannot be checked.
        case clockNotSet = "desk.clock-not-set"
        /// The trust file is older than allowed.
        case trustOutdated = "desk.trust-outdated"
        /// The wallet sent something that cannot be read.
        case payloadUnreadable = "desk.payload-unreadable"
        /// The wallet did not answer what the desk asked for.
        case answerUnusable = "desk.answer-unusable"
        /// The wallet did not read what the desk asked for, and the desk takes only answers.
        case requestUnread = "desk.request-unread"
        /// The wallet's user refused what the desk asked for.
        case declined = "desk.declined"
        /// The credential was neither accepted nor rejected in time.
        case decisionLate = "desk.decision-late"
        /// The file of the desk's policy does not follow its format.
        case policyMalformed = "desk.policy-malformed"
        /// A part of the desk failed for a reason that has no code.
        case `internal` = "desk.internal"
    }

    /// The stable code of the cause.
    public let code: Code

    /// One sentence about this case; not for comparison.
    public let reason: String

    /// Makes an error with its code and a sentence about the cause.
    public init(_ code: Code, _ reason: String = "") {
        self.code = code
        self.reason = reason
    }
}
