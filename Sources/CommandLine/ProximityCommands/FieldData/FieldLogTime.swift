import Determinism

/// Reads the times of the deployed Herald libraries' logs.
///
/// Up to 2.1 they are `YYYY-MM-DD HH:MM:SS` in a zone that the log does not name and that counts as UTC here; later
/// ones have a fraction of a second and a zone, as in `2022-11-29 22:21:56.552+0000`. Source: herald-for-android and
/// herald-for-ios 1.0 to 2.2, contact log.
enum FieldLogTime {
    /// The longest text of a time, in bytes.
    static let maximumBytes = 40

    /// Parses a time to milliseconds since 1970-01-01 UTC; nil when the bytes are no time.
    static func milliseconds(_ field: ArraySlice<UInt8>) -> Int? {
        guard (19...maximumBytes).contains(field.count) else { return nil }
        let bytes = Array(field)
        let layout: [(Range<Int>, ClosedRange<Int>)] = [
            (0..<4, 0...9999), (5..<7, 1...12), (8..<10, 1...31), (11..<13, 0...23), (14..<16, 0...59),
            (17..<19, 0...60),
        ]
        let numbers = layout.compactMap { place, range in
            number(bytes[place]).flatMap { range.contains($0) ? $0 : nil }
        }
        guard numbers.count == layout.count, bytes[4] == hyphen, bytes[7] == hyphen,
            bytes[10] == UInt8(ascii: " ") || bytes[10] == UInt8(ascii: "T"), bytes[13] == colon, bytes[16] == colon
        else { return nil }
        var rest = bytes[19...]
        var fraction = 0
        if rest.first == UInt8(ascii: ".") {
            let digits = rest.dropFirst().prefix(while: isDigit)
            guard (1...9).contains(digits.count) else { return nil }
            fraction = number((digits + [0x30, 0x30, 0x30]).prefix(3)) ?? 0
            rest = rest.dropFirst(1 + digits.count)
        }
        guard let zone = zoneMinutes(rest) else { return nil }
        let days = CivilDate.daysSinceEpoch(year: numbers[0], month: numbers[1], day: numbers[2])
        let seconds = ((days * 24 + numbers[3]) * 60 + numbers[4] - zone) * 60 + numbers[5]
        return seconds * 1000 + fraction
    }

    private static let hyphen = UInt8(ascii: "-")
    private static let colon = UInt8(ascii: ":")

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard digits.allSatisfy(isDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 & 15) }
    }

    /// Reads the time zone: empty, `Z`, or hours and minutes before or after UTC, with a colon or without.
    private static func zoneMinutes(_ zone: ArraySlice<UInt8>) -> Int? {
        if zone.isEmpty || zone.elementsEqual([UInt8(ascii: "Z")]) { return 0 }
        guard let sign = zone.first, sign == UInt8(ascii: "+") || sign == hyphen else { return nil }
        let digits = zone.dropFirst().filter { $0 != colon }
        guard digits.count == 4, let value = number(digits[...]), value % 100 < 60, value <= 1800 else { return nil }
        let minutes = value / 100 * 60 + value % 100
        return sign == hyphen ? -minutes : minutes
    }
}
