public import Determinism

/// A clock that a test advances by hand, so that deadlines do not depend on the speed of the machine.
public final class HandClock: MonotonicClock {
    private struct State {
        var now = MonotonicInstant.zero
        var sleepers: [UInt64: (deadline: MonotonicInstant, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var lastID: UInt64 = 0
        var cancelled: Set<UInt64> = []
    }

    private let state = Lock(State())

    /// Makes a clock at its origin, zero.
    public init() {}

    /// Returns the time of the clock.
    public func now() -> MonotonicInstant { state.withLock { $0.now } }

    /// The number of tasks that wait for the clock.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Advances the clock, and resumes the tasks whose deadline has come.
    public func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now = state.now + duration
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }

    /// Waits until the test has advanced the clock to `deadline`.
    public func wait(until deadline: MonotonicInstant) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    if state.cancelled.remove(id) != nil { return .failure(CancellationError()) }
                    if deadline <= state.now { return .success(()) }
                    state.sleepers[id] = (deadline, continuation)
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                let sleeper = state.sleepers.removeValue(forKey: id)
                if sleeper == nil { state.cancelled.insert(id) }
                return sleeper?.continuation
            }
            sleeper?.resume(throwing: CancellationError())
        }
    }
}
