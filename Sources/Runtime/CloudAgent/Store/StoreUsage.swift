import Determinism

/// The bytes of all messages of a store: measured periodically, and counted in between by what this process adds and
/// removes.
///
/// Changes of other processes show at the next measurement, so several instances together may exceed the limit by what
/// each of them accepts between two measurements.
final class StoreUsage: Sendable {
    /// The numbers of accepted and of refused messages after which the usage is measured again.
    private static let (taken, refused) = (1000, 64)

    private struct GuardedState {
        var bytes: Int?
        var added = 0
        var taken = 0
        var refused = 0
    }

    private let limit: Int
    private let state = Lock(GuardedState())

    init(limit: Int) { self.limit = limit }

    /// The bytes; `measure` reads them from the store when they are unknown.
    func read(_ measure: () throws(CloudAgentError) -> Int) throws(CloudAgentError) -> Int {
        let known: Int? = state.withLock { state in
            let isStale =
                state.taken >= Self.taken || state.refused >= Self.refused || state.added >= max(1, limit / 64)
            return isStale ? nil : state.bytes
        }
        if let known { return known }
        let bytes = try measure()
        state.withLock { $0 = GuardedState(bytes: bytes) }
        return bytes
    }

    /// Adds this number of bytes, or removes them when it is negative.
    func add(_ bytes: Int) {
        state.withLock { state in
            state.bytes = state.bytes.map { max(0, $0 + bytes) }
            if bytes > 0 { (state.added, state.taken) = (state.added + bytes, state.taken + 1) }
        }
    }

    /// Counts a refused message, after some of which the usage is measured again.
    func refused() { state.withLock { $0.refused += 1 } }

    /// Marks the number as unknown.
    func forget() { state.withLock { $0 = GuardedState() } }
}
