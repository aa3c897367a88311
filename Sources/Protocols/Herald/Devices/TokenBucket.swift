/// A rate limit: `burst` at once, and `perSecond` on average.
struct TokenBucket: Sendable {
    private var tokens: Double
    private var last: UInt64
    private let burst: Double
    private let perSecond: Double

    init(burst: Int, perSecond: Double, at now: UInt64) {
        self.burst = Double(burst)
        self.perSecond = perSecond
        tokens = self.burst
        last = now
    }

    /// Takes one token; false when there is none.
    mutating func take(at now: UInt64) -> Bool {
        tokens = min(burst, tokens + Double(now - min(last, now)) / 1e9 * perSecond)
        last = max(last, now)
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }
}
