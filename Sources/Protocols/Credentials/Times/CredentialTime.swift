public import JSON

/// The times of credentials, as seconds since 1970-01-01T00:00:00Z.
public enum CredentialTime {
    /// Reads an xsd:dateTime with an offset or `Z` (W3C VCDM 2.0, section 4.9), with any number of digits of a
    /// fraction.
    ///
    /// Throws `credential.time-format` for a date that the calendar does not have, a time without a zone, years outside
    /// 1 to 9999, and anything else.
    public static func seconds(dateTime text: String, _ what: String) throws(CredentialError) -> Double {
        var reader = DateTimeReader(text)
        guard let seconds = reader.seconds() else {
            throw CredentialError(.timeFormat, "\(what) is not a time with a zone.")
        }
        return seconds
    }

    /// Reads a NumericDate (RFC 7519, section 2): any finite number, whole or not, negative or large.
    ///
    /// Throws `credential.time-format` for other values and for numbers that no double holds.
    public static func seconds(numeric value: JSONValue, _ what: String) throws(CredentialError) -> Double {
        guard let seconds = value.number?.double else {
            throw CredentialError(.timeFormat, "\(what) is not a number.")
        }
        return seconds
    }

    /// Throws `credential.time-expired` or `credential.time-future` when the time of the request lies outside a period,
    /// and `credential.time-order` when the period ends before it begins.
    ///
    /// The tolerance of the policy counts at both ends. An end is past from its very second on.
    public static func check(
        from start: Double?, to end: Double?, _ request: VerificationRequest, _ what: String
    ) throws(CredentialError) {
        if let start, let end, start > end {
            throw CredentialError(.timeOrder, "\(what) ends before it begins.")
        }
        let tolerance = request.policy.toleranceSeconds
        if let end, request.seconds - tolerance >= end {
            throw CredentialError(.timeExpired, "\(what) has expired.")
        }
        if let start, request.seconds + tolerance < start {
            throw CredentialError(.timeFuture, "\(what) is not valid yet.")
        }
    }
}

/// Reads the parts of an xsd:dateTime one after another.
private struct DateTimeReader {
    private var rest: ArraySlice<UInt8>

    init(_ text: String) { rest = Array(text.utf8)[...] }

    mutating func seconds() -> Double? {
        guard let year = number(4), year >= 1, take("-"), let month = number(2), (1...12).contains(month), take("-"),
            let day = number(2), (1...Self.days(in: month, of: year)).contains(day), take("T"), let hour = number(2),
            take(":"), let minute = number(2), minute < 60, take(":"), let second = number(2), second < 60
        else { return nil }
        guard let fraction = fraction(), hour < 24 || hour == 24 && minute == 0 && second == 0 && fraction == 0,
            let offset = offset(), rest.isEmpty
        else { return nil }
        let days = Self.day(year, month, day)
        return Double(days * 86_400 + hour * 3600 + minute * 60 + second - offset) + fraction
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

    /// The digits behind a point as a part of a second; the first 15 of them count.
    private mutating func fraction() -> Double? {
        guard take(".") else { return 0 }
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        guard !digits.isEmpty else { return nil }
        rest = rest.dropFirst(digits.count)
        var (value, scale) = (0.0, 1.0)
        for digit in digits.prefix(15) {
            value = value * 10 + Double(digit - 0x30)
            scale *= 10
        }
        return value / scale
    }

    /// Seconds east of UTC; nil without a zone.
    private mutating func offset() -> Int? {
        if take("Z") { return 0 }
        let sign = take("+") ? 1 : take("-") ? -1 : 0
        guard sign != 0, let hours = number(2), take(":"), let minutes = number(2), minutes < 60,
            hours * 60 + minutes <= 14 * 60
        else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days since 1970-01-01 in the Gregorian calendar, counted in years that begin in March.
    private static func day(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
