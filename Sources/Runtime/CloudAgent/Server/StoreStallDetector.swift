import Determinism

/// Notices a store that stands still: a step was begun, and has neither succeeded nor failed.
///
/// A connection to a database server that hangs tells nothing for many minutes, so a small step is begun twice a second
/// and must end in time.
final class StoreStallDetector: Sendable {
    /// The interval between two checks of the store.
    static let interval = Duration.milliseconds(500)
    /// The longest time for a step of the store.
    static let patience = Duration.milliseconds(2500)

    private struct GuardedState {
        /// The instant at which the step under way was begun; nil without one.
        var begin: MonotonicInstant?
        var standsStill = false
        var succeeded = true
        var task: Task<Void, Never>?
    }

    private let clock: any MonotonicClock
    private let state = Lock(GuardedState())

    /// Makes a watch that does nothing before `start`.
    ///
    /// - Parameter clock: measures how long steps take; a real one, whatever the agent's clock is.
    init(clock: any MonotonicClock = SystemMonotonicClock()) { self.clock = clock }

    /// True when the last step has succeeded and none is overdue.
    var isAnswered: Bool { state.withLock { $0.succeeded && !$0.standsStill } }

    /// Starts the task that checks the store twice a second.
    ///
    /// - Parameters:
    ///   - step: a small step in the store.
    ///   - health: takes the end of each step, and once each time that the store stands still a failure.
    func start(_ step: @escaping @Sendable () async throws(CloudAgentError) -> Void, _ health: StoreHealth) {
        let task = Task {
            while !Task.isCancelled {
                look(step, health)
                do { try await clock.wait(until: clock.now() + Self.interval) } catch { return }
            }
        }
        state.withLock { $0.task = task }
    }

    /// Stops the checks; a step that is under way is not waited for.
    func stop() { state.withLock { $0.task }?.cancel() }

    /// Checks the store once: begins a step, or reports the store as standing still when the last step takes too long.
    func look(_ step: @escaping @Sendable () async throws(CloudAgentError) -> Void, _ health: StoreHealth) {
        let now = clock.now()
        let (mustBegin, isFirst) = state.withLock { state in
            guard let begin = state.begin else {
                state.begin = now
                return (true, false)
            }
            guard now - begin >= Self.patience, !state.standsStill else { return (false, false) }
            state.standsStill = true
            return (false, true)
        }
        if isFirst {
            health.stoodStill("A step has not ended for 2.5 s: the store stands still.")
        }
        guard mustBegin else { return }
        Task {
            var failure: CloudAgentError?
            do throws(CloudAgentError) { try await step() } catch { failure = error }
            health.answered(failure)
            let hasSucceeded = failure == nil
            state.withLock { state in
                state.begin = nil
                state.standsStill = false
                state.succeeded = hasSucceeded
            }
        }
    }
}
