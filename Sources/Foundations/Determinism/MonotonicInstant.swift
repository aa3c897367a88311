/// A point in time on a monotonic clock, which never jumps.
///
/// Unit: nanoseconds since an origin that only the owner of the clock knows, so two instants compare only when they
/// come from one clock. Cores are given instants and never ask for one.
public struct MonotonicInstant: Hashable, Comparable, Sendable {
    /// Nanoseconds since the clock's origin; never negative.
    public let nanoseconds: UInt64

    /// The origin of the monotonic clock.
    public static let zero = MonotonicInstant(nanoseconds: 0)

    /// Makes the instant that lies `nanoseconds` after the origin.
    public init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    /// Orders instants of one clock.
    public static func < (left: MonotonicInstant, right: MonotonicInstant) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// Returns the instant `duration` later; it saturates at both ends of the clock instead of trapping.
    public static func + (instant: MonotonicInstant, duration: Duration) -> MonotonicInstant {
        let shift = duration.wholeNanoseconds
        if shift >= 0 {
            let (sum, overflow) = instant.nanoseconds.addingReportingOverflow(UInt64(shift))
            return MonotonicInstant(nanoseconds: overflow ? .max : sum)
        }
        let (difference, overflow) = instant.nanoseconds.subtractingReportingOverflow(shift.magnitude)
        return MonotonicInstant(nanoseconds: overflow ? 0 : difference)
    }

    /// Returns the time from `earlier` to `later`; negative when they are the other way round.
    public static func - (later: MonotonicInstant, earlier: MonotonicInstant) -> Duration {
        if later >= earlier {
            return .nanoseconds(Int64(clamping: later.nanoseconds - earlier.nanoseconds))
        }
        return .nanoseconds(-Int64(clamping: earlier.nanoseconds - later.nanoseconds))
    }
}

extension Duration {
    /// The duration in nanoseconds, clamped to what 64 bits hold (about 292 years).
    public var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return seconds < 0 ? .min : .max }
        let (sum, carry) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        return carry ? (seconds < 0 ? .min : .max) : sum
    }

    /// The duration in seconds, for display and for rates.
    public var inSeconds: Double { Double(wholeNanoseconds) / 1e9 }
}
