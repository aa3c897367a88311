import CommandProgram
import Terminal

/// The battery's level as a phone logged it: `battery.csv`, with the columns time, source (`battery` or `external`) and
/// level (per cent), named in the first line or not.
///
/// Source: herald-for-android and herald-for-ios 1.0 to 2.2, battery log.
struct BatteryLog: Sendable {
    /// The loss of a phone's battery while nothing charged it.
    struct BatteryLoss: Hashable, Sendable {
        /// The per cent of the battery's charge that was lost.
        var lost: Double
        /// The hours for which the phone ran on its battery.
        var hours: Double

        /// The per cent of the charge that the phone lost in an hour.
        var perHour: Double { lost / hours }
    }

    private struct LevelReading: Sendable {
        let at: Int
        let isExternal: Bool
        let level: Double
    }

    /// The largest `battery.csv`, in bytes.
    private static let maximumBytes = 64 << 20
    /// The shortest time on the battery that says how fast it drains.
    private static let minimumHours = 0.5

    private var levels: [LevelReading] = []

    /// Makes the log of a phone that logged no battery level.
    init() {}

    /// Reads the `battery.csv` at `path`; lines that do not follow the format are remarked on and ignored.
    ///
    /// - Throws: the codes of `BoundedFile.read`.
    init(_ path: String, remarks: inout FieldLogRemarks) throws(CommandError) {
        var lines = CSVLines(try BoundedFile.read(path, limit: Self.maximumBytes))
        while let fields = lines.next() {
            guard fields.count >= 3, let at = FieldLogTime.milliseconds(fields[0]),
                let level = DistanceMeasurementFile.number(fields[2]), (0...100.5).contains(level)
            else {
                let isHeader = lines.number == 1 && fields.first?.elementsEqual("time".utf8) == true
                if !isHeader {
                    remarks.note(
                        "ignored: not time, source and level", line: lines.number, of: TerminalText.sanitised(path))
                }
                continue
            }
            levels.append(LevelReading(at: at, isExternal: !fields[1].elementsEqual("battery".utf8), level: level))
        }
        levels.sort { $0.at < $1.at }
    }

    /// True when the log has a battery level in a period.
    func isKnown(in period: ClosedRange<Int>) -> Bool { levels.contains { period.contains($0.at) } }

    /// The loss of the battery in a period, in milliseconds since 1970; nil where the phone was on the battery for less
    /// than half an hour.
    func drain(in period: ClosedRange<Int>) -> BatteryLoss? {
        var drain = BatteryLoss(lost: 0, hours: 0)
        let known = levels.filter { period.contains($0.at) }
        for (before, after) in zip(known, known.dropFirst()) where !before.isExternal && !after.isExternal {
            drain.lost += before.level - after.level
            drain.hours += Double(after.at - before.at) / 3_600_000
        }
        return drain.hours < Self.minimumHours ? nil : drain
    }
}
