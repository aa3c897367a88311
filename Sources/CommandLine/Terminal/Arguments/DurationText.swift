extension Duration {
    /// Reads `500ms`, `90s`, `2m`, `1.5h` or a bare number of seconds; nil for another text.
    ///
    /// A sign, a space and more than 15 characters are refused; so is anything above ten years.
    public init?(spelled text: String) {
        let units: [(suffix: String, milliseconds: Double)] = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000)]
        let unit = units.first { text.hasSuffix($0.suffix) }
        let digits = unit.map { String(text.dropLast($0.suffix.count)) } ?? text
        guard let number = plainDecimal(digits) else { return nil }
        let milliseconds = number * (unit?.milliseconds ?? 1000)
        guard milliseconds <= 315_576_000_000 else { return nil }
        self = .milliseconds(Int64(milliseconds.rounded()))
    }

    /// The shortest text that `init(spelled:)` reads as this duration, to the millisecond.
    public var spelled: String {
        let (seconds, attoseconds) = components
        let milliseconds = attoseconds / 1_000_000_000_000_000
        if milliseconds != 0 { return "\(seconds * 1000 + milliseconds)ms" }
        if seconds != 0, seconds % 3600 == 0 { return "\(seconds / 3600)h" }
        if seconds != 0, seconds % 60 == 0 { return "\(seconds / 60)m" }
        return "\(seconds)s"
    }
}
