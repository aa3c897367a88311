package import Determinism

/// The clock of an environment at a multiple of its speed, so that hours of a program pass in minutes.
///
/// Waits are shorter by the same factor. What is outside of the process, such as a browser or a wallet, keeps its own
/// time.
package struct AcceleratedClock: MonotonicClock {
    private let clock: any MonotonicClock
    private let rate: Int

    /// Makes a clock that runs `rate` times as fast as `clock`.
    package init(_ clock: any MonotonicClock, rate: Int) { (self.clock, self.rate) = (clock, rate) }

    package func now() -> MonotonicInstant { .zero + (clock.now() - .zero) * rate }

    package func wait(until deadline: MonotonicInstant) async throws {
        try await clock.wait(until: .zero + (deadline - .zero) / rate)
    }

    /// The same environment, in which time and the time of day pass `rate` times as fast from now on.
    package static func environment(_ environment: CommandEnvironment, rate: Int) -> CommandEnvironment {
        var accelerated = environment
        let (clock, start, began) = (environment.clock, environment.clock.now(), environment.wallTime())
        accelerated.clock = AcceleratedClock(clock, rate: rate)
        accelerated.wallTime = {
            let (seconds, attoseconds) = (clock.now() - start).components
            let passed = (seconds * 1000 + attoseconds / 1_000_000_000_000_000) * Int64(rate)
            return WallTime(millisecondsSinceEpoch: began.millisecondsSinceEpoch + passed)
        }
        return accelerated
    }
}
