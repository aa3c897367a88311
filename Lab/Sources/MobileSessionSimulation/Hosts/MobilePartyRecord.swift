package import Determinism
package import MobileSession

/// The observations of one of our sessions on a simulated device.
package struct MobilePartyRecord: Sendable {
    /// The endings; more than one is a defect.
    package internal(set) var endings: [MobileSessionEnding] = []
    /// The number of outputs after the first ending.
    package internal(set) var outputsAfterEnd = 0
    /// The answers that a reader reported.
    package internal(set) var answers: [[UInt8]] = []
    /// The verdicts about answers with documents.
    package internal(set) var verdicts: [MobileAnswerVerdict] = []
    /// The requests that a holder reported.
    package internal(set) var requests: [[UInt8]] = []
    /// The answers that the application of a holder gave.
    package internal(set) var given: [[UInt8]] = []
    /// The deviations that were told.
    package internal(set) var deviations: Set<MobileDeviation> = []
    /// The codes of attempts that failed.
    package internal(set) var attempts: Set<String> = []
    /// The messages that were sent whole.
    package internal(set) var messages: [[UInt8]] = []
    /// The largest value that was sent.
    package internal(set) var largestValue = 0
    /// The most bytes of buffers beyond the message under way.
    package internal(set) var excessBytes = 0
    /// The secrets that were alive after the end.
    package internal(set) var leftSecrets = 0
    /// The bytes that the session held after the end.
    package internal(set) var leftBytes = 0
    /// True when the device scanned, advertised or served after the end.
    package internal(set) var isRadioLeft = false
    /// The times of the steps.
    package internal(set) var times = Times()

    /// The times of a session's steps; nil for those that were not reached.
    package struct Times: Sendable {
        package var started: MonotonicInstant?
        package var ready: MonotonicInstant?
        package var asked: MonotonicInstant?
        /// The first whole answer at a reader.
        package var answered: MonotonicInstant?
        package var lost: MonotonicInstant?
        /// The last input that is neither a deadline nor an advertisement.
        package var lastEvent: MonotonicInstant?
        package var finished: MonotonicInstant?
    }

    /// The ending as a word: `completed`, `cancelled`, a code, or `none`.
    package var outcome: String {
        switch endings.first {
        case .completed?: "completed"
        case .cancelled?: "cancelled"
        case .failed(let error)?: error.code.rawValue
        case nil: "none"
        }
    }
}
