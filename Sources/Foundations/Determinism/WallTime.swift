/// A point in calendar time, given to a core by the owner of the clock.
///
/// Unit: milliseconds since 1970-01-01T00:00:00Z; may be negative and may jump, unlike `MonotonicInstant`.
public struct WallTime: Hashable, Comparable, Sendable {
    /// Milliseconds since the Unix epoch.
    public let millisecondsSinceEpoch: Int64

    /// Makes the time that lies `millisecondsSinceEpoch` after the Unix epoch.
    public init(millisecondsSinceEpoch: Int64) {
        self.millisecondsSinceEpoch = millisecondsSinceEpoch
    }

    /// Returns the time `duration` later, in whole milliseconds; the first or last time where it would lie beyond.
    public func adding(_ duration: Duration) -> WallTime {
        let (seconds, attoseconds) = duration.components
        let (whole, isTooMuch) = seconds.multipliedReportingOverflow(by: 1000)
        let (moment, isBeyond) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        let (sum, isOutside) = millisecondsSinceEpoch.addingReportingOverflow(moment)
        if isTooMuch || isBeyond || isOutside {
            return WallTime(millisecondsSinceEpoch: duration < .zero ? .min : .max)
        }
        return WallTime(millisecondsSinceEpoch: sum)
    }

    /// Orders calendar times.
    public static func < (left: WallTime, right: WallTime) -> Bool {
        left.millisecondsSinceEpoch < right.millisecondsSinceEpoch
    }
}
