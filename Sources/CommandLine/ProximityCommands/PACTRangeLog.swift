import CommandProgram
import Herald
import Terminal

/// The log of the range and angle protocol that iPhones recorded for PACT: lines of time, kind and values without names
/// of columns.
///
/// `Range` sets the distance in feet, and each `Bluetooth` line has identifier, signal strength and name of a phone;
/// names of `None` are other devices. Source: mit-ll/BluetoothProximity, the logger.
enum PACTRangeLog {
    private static let metresInFoot = 0.3048

    /// True when `bytes` begin as such a log: a date, and one of its kinds.
    static func isLog(_ bytes: [UInt8]) -> Bool {
        var lines = CSVLines(Array(bytes.prefix(512)))
        guard let fields = lines.next(), fields.count >= 3, DistanceMeasurementFile.seconds(fields[0]) != nil else {
            return false
        }
        return ["Device", "Range", "Angle", "Bluetooth"].contains(DistanceMeasurementFile.text(fields[1]))
    }

    /// Parses the log into the readings of each phone, in the order of the phones' names.
    ///
    /// - Throws: `prox.measurement-malformed`.
    static func parse(
        _ bytes: [UInt8], name: String
    ) throws(CommandError) -> [(phone: String, readings: [DistanceReading])] {
        var lines = CSVLines(bytes)
        var metres: Double?
        var readings: [String: [DistanceReading]] = [:]
        while let fields = lines.next() {
            guard fields.count >= 3 else { continue }
            switch DistanceMeasurementFile.text(fields[1]) {
            case "Range":
                guard let feet = DistanceMeasurementFile.number(fields[2]), (0...3000).contains(feet) else {
                    throw DistanceMeasurementFile.malformed(name, line: lines.number, "has no range in feet")
                }
                metres = feet * metresInFoot
            case "Bluetooth":
                guard let metres else { continue }
                guard fields.count >= 5, let seconds = DistanceMeasurementFile.seconds(fields[0]),
                    let rssi = DistanceMeasurementFile.number(fields[3])
                else { throw DistanceMeasurementFile.malformed(name, line: lines.number, "is no reading") }
                let phone = DistanceMeasurementFile.text(fields[4])
                guard phone != "None", !phone.isEmpty else { continue }
                guard readings[phone] != nil || readings.count < DistanceMeasurementFile.maximumPhones else {
                    throw CommandError(
                        .measurementMalformed,
                        "\(name) names more than \(DistanceMeasurementFile.maximumPhones) phones.")
                }
                readings[phone, default: []].append(DistanceReading(seconds: seconds, rssi: rssi, metres: metres))
            default: break
            }
        }
        var phones: [(phone: String, readings: [DistanceReading])] = []
        for phone in readings.keys.sorted() {
            phones.append((phone, try DistanceMeasurementFile.fromFirst(readings[phone] ?? [], name: name)))
        }
        return phones
    }
}
