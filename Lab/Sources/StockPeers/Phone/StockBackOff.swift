import Determinism

/// The retries of the deployed libraries: 2, 4, 8, 16, 32, then 64 ms, while at most 100 ms have passed since the first
/// wait, and never more than the limit.
struct StockBackOff: Sendable {
    let limit: Int
    private var count = 0
    private var began: MonotonicInstant?

    init(limit: Int) {
        self.limit = limit
    }

    /// Returns the wait before the next attempt; nil when there is none.
    mutating func next(at now: MonotonicInstant) -> Duration? {
        if let began, count > limit || now - began > .milliseconds(100) { return nil }
        if began == nil { began = now }
        defer { count += 1 }
        return .milliseconds(2 << min(count, 5))
    }
}
