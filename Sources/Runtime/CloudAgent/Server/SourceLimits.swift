import Determinism
import WebAddressing

/// How often each source may bring something: a bucket for each address that fills at a steady rate.
///
/// Addresses of this machine are not limited, because a proxy in front is one. An address of version 6 counts by its first
/// 64 bits, which one customer has.
struct SourceLimits: Sendable {
    /// The most sources that are remembered.
    static let capacity = 20_000

    private struct Bucket {
        var tokens: Double
        var at: MonotonicInstant
    }

    private let perSecond: Double
    private let burst: Double
    private var recent: [[UInt8]: Bucket] = [:]
    private var older: [[UInt8]: Bucket] = [:]

    /// - Parameter perSecond: 0 for no limit.
    init(perSecond: Int, burst: Int) {
        self.perSecond = Double(perSecond)
        self.burst = Double(max(1, burst))
    }

    /// Whether a source may bring one more thing now.
    mutating func admits(_ source: IPAddress?, at now: MonotonicInstant) -> Bool {
        guard perSecond > 0, let name = Self.name(of: source) else { return true }
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

    /// Nil for this machine, and for nobody.
    private static func name(of source: IPAddress?) -> [UInt8]? {
        switch source?.unwrapped {
        case nil: return nil
        case .v4(let address): return address.bytes.first == 127 ? nil : address.bytes
        case .v6(let address):
            let bytes = address.bytes
            if bytes.dropLast().allSatisfy({ $0 == 0 }), bytes.last == 1 { return nil }
            return Array(bytes.prefix(8))
        }
    }
}
