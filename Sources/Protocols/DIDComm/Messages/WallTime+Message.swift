public import Determinism

/// Reads and writes a time as messages contain it (RFC 0074): `2026-01-31T09:30:00Z`.
///
/// Others write a blank for the `T`, a fraction, or an offset from UTC, which are read too.
extension WallTime {
    /// Reads a message's time; nil for other texts and for years outside 1970 to 9999.
    public init?(message text: String) {
        guard let time = RFC3339Time(text), 1970...9999 ~= time.date.year, time.hour < 24, time.fraction.count <= 9
        else { return nil }
        // A fraction is cut to thousandths of a second.
        let digits = Array(time.fraction.prefix(3)) + [0x30, 0x30, 0x30]
        let milliseconds = digits.prefix(3).reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        self.init(millisecondsSinceEpoch: Int64(time.secondsSinceEpoch) * 1000 + milliseconds)
    }

    /// The time as messages write it, to the second, in UTC; clamped to the years 1970 to 9999.
    public var messageText: String {
        let last: Int64 = 253_402_300_799
        return CivilDateTime(secondsSinceEpoch: Int(min(max(0, millisecondsSinceEpoch / 1000), last))).text
    }
}
