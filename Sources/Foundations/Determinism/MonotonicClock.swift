/// The one clock of a driver: it tells the time and waits, so that tests can put another in its place.
///
/// Cores never see it; they are given a `MonotonicInstant` with each input.
public protocol MonotonicClock: Sendable {
    /// The present instant; never earlier than one returned before.
    func now() -> MonotonicInstant

    /// Waits until `deadline`; returns at once when it has passed.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func wait(until deadline: MonotonicInstant) async throws
}

/// The system's monotonic clock.
public struct SystemClock: MonotonicClock {
    private let origin = ContinuousClock.now

    /// Starts a clock whose origin is now.
    public init() {}

    /// The time since this value was made.
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
