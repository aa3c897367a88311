import ByteCoding
public import Determinism

/// Finds the observed identifiers that belong to days whose keys were published.
///
/// Holds what was observed, 16 bytes and a time each, and derives the identifiers of one published day at a time:
/// memory does not grow with the number of keys.
public struct ContactMatcher: Sendable {
    /// A published matching key with the day that it is for.
    public struct PublishedMatchingKey: Hashable, Sendable {
        /// The day that the published key claims to be for.
        public var day: Int
        /// The matching key: 32 bytes.
        public var key: [UInt8]

        /// Makes a published key from its parts.
        public init(day: Int, key: [UInt8]) {
            self.day = day
            self.key = key
        }
    }

    /// An identifier that was observed and belongs to a published day.
    public struct Match: Hashable, Sendable {
        /// The day and period of the identifier.
        public var slot: SimplePayloadCalendar.CalendarPeriod
        /// The time at which the identifier was observed.
        public var observedAt: WallTime
        /// True when the identifier was observed in its own period; if not, it may have been replayed.
        public var isTimely: Bool
    }

    private struct Identifier: Hashable {
        let high: UInt64
        let low: UInt64

        init?(_ bytes: some Collection<UInt8>) {
            guard bytes.count == SimplePayload.identifierBytes else { return nil }
            high = UInt64(bigEndianBytes: bytes.prefix(8))
            low = UInt64(bigEndianBytes: bytes.dropFirst(8))
        }
    }

    /// The most observations that the matcher stores.
    public let limit: Int
    /// The largest tolerated difference between clocks.
    public let tolerance: Duration
    /// The schedule of the days that the published keys are for.
    public let schedule: SimplePayloadCalendar

    private var observed: [Identifier: [WallTime]] = [:]
    /// The number of observations that the matcher keeps.
    public private(set) var count = 0

    /// Makes a matcher without observations.
    ///
    /// - Parameters:
    ///   - tolerance: the farthest that an observation may lie outside its period and still be timely.
    ///   - limit: the most observations that are kept; more are refused.
    public init(
        schedule: SimplePayloadCalendar = SimplePayloadCalendar(), tolerance: Duration = .seconds(900),
        limit: Int = 1_000_000
    ) {
        self.schedule = schedule
        self.tolerance = tolerance
        self.limit = limit
    }

    /// Stores an identifier that was observed.
    ///
    /// - Returns: false when it has not 16 bytes, or when the matcher is full.
    @discardableResult
    public mutating func observe(_ identifier: some Collection<UInt8>, at time: WallTime) -> Bool {
        guard count < limit, let key = Identifier(identifier) else { return false }
        observed[key, default: []].append(time)
        count += 1
        return true
    }

    /// Returns the observations on published days, in the order of keys, then periods, then observation.
    ///
    /// A key of another length than 32 bytes, or of a day outside the schedule, matches nothing.
    public func matches(_ published: [PublishedMatchingKey]) -> [Match] {
        published.filter { $0.key.count == 32 && (0...schedule.lastDay).contains($0.day) }.flatMap(matches)
    }

    private func matches(_ published: PublishedMatchingKey) -> [Match] {
        let identifiers = DayIdentifiers(matchingKey: published.key)
        return (0..<identifiers.count).flatMap { period -> [Match] in
            guard let key = identifiers[period].flatMap(Identifier.init) else { return [] }
            let slot = SimplePayloadCalendar.CalendarPeriod(day: published.day, period: period)
            return observed[key, default: []].map {
                Match(slot: slot, observedAt: $0, isTimely: isTimely($0, in: slot))
            }
        }
    }

    private func isTimely(_ time: WallTime, in slot: SimplePayloadCalendar.CalendarPeriod) -> Bool {
        let start = schedule.start(of: slot).millisecondsSinceEpoch
        let slack = tolerance.wholeNanoseconds / 1_000_000
        let (since, overflow) = time.millisecondsSinceEpoch.subtractingReportingOverflow(start)
        return !overflow && since >= -slack && since - SimplePayloadCalendar.periodMilliseconds < slack
    }
}
