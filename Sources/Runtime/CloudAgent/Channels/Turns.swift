import Determinism

/// One at a time for each account, in the order in which they came.
final class Turns: Sendable {
    /// Who waits, for each account of which somebody has the turn.
    private let waiting = Lock<[Int64: [CheckedContinuation<Void, Never>]]>([:])

    /// Waits until nobody before has the turn any more, and has it then, until `end`.
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

    /// How many wait for their turn.
    func waitingCount(_ account: Int64) -> Int { waiting.withLock { $0[account]?.count ?? 0 } }

    /// The next has the turn.
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
