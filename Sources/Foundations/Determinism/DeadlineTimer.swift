/// Wakes a driver no later than its core's next deadline.
///
/// Deadlines that move away, as they do with every chunk, cost nothing: the timer fires at the old one and is set anew.
/// Not synchronised: it lives in an actor or behind a lock.
public struct DeadlineTimer: Sendable {
    private let clock: any MonotonicClock
    private var armed: MonotonicInstant?
    private var task: Task<Void, Never>?
    private var generation: UInt64 = 0

    /// Makes a timer that is not armed.
    public init(clock: any MonotonicClock) {
        self.clock = clock
    }

    /// Makes sure that `fire` is called at `deadline` or before; it gets the number to pass to `hasFired`.
    public mutating func arm(_ deadline: MonotonicInstant?, fire: @escaping @Sendable (UInt64) async -> Void) {
        guard let deadline else { return cancel() }
        if let armed, armed <= deadline { return }
        task?.cancel()
        generation &+= 1
        armed = deadline
        task = Task { [clock, generation] in
            do { try await clock.wait(until: deadline) } catch { return }
            await fire(generation)
        }
    }

    /// Records that the timer fired, so that it can be armed again; false when that firing is out of date.
    ///
    /// False when it was cancelled or armed for an earlier deadline in the meantime; then nothing is due.
    public mutating func hasFired(_ generation: UInt64) -> Bool {
        guard generation == self.generation, armed != nil else { return false }
        armed = nil
        task = nil
        return true
    }

    /// Removes the deadline, so that the timer does not fire.
    public mutating func cancel() {
        task?.cancel()
        armed = nil
        task = nil
    }
}
