import Determinism
import WebAddressing

/// How often each source may bring something: a bucket for each address that fills at a steady rate.
///
/// Addresses of this machine are not limited, because a proxy in front is one. An address of version 6 counts by its first
/// 64 bits.
struct SourceLimits: Sendable {
    /// The most sources that are remembered.
    static let capacity = 20_000

    private struct Bucket {
        var tokens: Double
        var at: MonotonicInstant
    }

    private let perSecond: Double
    private let burst: Double
    private var recent: [IPAddress: Bucket] = [:]
    private var older: [IPAddress: Bucket] = [:]

    /// - Parameter perSecond: 0 for no limit.
    init(perSecond: Double, burst: Int) {
        self.perSecond = perSecond
        self.burst = Double(max(1, burst))
    }

    /// Whether a source may bring one more thing now.
    mutating func admits(_ source: IPAddress?, at now: MonotonicInstant) -> Bool {
        guard perSecond > 0, let name = source?.source, !name.isOwnMachine else { return true }
        var bucket = recent[name] ?? older[name] ?? Bucket(tokens: burst, at: now)
        let (seconds, attoseconds) = (now - bucket.at).components
        let elapsed = Double(seconds) + Double(attoseconds) / 1e18
        bucket = Bucket(tokens: min(burst, bucket.tokens + max(0, elapsed) * perSecond), at: now)
        let isAdmitted = bucket.tokens >= 1
        if isAdmitted { bucket.tokens -= 1 }
        if recent[name] == nil, recent.count >= Self.capacity / 2 {
            older = recent
            recent = [:]
        }
        recent[name] = bucket
        return isAdmitted
    }
}
