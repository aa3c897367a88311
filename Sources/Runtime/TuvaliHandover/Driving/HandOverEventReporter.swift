import Determinism
import Radio
import Tuvali

/// Reports the events of one session to its consumer, and records the times for its link report.
struct HandOverEventReporter<Event: Sendable> {
    let continuation: AsyncStream<Event>.Continuation
    var times = TransferTimes()
    /// The link of which the statistics are reported at the end, where the session has chosen one among several.
    var servedLink: LinkID?
    private var limiter = ProgressLimiter()

    init(_ continuation: AsyncStream<Event>.Continuation) { self.continuation = continuation }

    /// Returns true when progress is to be reported now, see `ProgressLimiter`.
    mutating func admits(_ progress: TransferProgress, at now: MonotonicInstant) -> Bool {
        limiter.admits(progress, at: now)
    }
}
