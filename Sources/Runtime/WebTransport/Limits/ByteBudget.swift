import Determinism

/// The memory limit that all connections of a server share, for the bytes of requests, responses and messages that they
/// hold.
final class ByteBudget: Sendable {
    private let limit: Int
    private let used = Lock(0)

    init(_ limit: Int) { self.limit = limit }

    /// The number of bytes that are held.
    var usedBytes: Int { used.withLock { $0 } }

    /// Reserves `count` bytes; false, and nothing is reserved, above the limit.
    func take(_ count: Int) -> Bool {
        used.withLock { used in
            guard count <= limit - used else { return false }
            used += count
            return true
        }
    }

    /// Returns `count` bytes to the budget.
    func give(_ count: Int) { used.withLock { $0 -= count } }
}

/// The part of a server's budget that one source of connections may use, so that no source uses up all of it.
final class SourceByteBudget: Sendable {
    private let budget: ByteBudget
    private let limit: Int
    private let used = Lock(0)

    /// Makes the share of one source in a budget.
    ///
    /// - Parameter limit: the most bytes of this source.
    init(of budget: ByteBudget, limit: Int) {
        self.budget = budget
        self.limit = limit
    }

    /// The number of bytes that the source holds.
    var usedBytes: Int { used.withLock { $0 } }

    /// Reserves `count` bytes; false, and nothing is reserved, above the limit of the source or of the budget.
    func take(_ count: Int) -> Bool {
        used.withLock { used in
            guard count <= limit - used, budget.take(count) else { return false }
            used += count
            return true
        }
    }

    /// Returns `count` bytes to the share and its budget.
    func give(_ count: Int) {
        used.withLock { $0 -= count }
        budget.give(count)
    }
}
