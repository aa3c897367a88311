import Determinism

/// One wake-up on a `MonotonicClock`, for an owner whose next deadline changes often.
///
/// Not synchronised: it lives in an actor or behind a lock.
struct WakeUpTimer {
    private var task: Task<Void, Never>?
    private var deadline: MonotonicInstant?
    private var generation: UInt64 = 0

    /// Ensures that `action` runs at `deadline` or earlier; it gets the number to pass to `hasFired`.
    ///
    /// An earlier wake-up that is set stays: the owner then finds nothing due and sets the next.
    mutating func set(
        _ deadline: MonotonicInstant?, on clock: any MonotonicClock,
        action: @escaping @Sendable (UInt64) async -> Void
    ) {
        guard let deadline else { return cancel() }
        if let current = self.deadline, current <= deadline { return }
        task?.cancel()
        generation &+= 1
        self.deadline = deadline
        task = Task { [generation] in
            do { try await clock.wait(until: deadline) } catch { return }
            await action(generation)
        }
    }

    /// Notes that the wake-up `generation` has come; false when another has taken its place.
    mutating func hasFired(_ generation: UInt64) -> Bool {
        guard generation == self.generation, deadline != nil else { return false }
        deadline = nil
        task = nil
        return true
    }

    /// Cancels the pending wake-up.
    mutating func cancel() {
        task?.cancel()
        task = nil
        deadline = nil
        generation &+= 1
    }
}
