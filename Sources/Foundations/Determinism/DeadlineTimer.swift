/// Wakes a driver no later than its core's next deadline.
///
/// Deadlines that move away, as they do with every chunk, cost nothing: the timer fires at the old one and is set anew.
public struct DeadlineTimer: Sendable {
    private let clock: any MonotonicClock
    private var armed: MonotonicInstant?
    private var task: Task<Void, Never>?

    /// Makes a timer that is not armed.
    public init(clock: any MonotonicClock) {
        self.clock = clock
    }

    /// Makes sure that `fire` is called at `deadline` or before.
    public mutating func arm(_ deadline: MonotonicInstant?, fire: @escaping @Sendable () async -> Void) {
        guard let deadline else { return cancel() }
        if let armed, armed <= deadline { return }
        task?.cancel()
        armed = deadline
        let clock = clock
        task = Task {
            do { try await clock.wait(until: deadline) } catch { return }
            await fire()
        }
    }

    /// Says that the timer has fired, so that it can be armed again.
    public mutating func fired() {
        armed = nil
        task = nil
    }

    /// Removes the deadline, so that the timer does not fire.
    public mutating func cancel() {
        task?.cancel()
        armed = nil
        task = nil
    }
}
