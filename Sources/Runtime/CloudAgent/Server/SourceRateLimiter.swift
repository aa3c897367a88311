import DataStructures
import Determinism
import WebAddressing

/// The rate limit of each source: a token bucket for each address.
///
/// Addresses of this machine are not limited, because a proxy in front is one. An address of IPv6 counts by its first
/// 64 bits.
struct SourceRateLimiter: Sendable {
    /// The most sources that are remembered.
    static let capacity = 20_000

    private let limit: TokenBucket.Limit
    private var buckets = GenerationalCache<IPAddress, TokenBucket>(capacity: capacity)

    /// Makes the rate limit of each source, for envelopes or for new accounts.
    ///
    /// - Parameter perSecond: 0 for no limit.
    init(perSecond: Double, burst: Int) { limit = TokenBucket.Limit(burst: max(1, burst), perSecond: perSecond) }

    /// Returns true when one more envelope or account of a source is within the limit.
    mutating func admits(_ source: IPAddress?, at now: MonotonicInstant) -> Bool {
        guard limit.perSecond > 0, let name = source?.source, !name.isOwnMachine else { return true }
        var bucket = buckets.peek(name) ?? TokenBucket(limit, at: now)
        let isAdmitted = bucket.take(limit, at: now)
        buckets.insert(bucket, for: name)
        return isAdmitted
    }

    /// The time when a source that was not admitted may be.
    func nextAdmission(of source: IPAddress?) -> MonotonicInstant? {
        source.flatMap { buckets.peek($0.source) }?.nextToken(limit)
    }
}
