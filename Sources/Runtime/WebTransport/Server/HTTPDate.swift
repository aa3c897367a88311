import Determinism

/// The time as HTTP writes it, `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Writes a time in the form of the header field `Date`.
    ///
    /// - Parameter seconds: Since the beginning of 1970, from then to the year 9999.
    static func text(seconds: Int64) -> String {
        let time = CivilDateTime(secondsSinceEpoch: Int(seconds))
        let (date, weekday) = (time.date, days[time.date.daysSinceEpoch % 7])
        let day = date.day < 10 ? "0\(date.day)" : "\(date.day)"
        return "\(weekday), \(day) \(months[date.month - 1]) \(date.year) \(time.clockText) GMT"
    }
}
