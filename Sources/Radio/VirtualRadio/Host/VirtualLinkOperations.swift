import Determinism
import Radio

/// The operations that are under way on one link.
struct VirtualLinkOperations {
    private struct Operation {
        let waiter: VirtualLinkSession.Waiter
        let endsWhenQueued: Bool
    }

    private var operations: [UInt64: Operation] = [:]
    /// The operations that wait for the controller's counters, and until when.
    private var counterWaiters: [(id: UInt64, deadline: MonotonicInstant)] = []

    /// The number of operations that are under way.
    var count: Int { operations.count }

    /// The deadline of the first operation that waits for the controller's counters.
    var nextDeadline: MonotonicInstant? { counterWaiters.first?.deadline }

    /// Returns true while an operation is under way.
    func contains(_ number: UInt64) -> Bool { operations[number] != nil }

    /// Returns true for an operation under way that is over as soon as the controller's queue has taken it.
    func endsWhenQueued(_ number: UInt64) -> Bool { operations[number]?.endsWhenQueued ?? false }

    /// Begins an operation, whose end resumes `waiter`.
    mutating func begin(_ number: UInt64, endsWhenQueued: Bool, _ waiter: VirtualLinkSession.Waiter) {
        operations[number] = Operation(waiter: waiter, endsWhenQueued: endsWhenQueued)
    }

    /// Ends an operation when the controller's counters come, at `deadline` at the latest.
    mutating func awaitCounters(_ number: UInt64, until deadline: MonotonicInstant) {
        counterWaiters.append((number, deadline))
    }

    /// Ends one operation; does nothing when it has ended.
    mutating func end(_ number: UInt64, with result: Result<VirtualLinkResult, RadioError>) {
        counterWaiters.removeAll { $0.id == number }
        operations.removeValue(forKey: number)?.waiter.resume(returning: result)
    }

    /// Ends all operations, in the order in which they began.
    mutating func endAll(with error: RadioError) {
        for number in operations.keys.sorted() { end(number, with: .failure(error)) }
    }

    /// Ends the operations that wait for the controller's counters.
    mutating func countersCame() {
        let waiters = counterWaiters
        counterWaiters = []
        for waiter in waiters { end(waiter.id, with: .success(.statistics)) }
    }

    /// Ends the operations that have waited too long for the controller's counters.
    mutating func expire(at now: MonotonicInstant) {
        while let waiter = counterWaiters.first, waiter.deadline <= now { end(waiter.id, with: .success(.statistics)) }
    }
}
