import Determinism

/// Judges the age of messages by the calendar clock where that went slowest, so that a clock that is set forward makes no
/// message old.
///
/// Messages are stamped with the time of day. Where the clock was behind when one came and is set right afterwards, or is set
/// ahead by mistake, its stamp is too old by as much. So what counts is the clock as it was when it was furthest behind the
/// monotonic one; after one to two ages that is forgotten, because all messages with such stamps are old by then.
struct AgeClock: Sendable {
    private let window: Duration
    /// By how many milliseconds the calendar clock was ahead of the monotonic one, at least: in this window, and in the last.
    private var least: Int64?
    private var leastBefore: Int64?
    private var windowEnd: MonotonicInstant?

    /// - Parameter window: at which age messages are dropped.
    init(window: Duration) { self.window = window }

    /// Looks at both clocks; returns the time of day by which ages are judged.
    mutating func read(_ wallTime: WallTime, at now: MonotonicInstant) -> WallTime {
        let elapsed = Int64(clamping: now.nanoseconds / 1_000_000)
        let ahead = wallTime.millisecondsSinceEpoch - elapsed
        if let windowEnd, now >= windowEnd {
            (leastBefore, least) = (least, nil)
            self.windowEnd = nil
        }
        if windowEnd == nil { windowEnd = now + window }
        let smallest = min(least ?? ahead, ahead)
        least = smallest
        return WallTime(millisecondsSinceEpoch: min(smallest, leastBefore ?? smallest) + elapsed)
    }
}
