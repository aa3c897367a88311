import CommandProgram
import Herald
import Terminal

/// The names that a file of readings gives to its columns, and the units of its numbers.
///
/// As text: `time=NAME:UNIT,rssi=NAME,distance=NAME:UNIT,phone=NAME` in any order. Units of time are s, ms, us and ns,
/// and not needed for dates; units of distance are m, cm, mm and ft. Without a unit times are seconds and distances
/// centimetres.
struct DistanceMeasurementColumns: Hashable, Sendable {
    /// A column with the factor that brings its numbers to seconds or metres.
    struct Column: Hashable, Sendable {
        var name: String
        var factor: Double
    }

    /// The column of the times; nil where each line counts as one second.
    var time: Column?
    var rssi = "rssi"
    /// The column of the true distances; nil where one distance is given for all lines.
    var distance: Column?
    /// The column that names the phone of each line.
    var phone: String?

    /// The columns of the measurements that the Herald project publishes.
    static let published = DistanceMeasurementColumns(
        time: Column(name: "time", factor: 1), distance: Column(name: "distance", factor: 0.01))

    private static let seconds: [String: Double] = ["s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9]
    private static let metres: [String: Double] = ["m": 1, "cm": 0.01, "mm": 0.001, "ft": 0.3048]

    static let kind = ValueKind<DistanceMeasurementColumns>("COLUMNS") { (text) throws(InvalidValue) in
        var columns = DistanceMeasurementColumns(time: nil, distance: nil)
        var roles: Set<String> = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
            guard pair.count == 2, !pair[1].isEmpty, roles.insert(pair[0]).inserted else { throw wrong }
            switch pair[0] {
            case "time": columns.time = try column(pair[1], seconds, unit: 1)
            case "distance": columns.distance = try column(pair[1], metres, unit: 0.01)
            case "rssi": columns.rssi = pair[1]
            case "phone": columns.phone = pair[1]
            default: throw wrong
            }
        }
        guard roles.contains("rssi") else { throw wrong }
        return columns
    }

    private static var wrong: InvalidValue {
        InvalidValue(
            "does not name columns",
            advice:
                "Write rssi=NAME with time=NAME:UNIT (s, ms, us, ns), distance=NAME:UNIT (cm, m, mm, ft) and phone=NAME "
                + "as far as the file has them, with commas between")
    }

    private static func column(
        _ text: String, _ units: [String: Double], unit: Double
    ) throws(InvalidValue) -> Column {
        guard let colon = text.lastIndex(of: ":") else { return Column(name: text, factor: unit) }
        guard let factor = units[String(text[text.index(after: colon)...])], colon > text.startIndex else {
            throw wrong
        }
        return Column(name: String(text[..<colon]), factor: factor)
    }
}
