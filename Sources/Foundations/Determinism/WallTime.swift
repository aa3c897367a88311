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

    /// Orders calendar times.
    public static func < (left: WallTime, right: WallTime) -> Bool {
        left.millisecondsSinceEpoch < right.millisecondsSinceEpoch
    }
}
