import Determinism

/// Decides when a transfer report is sent without a request, to a wallet that has fallen silent.
///
/// The waits double, and the number is limited until the wallet writes again.
struct UnsolicitedTransferReports: Sendable {
    private let limit: Int
    private let wait: Duration
    /// The number of unsolicited reports since the wallet last wrote.
    private var sentCount = 0

    /// The time at which the next unsolicited report is due; nil while none is.
    private(set) var deadline: MonotonicInstant?

    /// Makes the schedule of one transfer, with at most `limit` reports in one silence; zero makes none.
    init(limit: Int, wait: Duration) {
        self.limit = limit
        self.wait = wait
    }

    /// Records a write of the wallet, after which a new silence begins.
    mutating func heard(at now: MonotonicInstant) {
        sentCount = 0
        waitForNext(at: now)
    }

    private mutating func waitForNext(at now: MonotonicInstant) {
        deadline = sentCount < limit ? now + wait * (1 << min(sentCount, 16)) : nil
    }

    /// Cancels the next unsolicited report.
    mutating func stop() { deadline = nil }

    /// Counts an unsolicited report that was sent, and schedules the next one.
    mutating func sent(at now: MonotonicInstant) {
        sentCount += 1
        waitForNext(at: now)
    }
}
