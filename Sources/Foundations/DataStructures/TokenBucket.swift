public import Determinism

/// A rate limit: a burst at once, and a steady number a second on average.
///
/// The rate is given with each call, so that thousands of buckets under one limit keep two numbers each.
public struct TokenBucket: Hashable, Sendable {
    /// The rate and burst that a bucket permits.
    public struct Limit: Hashable, Sendable {
        /// The most tokens in a bucket, and the number in a new one.
        public let burst: Double
        /// The number of tokens that come a second.
        public let perSecond: Double

        /// Makes a limit; neither number is negative.
        @inlinable public init(burst: Int, perSecond: Double) {
            precondition(burst >= 0 && perSecond >= 0, "a rate is not negative")
            self.burst = Double(burst)
            self.perSecond = perSecond
        }
    }

    @usableFromInline var tokens: Double
    @usableFromInline var last: MonotonicInstant

    /// Makes a full bucket.
    @inlinable public init(_ limit: Limit, at now: MonotonicInstant) {
        tokens = limit.burst
        last = now
    }

    /// Takes one token from the bucket; false when there is less than one.
    ///
    /// An instant before the last one adds nothing.
    @inlinable public mutating func take(_ limit: Limit, at now: MonotonicInstant) -> Bool {
        if now > last {
            tokens = min(limit.burst, tokens + Double(now.nanoseconds - last.nanoseconds) / 1e9 * limit.perSecond)
            last = now
        }
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }

    /// Returns the time when the bucket has a token again; nil when it has one, or never gets one.
    ///
    /// Counted from the last call of `take(_:at:)`.
    @inlinable public func nextToken(_ limit: Limit) -> MonotonicInstant? {
        guard tokens < 1, limit.perSecond > 0, limit.burst >= 1 else { return nil }
        return last + .nanoseconds(Int64(min((1 - tokens) / limit.perSecond * 1e9, 1e18).rounded(.up)))
    }
}
