public import Tuvali

/// The state of a station, for the page.
public struct StationState: Hashable, Sendable {
    /// The steps of a hand-over, as the page names them.
    public enum StationHandOverStep: String, CaseIterable, Sendable {
        /// The station is not running.
        case stopped
        /// A session is being opened.
        case opening
        /// The radio could not be used; the station tries again.
        case resting
        /// The code can be scanned.
        case waiting
        /// A wallet uses the code; its user chooses.
        case connected
        /// The credential is arriving.
        case receiving
        /// The credential is being checked.
        case judging
        /// A person must decide.
        case deciding
        /// The wallet gets the decision.
        case closing
    }

    /// A credential that is held.
    public struct JudgedCredential: Hashable, Sendable {
        /// The session that it came in; for a code a number of its own, below zero.
        public let session: Int
        /// The verdict on the credential.
        public let judgement: CredentialJudgement
        /// The decision; nil while none was made.
        public internal(set) var decision: VerificationStatus?
    }

    /// The present step of the hand-over.
    public let step: StationHandOverStep
    /// The number of the session; each new code begins another one.
    public let session: Int
    /// The content of the code; nil while there is none to be scanned.
    public let code: TuvaliURI?
    /// The progress of the transfer; nil before and after.
    public let progress: TransferProgress?
    /// The index of the present request.
    public let request: Int
    /// The credential that is held; nil for none.
    public let shown: JudgedCredential?
    /// The number of credentials that wait until there is a decision about the one that is shown.
    public let waiting: Int
    /// The problem of the last hand-over, or of this one.
    public let notice: StationError.Code?
    /// The number of notices so far; it tells the page that the same notice was shown again.
    public let noticeNumber: Int
    /// The problems that hinder the desk's work now, such as a clock that is not set.
    public let standing: [StationError.Code]
    /// The counts since the start.
    public let counts: StationCounts
}
