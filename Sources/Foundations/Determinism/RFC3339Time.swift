/// The parts of a date and time that a text holds in the form of RFC 3339, section 5.6, or in a related form.
///
/// Read are also a blank or a small `t` for the `T`, a small `z`, an offset without its colon, a text without a zone,
/// hour 24 and second 60. A format that does not have one of these refuses it by looking at the parts.
public struct RFC3339Time: Sendable {
    /// The date, which exists in the calendar; its year is 0 to 9999.
    public let date: CivilDate
    /// The hour, from 0 to 24.
    public let hour: Int
    /// The minute, from 0 to 59.
    public let minute: Int
    /// The second, from 0 to 60.
    public let second: Int
    /// The ASCII digits behind the decimal point of the seconds, of any number; empty without a point.
    public let fraction: Substring.UTF8View
    /// The offset from UTC in seconds, less than 24 hours, east positive; 0 for a text without a zone.
    public let offsetSeconds: Int
    /// True when the text has the form of xsd:dateTime with a zone: a capital `T`, and `Z` or an offset with a colon.
    public let isXMLDateTime: Bool

    /// Reads a whole text as date and time; nil when it has another form.
    public init?(_ text: String) {
        var reader = Reader(rest: text[...].utf8)
        guard let year = reader.number(4), reader.take("-"), let month = reader.number(2), reader.take("-"),
            let day = reader.number(2), let date = CivilDate(year: year, month: month, day: day)
        else { return nil }
        let hasCapital = reader.take("T")
        guard hasCapital || reader.take("t") || reader.take(" "), let hour = reader.number(2), hour <= 24,
            reader.take(":"), let minute = reader.number(2), minute < 60, reader.take(":"),
            let second = reader.number(2), second <= 60, let fraction = reader.fraction(), let zone = reader.zone(),
            reader.rest.isEmpty
        else { return nil }
        self.date = date
        self.hour = hour
        self.minute = minute
        self.second = second
        self.fraction = fraction
        offsetSeconds = zone.seconds
        isXMLDateTime = hasCapital && zone.isXMLZone
    }

    /// The whole seconds since 1970-01-01T00:00:00Z; hour 24 and second 60 roll over into the next day or minute.
    public var secondsSinceEpoch: Int {
        date.daysSinceEpoch * 86_400 + hour * 3600 + minute * 60 + second - offsetSeconds
    }

    /// Reads the parts of a date and time one after another.
    private struct Reader {
        var rest: Substring.UTF8View

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard let first = rest.first, UInt32(first) == character.value else { return false }
            rest = rest.dropFirst()
            return true
        }

        mutating func number(_ count: Int) -> Int? {
            let digits = rest.prefix(count)
            guard digits.count == count, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            rest = rest.dropFirst(count)
            return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        }

        /// Reads the digits behind a decimal point; empty without a point, nil when no digit follows it.
        mutating func fraction() -> Substring.UTF8View? {
            guard take(".") else { return rest.prefix(0) }
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            rest = rest.dropFirst(digits.count)
            return digits.isEmpty ? nil : digits
        }

        mutating func zone() -> (seconds: Int, isXMLZone: Bool)? {
            if rest.isEmpty { return (0, false) }
            if take("Z") { return (0, true) }
            if take("z") { return (0, false) }
            let isEast = take("+")
            guard isEast || take("-"), let hours = number(2), hours < 24 else { return nil }
            let hasColon = take(":")
            guard let minutes = number(2), minutes < 60 else { return nil }
            return ((isEast ? 1 : -1) * (hours * 3600 + minutes * 60), hasColon)
        }
    }
}
