import Determinism
public import JSON

/// Reads the times in credentials, as seconds since 1970-01-01T00:00:00Z.
public enum CredentialTime {
    /// Reads an xsd:dateTime with an offset or `Z` (W3C VCDM 2.0, section 4.9).
    ///
    /// The fraction has any number of digits.
    ///
    /// Throws `credential.time-format` for a date that the calendar does not have, a time without a zone, years outside
    /// 1 to 9999, and anything else.
    public static func seconds(dateTime text: String, _ what: String) throws(CredentialError) -> Double {
        guard let time = RFC3339Time(text), time.isXMLDateTime, time.date.year >= 1, time.second < 60,
            abs(time.offsetSeconds) <= 14 * 3600
        else { throw CredentialError(.timeFormat, "\(what) is not a time with a zone.") }
        let fraction = fraction(time.fraction)
        guard time.hour < 24 || time.minute == 0 && time.second == 0 && fraction == 0 else {
            throw CredentialError(.timeFormat, "\(what) is not a time with a zone.")
        }
        return Double(time.secondsSinceEpoch) + fraction
    }

    /// Returns the digits behind the decimal point as a fraction; only the first 15 of them count.
    private static func fraction(_ digits: Substring.UTF8View) -> Double {
        var (value, scale) = (0.0, 1.0)
        for digit in digits.prefix(15) {
            value = value * 10 + Double(digit - 0x30)
            scale *= 10
        }
        return value / scale
    }

    /// Reads a NumericDate (RFC 7519, section 2): any finite number, also fractional, negative or large.
    ///
    /// Throws `credential.time-format` for other values and for numbers that no double holds.
    public static func seconds(numeric value: JSONValue, _ what: String) throws(CredentialError) -> Double {
        guard let seconds = value.number?.double else {
            throw CredentialError(.timeFormat, "\(what) is not a number.")
        }
        return seconds
    }

    /// Throws unless the time of the request lies within a period of validity.
    ///
    /// `credential.time-expired` or `credential.time-future` outside it, and `credential.time-order` when the period
    /// ends before it begins.
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
