public import Determinism

/// The division of time into days and periods of a simple key chain.
///
/// Both ends of a contact need not share it; the publisher of keys and the device that matches them do.
public struct SimplePayloadCalendar: Hashable, Sendable {
    /// The number of periods in a day.
    public static let periodsPerDay = 240
    /// The length of a period, in milliseconds.
    public static let periodMilliseconds: Int64 = 360_000
    /// The length of a day, in milliseconds.
    public static let dayMilliseconds: Int64 = 86_400_000

    /// The time at which day 0 begins.
    public let epoch: WallTime
    /// The number of the last day with a key, counted from 0.
    public let lastDay: Int

    /// Makes a schedule of days and periods.
    ///
    /// - Parameters:
    ///   - epoch: by default 2026-01-01T00:00Z, because the days of the reference libraries ran out on 2026-03-17.
    ///   - lastDay: 1 to 100,000; other values are brought into the range.
    public init(epoch: WallTime = Self.defaultEpoch, lastDay: Int = 2000) {
        self.epoch = epoch
        self.lastDay = min(max(lastDay, 1), 100_000)
    }

    /// The default time at which day 0 begins: 2026-01-01T00:00:00Z.
    public static let defaultEpoch = WallTime(millisecondsSinceEpoch: 1_767_225_600_000)

    /// The schedule of unmodified applications, 2020-09-24T00:00:00Z with 2,000 days: to the day after 2026-03-17.
    public static let reference = SimplePayloadCalendar(epoch: WallTime(millisecondsSinceEpoch: 1_600_905_600_000))

    /// The first instant without a key.
    public var end: WallTime { start(ofDay: lastDay + 1) }

    /// A period of a day in the key schedule.
    public struct CalendarPeriod: Hashable, Comparable, Sendable {
        /// The number of the day, counted from the epoch.
        public var day: Int
        /// The number of the six-minute period in the day, 0 to 239.
        public var period: Int

        /// Makes a slot of a key schedule from its parts.
        public init(day: Int, period: Int) {
            self.day = day
            self.period = period
        }

        /// Orders slots by time.
        public static func < (left: CalendarPeriod, right: CalendarPeriod) -> Bool {
            (left.day, left.period) < (right.day, right.period)
        }
    }

    /// Returns the day and period that contain an instant.
    ///
    /// - Throws: `herald.chain.not-begun`, `herald.chain.expired`.
    public func slot(at time: WallTime) throws(HeraldError) -> CalendarPeriod {
        let (since, overflow) = time.millisecondsSinceEpoch.subtractingReportingOverflow(epoch.millisecondsSinceEpoch)
        guard !overflow, since >= 0 else {
            throw HeraldError(.chainNotBegun, "The key chain has no key for a time before its first day.")
        }
        guard since / Self.dayMilliseconds <= Int64(lastDay) else {
            throw HeraldError(.chainExpired, "The key chain ended after its day \(lastDay).")
        }
        return CalendarPeriod(
            day: Int(since / Self.dayMilliseconds),
            period: Int(since % Self.dayMilliseconds / Self.periodMilliseconds))
    }

    /// Returns the time at which a period begins.
    public func start(of slot: CalendarPeriod) -> WallTime {
        let (sum, overflow) = start(ofDay: slot.day).millisecondsSinceEpoch
            .addingReportingOverflow(Int64(clamping: slot.period) &* Self.periodMilliseconds)
        return WallTime(millisecondsSinceEpoch: overflow ? .max : sum)
    }

    private func start(ofDay day: Int) -> WallTime {
        let (length, overflow) = Int64(clamping: day).multipliedReportingOverflow(by: Self.dayMilliseconds)
        let (sum, carry) = epoch.millisecondsSinceEpoch.addingReportingOverflow(length)
        return WallTime(millisecondsSinceEpoch: overflow || carry ? .max : sum)
    }
}
