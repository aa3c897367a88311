public import Tuvali

/// What a station is doing, for the page.
public struct StationState: Hashable, Sendable {
    /// The steps of a hand-over, as the page names them.
    public enum Step: String, CaseIterable, Sendable {
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
    public struct Shown: Hashable, Sendable {
        /// The session that it came in.
        public let session: Int
        /// What was found.
        public let judgement: Judgement
        /// The decision; nil while none was made.
        public internal(set) var decision: VerificationStatus?
    }

    /// The step.
    public let step: Step
    /// The session: one more for each code.
    public let session: Int
    /// What the code says; nil while there is none to be scanned.
    public let code: TuvaliURI?
    /// How much has arrived; nil before and after.
    public let progress: TransferProgress?
    /// The index of what is asked for.
    public let request: Int
    /// The credential that is held; nil for none.
    public let shown: Shown?
    /// What went wrong with the last hand-over, or is going wrong with this one.
    public let notice: StationError.Code?
    /// Rises with each notice.
    public let noticeNumber: Int
    /// What stands against the desk's work now, such as a clock that is not set.
    public let standing: [StationError.Code]
    /// The counts since the start.
    public let counts: StationCounts
}
