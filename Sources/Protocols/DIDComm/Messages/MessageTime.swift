public import Determinism

/// The time of day as messages write it, RFC 0074: `2026-01-31T09:30:00Z`, with a blank for the `T` or a fraction or an
/// offset from UTC where others write so.
extension WallTime {
    /// Reads a time; nil for other texts and for years outside 1970 to 9999.
    public init?(message text: String) {
        var reader = TimeReader(text)
        guard let milliseconds = reader.time() else { return nil }
        self.init(millisecondsSinceEpoch: milliseconds)
    }

    /// The text to the second, in UTC; times outside the years 1970 to 9999 become the nearest one in them.
    public var messageText: String {
        let last: Int64 = 253_402_300_799
        let seconds = min(max(0, millisecondsSinceEpoch / 1000), last)
        let (year, month, day) = Self.date(ofDay: Int(seconds / 86_400))
        let second = Int(seconds % 86_400)
        let date = "\(year)-\(Self.twoDigits(month))-\(Self.twoDigits(day))"
        let time = [second / 3600, second / 60 % 60, second % 60].map(Self.twoDigits).joined(separator: ":")
        return date + "T" + time + "Z"
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// The civil date of a day since the epoch, counted in eras of 400 years that begin in March.
    private static func date(ofDay day: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let isAfterYearEnd = month >= 10
        return (
            yearOfEra + era * 400 + (isAfterYearEnd ? 1 : 0), isAfterYearEnd ? month - 9 : month + 3,
            dayOfYear - (153 * month + 2) / 5 + 1
        )
    }
}

/// Reads the parts of a time one after another.
private struct TimeReader {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    mutating func time() -> Int64? {
        guard let year = number(4), (1970...9999).contains(year), take("-"), let month = number(2), take("-"),
            let day = number(2), (1...12).contains(month), (1...Self.days(in: month, of: year)).contains(day),
            take("T") || take("t") || take(" "), let hour = number(2), hour < 24, take(":"), let minute = number(2),
            minute < 60, take(":"), let second = number(2), second <= 60
        else { return nil }
        let fraction = milliseconds()
        guard let fraction, let offset = offset(), rest.isEmpty else { return nil }
        let seconds = Self.day(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset
        return Int64(seconds) * 1000 + Int64(fraction)
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard let first = rest.first, UInt32(first) == character.value else { return false }
        rest = rest.dropFirst()
        return true
    }

    private mutating func number(_ count: Int) -> Int? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        rest = rest.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// The digits after a decimal point, cut to thousandths of a second; 0 without a point, nil when no digit follows
    /// it.
    private mutating func milliseconds() -> Int? {
        guard take(".") else { return 0 }
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        guard (1...9).contains(digits.count) else { return nil }
        rest = rest.dropFirst(digits.count)
        return (Array(digits) + [0x30, 0x30]).prefix(3).reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// The offset from UTC in seconds, east positive; 0 when the text has none.
    private mutating func offset() -> Int? {
        if rest.isEmpty || take("Z") || take("z") { return 0 }
        let isEast = take("+")
        guard isEast || take("-"), let hours = number(2), hours < 24 else { return nil }
        _ = take(":")
        guard let minutes = number(2), minutes < 60 else { return nil }
        return (isEast ? 1 : -1) * (hours * 3600 + minutes * 60)
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The day since the epoch.
    private static func day(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let monthFromMarch = (month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }
}
