import Determinism

/// A lock for each account, so that one task at a time delivers its messages; tasks get it in the order in which they
/// ask.
final class AccountLocks: Sendable {
    /// The tasks that wait, for each account whose lock is held.
    private let waiting = Lock<[Int64: [CheckedContinuation<Void, Never>]]>([:])

    /// Waits until the lock is free, and holds it until `end`.
    func take(_ account: Int64) async {
        await withCheckedContinuation { continuation in
            let isFree = waiting.withLock { waiting in
                guard waiting[account] == nil else {
                    waiting[account]?.append(continuation)
                    return false
                }
                waiting[account] = []
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    /// Returns the number of tasks that wait for the lock of an account.
    func waitingCount(_ account: Int64) -> Int { waiting.withLock { $0[account]?.count ?? 0 } }

    /// Releases the lock of an account, or passes it on to the next task that waits.
    func end(_ account: Int64) {
        let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
            guard waiting[account]?.isEmpty == false else {
                waiting[account] = nil
                return nil
            }
            return waiting[account]?.removeFirst()
        }
        next?.resume()
    }
}
