/// Numbers as people read them: always a point, never a locale.
public enum NumberText {
    /// Formats `value` with exactly `places` (0 to 6) digits after the point, rounded half away from zero.
    public static func decimal(_ value: Double, places: Int) -> String {
        guard value.isFinite, abs(value) < 1e12 else { return value.isNaN ? "?" : (value < 0 ? "-∞" : "∞") }
        let scale = (0..<min(max(places, 0), 6)).reduce(1.0) { scale, _ in scale * 10 }
        let scaled = Int64((abs(value) * scale).rounded())
        let sign = value < 0 && scaled != 0 ? "-" : ""
        let whole = scaled / Int64(scale)
        guard scale > 1 else { return "\(sign)\(whole)" }
        let fraction = String(scaled % Int64(scale))
        let zeros = String(repeating: "0", count: max(0, min(places, 6) - fraction.count))
        return "\(sign)\(whole).\(zeros)\(fraction)"
    }

    /// Formats bytes in decimal units with three figures: `812 B`, `60.4 kB`, `1.25 MB`.
    public static func bytes(_ count: Int) -> String { scaled(Double(max(0, count)), unit: "B") }

    /// Formats bytes a second in decimal units with three figures: `78.1 kB/s`.
    public static func rate(_ bytesPerSecond: Double) -> String { scaled(max(0, bytesPerSecond), unit: "B/s") }

    /// Formats a share of one as per cent: `52 %`; below ten per cent with one digit after the point.
    public static func percent(_ share: Double) -> String {
        let value = share * 100
        return "\(decimal(value, places: abs(value) < 9.95 && value != value.rounded() ? 1 : 0)) %"
    }

    /// Formats a measured duration: `3 ms`, `1.4 s`, `2 min 05 s`.
    public static func seconds(_ seconds: Double) -> String {
        switch seconds {
        case ..<0.9995: return "\(decimal(seconds * 1000, places: 0)) ms"
        case ..<99.95: return "\(decimal(seconds, places: seconds < 9.995 ? 2 : 1)) s"
        default:
            let whole = Int(min(seconds, 1e9).rounded())
            let pair = { (first: Int, unit: String, second: Int, smaller: String) in
                second == 0 ? "\(first) \(unit)" : "\(first) \(unit) \(second < 10 ? "0" : "")\(second) \(smaller)"
            }
            if whole < 3600 { return pair(whole / 60, "min", whole % 60, "s") }
            if whole < 172_800 { return pair(whole / 3600, "h", whole % 3600 / 60, "min") }
            return pair(whole / 86_400, "d", whole % 86_400 / 3600, "h")
        }
    }

    /// Formats the time left as minutes and seconds: `0:07`, `12:30`; `--:--` when it is unknown.
    public static func clock(_ seconds: Double?) -> String {
        guard let seconds, seconds.isFinite, seconds < 3_600_000 else { return "--:--" }
        let whole = Int(max(0, seconds).rounded(.up))
        return "\(whole / 60):\(whole % 60 < 10 ? "0" : "")\(whole % 60)"
    }

    /// Formats a whole number with thin spaces between groups of three digits: `12 480`.
    public static func count(_ value: Int) -> String {
        var text = ""
        for (index, digit) in String(value.magnitude).reversed().enumerated() {
            if index > 0, index % 3 == 0 { text.append(" ") }
            text.append(digit)
        }
        return (value < 0 ? "-" : "") + String(text.reversed())
    }

    private static func scaled(_ value: Double, unit: String) -> String {
        let prefixes = ["", "k", "M", "G", "T"]
        var scaled = value
        var step = 0
        while scaled >= 999.5, step < prefixes.count - 1 {
            scaled /= 1000
            step += 1
        }
        let places = step == 0 || scaled >= 99.95 ? 0 : scaled >= 9.995 ? 1 : 2
        return "\(decimal(scaled, places: places)) \(prefixes[step])\(unit)"
    }
}
