import Determinism

/// The report requests of one wallet: the number answered, and the one whose answer is delayed.
struct TransferReportRequests: Sendable {
    private var count = 0

    /// True when the last request came as a write command.
    var areCommands = false

    /// The time at which the delayed report request is answered; nil when none is delayed.
    private(set) var heldUntil: MonotonicInstant?

    /// Delays the answer until `deadline`, or until that of a request that is delayed already.
    mutating func hold(until deadline: MonotonicInstant) {
        if heldUntil == nil { heldUntil = deadline }
    }

    /// Counts one more report request; returns true while it is answered, up to `limit` in all.
    mutating func answer(limit: Int) -> Bool {
        heldUntil = nil
        count += 1
        return count <= limit
    }
}
