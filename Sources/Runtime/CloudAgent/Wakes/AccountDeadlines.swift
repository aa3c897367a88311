import DataStructures
import Determinism

/// The next deadline of each account, of which the earliest comes out first.
///
/// A deadline that is changed leaves its old entry in the heap; there are at most twice as many entries as accounts,
/// and `slack` more.
struct AccountDeadlines: Sendable {
    /// The most entries beyond twice the count of accounts.
    static let slack = 64

    private struct QueuedDeadline: Prioritized {
        let deadline: MonotonicInstant
        let account: Int64

        func precedes(_ other: QueuedDeadline) -> Bool { (deadline, account) < (other.deadline, other.account) }
    }

    private var deadlines: [Int64: MonotonicInstant] = [:]
    private var queue = PriorityQueue<QueuedDeadline>()

    /// The number of entries, valid and not.
    var entryCount: Int { queue.count }

    /// Sets the deadline of an account; nil for none.
    mutating func set(_ deadline: MonotonicInstant?, for account: Int64) {
        guard deadlines[account] != deadline else { return }
        deadlines[account] = deadline
        if let deadline { queue.insert(QueuedDeadline(deadline: deadline, account: account)) }
        if queue.count > 2 * deadlines.count + Self.slack { rebuild() }
    }

    /// The earliest deadline; nil for none.
    mutating func next() -> MonotonicInstant? {
        while queue.popFirst(where: { deadlines[$0.account] != $0.deadline }) != nil {}
        return queue.first?.deadline
    }

    /// Removes the earliest deadline that has come; returns its account.
    mutating func popDue(at now: MonotonicInstant) -> Int64? {
        guard let next = next(), next <= now, let entry = queue.popFirst() else { return nil }
        deadlines[entry.account] = nil
        return entry.account
    }

    private mutating func rebuild() {
        queue.removeAll()
        for (account, deadline) in deadlines { queue.insert(QueuedDeadline(deadline: deadline, account: account)) }
    }
}
