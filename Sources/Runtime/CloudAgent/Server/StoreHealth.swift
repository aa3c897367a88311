import Determinism

/// Counts the failures of the store, and keeps the last one.
final class StoreHealth: Sendable {
    private struct GuardedState {
        var failure: CloudAgentError?
        var fullAt: MonotonicInstant?
        var loss: StoreDataLoss?
        var outage: Outage?
        var replication: StoreReplication?
    }

    /// The cause for which the store does not answer, and since when.
    struct Outage: Hashable, Sendable {
        /// The cause that was found last.
        var cause: CloudAgentError
        /// The time of the first failure.
        let begin: MonotonicInstant
    }

    private let clock: any MonotonicClock
    private let counters: MediatorCounters
    private let isDatabase: Bool
    private let state = Lock(GuardedState())

    init(_ clock: any MonotonicClock, _ counters: MediatorCounters, isDatabase: Bool = false) {
        self.clock = clock
        self.counters = counters
        self.isDatabase = isDatabase
    }

    /// The error of a store that has not ended a step in time: a database is silent then.
    static func stillness(of isDatabase: Bool, _ reason: String) -> CloudAgentError {
        CloudAgentError(isDatabase ? .silent : .unavailable, reason)
    }

    /// The last failure; nil before the first.
    var lastFailure: CloudAgentError? { state.withLock { $0.failure } }

    /// The present outage; nil while the store answers.
    var outage: Outage? { state.withLock { $0.outage } }

    /// The kind of replication of the database; nil for a file, and before it is known.
    var replication: StoreReplication? { state.withLock { $0.replication } }

    /// Records how the database is replicated.
    func replicates(_ kind: StoreReplication) { state.withLock { $0.replication = kind } }

    /// Records the end of a small step in the store: nil when it succeeded, which ends an outage.
    func answered(_ error: CloudAgentError?) {
        let now = clock.now()
        state.withLock { state in
            state.outage = error.map { Outage(cause: $0, begin: state.outage?.begin ?? now) }
        }
    }

    /// The loss when the store last went back; nil when it never did.
    var lastLoss: StoreDataLoss? { state.withLock { $0.loss } }

    /// Records that the store went back.
    func wentBack(_ loss: StoreDataLoss) {
        state.withLock { $0.loss = loss }
        counters.add(to: \.storeReturns)
        counters.add(Int(clamping: loss.steps ?? 0), to: \.storeStepsLost)
    }

    /// Returns true when the store was full within the given time.
    ///
    /// A database behind a connection has no other way to report it.
    func wasFull(within time: Duration) -> Bool {
        let now = clock.now()
        return state.withLock { $0.fullAt.map { now - $0 < time } ?? false }
    }

    /// Records that the store stands still, which says less than a cause that was found before.
    func stoodStill(_ reason: String) {
        guard outage == nil else { return counters.add(to: \.storeFailures) }
        failed(Self.stillness(of: isDatabase, reason))
    }

    /// Records that a step of the store failed.
    func failed(_ error: any Error) {
        counters.add(to: \.storeFailures)
        guard let error = error as? CloudAgentError else { return }
        let now = clock.now()
        state.withLock { state in
            // That the store is away says less than what was found before.
            if let outage = state.outage, error.code == .unavailable, outage.cause.code != .unavailable { return }
            state.failure = error
            if error.code == .full { state.fullAt = now }
            guard error.code.isOfStorage || error.code == .busy else { return }
            state.outage = Outage(cause: error, begin: state.outage?.begin ?? now)
        }
    }
}
