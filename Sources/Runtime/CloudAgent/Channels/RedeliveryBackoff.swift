import Determinism

/// Delays the redelivery of an account's messages after the store failed to delete some of them.
///
/// A client whose acknowledgement failed asks for the same messages again. After the failure they are delivered once
/// after a wait, which grows with each failure, and once more after each further wait, until a deletion succeeds.
struct RedeliveryBackoff: Sendable {
    /// The most accounts that are remembered; of more, those that failed longest ago are forgotten and not delayed.
    static let capacity = 20_000
    /// The wait after each failure in a row; the last one for all that follow.
    static let waits: [Duration] = [.seconds(1), .seconds(2), .seconds(5), .seconds(15), .seconds(60)]

    private struct BackoffState {
        var failures: Int
        var next: MonotonicInstant
    }

    private var recent: [Int64: BackoffState] = [:]
    private var older: [Int64: BackoffState] = [:]

    /// Returns true when messages of an account may be delivered now.
    ///
    /// If its last acknowledgement failed, they may be delivered again only after a wait.
    mutating func admits(_ account: Int64, at now: MonotonicInstant) -> Bool {
        guard let entry = recent[account] ?? older[account] else { return true }
        guard now >= entry.next else { return false }
        keep(BackoffState(failures: entry.failures, next: now + Self.wait(entry.failures)), account)
        return true
    }

    /// Records that the store failed to delete messages of an account.
    mutating func failed(_ account: Int64, at now: MonotonicInstant) {
        let failures = (recent[account] ?? older[account]).map { min($0.failures + 1, Self.waits.count) } ?? 1
        keep(BackoffState(failures: failures, next: now + Self.wait(failures)), account)
    }

    /// Records that the store deleted messages of an account.
    mutating func succeeded(_ account: Int64) {
        recent[account] = nil
        older[account] = nil
    }

    private static func wait(_ failures: Int) -> Duration { waits[min(failures, waits.count) - 1] }

    private mutating func keep(_ entry: BackoffState, _ account: Int64) {
        if recent[account] == nil, recent.count >= Self.capacity / 2 { (older, recent) = (recent, [:]) }
        recent[account] = entry
    }
}
