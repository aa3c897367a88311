/// A date of the Gregorian calendar, extended to the years before its introduction as ISO 8601 has it.
public struct CivilDate: Hashable, Sendable {
    /// The year; year 0 comes before year 1.
    public let year: Int
    /// The month, from 1 to 12.
    public let month: Int
    /// The day of the month, from 1 to at most 31.
    public let day: Int

    /// Makes a date; nil when the calendar does not have it.
    public init?(year: Int, month: Int, day: Int) {
        guard 1...12 ~= month, 1...Self.dayCount(ofMonth: month, year: year) ~= day else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Makes the date that lies `daysSinceEpoch` after 1970-01-01, or before it when negative.
    ///
    /// Limit: 10^15 days in either direction, more than the milliseconds of a `WallTime` hold.
    public init(daysSinceEpoch: Int) {
        let (era, dayOfEra) = (daysSinceEpoch + Self.daysBeforeEpoch).dividedDown(by: Self.daysOfEra)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The days from 1970-01-01 to this date; negative before.
    public var daysSinceEpoch: Int { Self.daysSinceEpoch(year: year, month: month, day: day) }

    /// The date as text: `2026-01-31` (RFC 3339, full-date).
    ///
    /// A year of more than four digits has all of them, one before year 0 a minus sign.
    public var text: String {
        let number = String(year.magnitude)
        let padded = String(repeating: "0", count: max(0, 4 - number.utf8.count)) + number
        return "\(year < 0 ? "-" : "")\(padded)-\(twoDigits(month))-\(twoDigits(day))"
    }

    /// Returns the days from 1970-01-01 to a date; a day past the end of its month counts into the next month.
    ///
    /// - Parameter month: From 1 to 12.
    public static func daysSinceEpoch(year: Int, month: Int, day: Int) -> Int {
        let (era, yearOfEra) = (month <= 2 ? year - 1 : year).dividedDown(by: 400)
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * daysOfEra + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - daysBeforeEpoch
    }

    private static func dayCount(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The days of 400 years, after which the calendar repeats; years begin in March here, so that leap days end them.
    private static let daysOfEra = 146_097
    /// The days from 0000-03-01, where an era begins, to 1970-01-01.
    private static let daysBeforeEpoch = 719_468
}

/// A date and a time of day in UTC, to the second.
public struct CivilDateTime: Hashable, Sendable {
    /// The date.
    public let date: CivilDate
    /// The hour, from 0 to 23.
    public let hour: Int
    /// The minute, from 0 to 59.
    public let minute: Int
    /// The second, from 0 to 59; the calendar time of a computer has no leap seconds.
    public let second: Int

    /// Makes the time that lies `secondsSinceEpoch` after 1970-01-01T00:00:00Z, or before it when negative.
    public init(secondsSinceEpoch: Int) {
        let (days, rest) = secondsSinceEpoch.dividedDown(by: 86_400)
        date = CivilDate(daysSinceEpoch: days)
        hour = rest / 3600
        minute = rest / 60 % 60
        second = rest % 60
    }

    /// Makes the time of the second that `time` lies in.
    public init(_ time: WallTime) {
        self.init(secondsSinceEpoch: Int(time.millisecondsSinceEpoch).dividedDown(by: 1000).quotient)
    }

    /// The time of day as `09:30:00` (RFC 3339, partial-time).
    public var clockText: String { "\(twoDigits(hour)):\(twoDigits(minute)):\(twoDigits(second))" }

    /// The time as `2026-01-31T09:30:00Z` (RFC 3339, date-time).
    public var text: String { "\(date.text)T\(clockText)Z" }
}

extension Int {
    /// Returns the quotient rounded down and the remainder that is never negative; `divisor` is positive.
    fileprivate func dividedDown(by divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

private func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
