import Determinism

/// How many bytes all messages of a store have: measured now and then, and counted in between by what this process adds and removes.
///
/// What other processes do is seen at the next measurement, so several instances together may go past the limit by what each of
/// them takes between two measurements.
final class StoreUsage: Sendable {
    /// After how many messages that were taken, or refused, it is measured again.
    private static let (taken, refused) = (1000, 64)

    private struct State {
        var bytes: Int?
        var added = 0
        var taken = 0
        var refused = 0
    }

    private let limit: Int
    private let state = Lock(State())

    init(limit: Int) { self.limit = limit }

    /// The bytes; `measure` reads them from the store when they are not known, or not any more.
    func read(_ measure: () throws(CloudAgentError) -> Int) throws(CloudAgentError) -> Int {
        let known: Int? = state.withLock { state in
            let isStale =
                state.taken >= Self.taken || state.refused >= Self.refused || state.added >= max(1, limit / 64)
            return isStale ? nil : state.bytes
        }
        if let known { return known }
        let bytes = try measure()
        state.withLock { $0 = State(bytes: bytes) }
        return bytes
    }

    /// Messages of this number of bytes were added, or, when it is negative, removed.
    func add(_ bytes: Int) {
        state.withLock { state in
            state.bytes = state.bytes.map { max(0, $0 + bytes) }
            if bytes > 0 { (state.added, state.taken) = (state.added + bytes, state.taken + 1) }
        }
    }

    /// A message was refused.
    func refused() { state.withLock { $0.refused += 1 } }

    /// It is not known any more.
    func forget() { state.withLock { $0 = State() } }
}
