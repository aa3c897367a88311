/// The clock of a driver: it returns the time and waits, and tests replace it.
///
/// Cores never see it; they are given a `MonotonicInstant` with each input.
public protocol MonotonicClock: Sendable {
    /// Returns the present instant; never earlier than one returned before.
    func now() -> MonotonicInstant

    /// Waits until `deadline`; returns at once when it has passed.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func wait(until deadline: MonotonicInstant) async throws
}

/// The system's monotonic clock.
public struct SystemMonotonicClock: MonotonicClock {
    private let origin = ContinuousClock.now

    /// Starts a clock whose origin is now.
    public init() {}

    /// Returns the time since this clock was made.
    public func now() -> MonotonicInstant {
        .zero + origin.duration(to: .now)
    }

    /// Sleeps until `deadline`.
    public func wait(until deadline: MonotonicInstant) async throws {
        let remaining = deadline - now()
        guard remaining > .zero else { return }
        try await Task.sleep(for: remaining, tolerance: .zero)
    }
}
