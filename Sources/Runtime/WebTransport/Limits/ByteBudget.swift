import Determinism

/// Bytes that all connections of a server share: what they hold of requests, answers and messages.
final class ByteBudget: Sendable {
    private let limit: Int
    private let used = Lock(0)

    init(_ limit: Int) { self.limit = limit }

    /// How many bytes are held.
    var usedBytes: Int { used.withLock { $0 } }

    /// Takes room for so many more bytes; false, and nothing is taken, when there is none.
    func take(_ count: Int) -> Bool {
        used.withLock { used in
            guard count <= limit - used else { return false }
            used += count
            return true
        }
    }

    /// Gives room back.
    func give(_ count: Int) { used.withLock { $0 -= count } }
}
