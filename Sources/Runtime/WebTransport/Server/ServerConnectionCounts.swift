import Determinism
import WebAddressing

/// Counts the connections of a server by loop and by source, and decides whether one more is admitted.
///
/// A source is an address of version 4, or the first 64 bits of one of version 6, which one customer has.
final class ServerConnectionCounts: Sendable {
    /// The open connections of one source, and its share of the memory.
    private struct SourceConnections {
        var count = 0
        let share: SourceByteBudget
    }

    private struct GuardedState {
        var perLoop: [Int]
        var sources: [IPAddress: SourceConnections] = [:]
        var isDraining = false
        var lingeringCount = 0
        var whenEmpty: [@Sendable () -> Void] = []

        var count: Int { perLoop.reduce(0, +) }
    }

    /// A claim that keeps a source counted, for one connection or for the client that a proxy names in a request.
    struct SourceLease: Sendable {
        fileprivate let source: IPAddress
        /// The source's part of the memory.
        let share: SourceByteBudget
    }

    private let limits: HTTPServerLimits
    private let budget: ByteBudget
    private let state: Lock<GuardedState>

    init(limits: HTTPServerLimits, budget: ByteBudget, loops: Int) {
        self.limits = limits
        self.budget = budget
        state = Lock(GuardedState(perLoop: Array(repeating: 0, count: loops)))
    }

    /// The number of open connections.
    var count: Int { state.withLock { $0.count } }

    /// True once the server begins to end.
    var isDraining: Bool { state.withLock { $0.isDraining } }

    /// Counts one more connection.
    ///
    /// - Returns: The index of its loop, the one with the fewest connections; nil when it is refused.
    func enter() -> Int? {
        state.withLock { state in
            guard !state.isDraining, state.count < limits.maximumConnections else { return nil }
            var loop = 0
            for index in state.perLoop.indices where state.perLoop[index] < state.perLoop[loop] { loop = index }
            state.perLoop[loop] += 1
            return loop
        }
    }

    /// Counts one connection less.
    func leave(loop: Int) {
        let actions = state.withLock { state -> [@Sendable () -> Void] in
            state.perLoop[loop] -= 1
            guard state.count == 0 else { return [] }
            defer { state.whenEmpty = [] }
            return state.whenEmpty
        }
        for action in actions { action() }
    }

    /// Counts a connection for its source; nil when the source has too many.
    func begin(for address: IPAddress) -> SourceLease? {
        let source = address.source
        let (connections, heldBytes) = part(of: source)
        return state.withLock { state in
            var entry =
                state.sources[source] ?? SourceConnections(share: SourceByteBudget(of: budget, limit: heldBytes))
            guard entry.count < connections else { return nil }
            entry.count += 1
            state.sources[source] = entry
            return SourceLease(source: source, share: entry.share)
        }
    }

    /// The most connections and held bytes of a source; an address of this machine may be a proxy, with many clients.
    private func part(of source: IPAddress) -> (connections: Int, heldBytes: Int) {
        let (connections, heldBytes) = (limits.maximumConnectionsPerHost, limits.maximumHeldBytesPerHost)
        guard source.isOwnMachine, !limits.limitsOwnMachine else { return (connections, heldBytes) }
        let all = limits.maximumConnections
        return (max(connections, all - all / 16), max(heldBytes, limits.maximumHeldBytes / 2))
    }

    /// Ends the counting of a connection for its source.
    func end(_ use: SourceLease) {
        state.withLock { state in
            guard var entry = state.sources[use.source] else { return }
            entry.count -= 1
            state.sources[use.source] = entry.count > 0 ? entry : nil
        }
    }

    /// Admits no more connections, and calls `done` when none is left.
    func drain(then done: @escaping @Sendable () -> Void) {
        let isEmpty = state.withLock { state in
            state.isDraining = true
            if state.count > 0 { state.whenEmpty.append(done) }
            return state.count == 0
        }
        if isEmpty { done() }
    }

    /// Counts one more connection that lingers behind its last response; false when there are too many.
    func beginLingering() -> Bool {
        state.withLock { state in
            guard state.lingeringCount < limits.maximumLingering else { return false }
            state.lingeringCount += 1
            return true
        }
    }

    /// Counts one lingering connection less.
    func endLingering() { state.withLock { $0.lingeringCount -= 1 } }
}
