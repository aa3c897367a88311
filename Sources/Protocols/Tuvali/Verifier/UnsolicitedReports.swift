import Determinism

/// Decides when a report is sent without a request: after silence, a limited number of times, with waits that double.
struct UnsolicitedReports: Sendable {
    private let limit: Int
    private let wait: Duration
    private var sentCount = 0

    /// The time at which the wallet has been silent long enough; nil while no report is due.
    private(set) var deadline: MonotonicInstant?

    /// Makes the schedule of one transfer; a limit of zero makes none.
    init(limit: Int, wait: Duration) {
        self.limit = limit
        self.wait = wait
    }

    /// The wallet wrote a chunk, or was sent a report: silence begins.
    mutating func silenceBegins(at now: MonotonicInstant) {
        deadline = sentCount < limit ? now + wait * (1 << min(sentCount, 16)) : nil
    }

    /// A report is sent, or none is wanted any more.
    mutating func stop() { deadline = nil }

    /// Counts a report that was sent without a request.
    mutating func sent(at now: MonotonicInstant) {
        sentCount += 1
        silenceBegins(at: now)
    }
}
