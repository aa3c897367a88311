public import Determinism

/// The clock of a simulation: it moves only by calls, and never back.
public struct SimulatedClock: Hashable, Sendable {
    /// The present instant.
    public private(set) var now: MonotonicInstant

    /// The calendar time at the origin of the clock.
    public var origin: WallTime

    /// Makes a clock that stands at zero.
    public init(origin: WallTime = WallTime(millisecondsSinceEpoch: 1_700_000_000_000)) {
        self.origin = origin
        now = .zero
    }

    /// The present calendar time: the origin and the milliseconds since.
    public var wallTime: WallTime {
        let elapsed = Int64(clamping: now.nanoseconds / 1_000_000)
        let (sum, overflow) = origin.millisecondsSinceEpoch.addingReportingOverflow(elapsed)
        return WallTime(millisecondsSinceEpoch: overflow ? .max : sum)
    }

    /// Moves the clock forward to `instant`; an instant in the past leaves it where it is.
    public mutating func advance(to instant: MonotonicInstant) {
        now = max(now, instant)
    }
}
