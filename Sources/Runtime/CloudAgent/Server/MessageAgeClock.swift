import Determinism

/// Judges the age of messages by the calendar clock where it was furthest behind, so that a clock that is set forward
/// makes no message old.
///
/// Messages are stamped with the time of day. If the clock was behind when one came and is corrected afterwards, or is
/// set ahead by mistake, the message seems too old by the difference. So ages count from the smallest offset to the
/// monotonic clock; an offset is forgotten after one to two ages, because all messages with such stamps are old by
/// then.
struct MessageAgeClock: Sendable {
    private let window: Duration
    /// The smallest offset of the calendar clock to the monotonic one, in milliseconds: in this window, and in the
    /// last.
    private var least: Int64?
    private var leastBefore: Int64?
    private var windowEnd: MonotonicInstant?

    /// Makes a clock that has not been read yet.
    ///
    /// - Parameter window: at which age messages are dropped.
    init(window: Duration) { self.window = window }

    /// Reads both clocks; returns the time of day by which ages are judged.
    mutating func read(_ wallTime: WallTime, at now: MonotonicInstant) -> WallTime {
        let elapsed = Int64(clamping: now.nanoseconds / 1_000_000)
        let ahead = wallTime.millisecondsSinceEpoch - elapsed
        if let windowEnd, now >= windowEnd {
            leastBefore = least
            least = nil
            self.windowEnd = nil
        }
        if windowEnd == nil { windowEnd = now + window }
        let smallest = min(least ?? ahead, ahead)
        least = smallest
        return WallTime(millisecondsSinceEpoch: min(smallest, leastBefore ?? smallest) + elapsed)
    }
}
