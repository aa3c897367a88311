import Determinism

/// Decides when a report is sent without a request: after silence, with waits that double, and a limited number of
/// times until the wallet writes again.
struct UnsolicitedReports: Sendable {
    private let limit: Int
    private let wait: Duration
    /// The reports of the present silence.
    private var sentCount = 0

    /// The time at which the wallet has been silent long enough; nil while no report is due.
    private(set) var deadline: MonotonicInstant?

    /// Makes the schedule of one transfer, with at most `limit` reports in one silence; zero makes none.
    init(limit: Int, wait: Duration) {
        self.limit = limit
        self.wait = wait
    }

    /// The wallet wrote: it is there, and a new silence begins.
    mutating func heard(at now: MonotonicInstant) {
        sentCount = 0
        waitForNext(at: now)
    }

    private mutating func waitForNext(at now: MonotonicInstant) {
        deadline = sentCount < limit ? now + wait * (1 << min(sentCount, 16)) : nil
    }

    /// A report is sent, or none is wanted any more.
    mutating func stop() { deadline = nil }

    /// Counts a report that was sent without a request.
    mutating func sent(at now: MonotonicInstant) {
        sentCount += 1
        waitForNext(at: now)
    }
}
