import ByteCoding
public import Determinism

/// Writes events as lines of the deployed libraries' contact log, which their analysis tools read.
///
/// Each line has eleven fields; the number of an event stands in the event's own column. Times have the resolution of a
/// second, in UTC. Source: herald-for-ios and herald-for-android 2.2, contact log.
public enum ContactLog {
    /// One entry of the contact log.
    public enum ContactLogEntry: Hashable, Sendable {
        /// A device was detected.
        case detect(id: String)
        /// The payload of a device was read.
        case read(id: String, payload: [UInt8])
        /// The signal strength of a device was measured, in dBm, with its transmit power if advertised.
        case measure(id: String, rssi: Int, transmitPower: Int?)
        /// A device shared a payload.
        case share(id: String, payload: [UInt8])
        /// This device stayed at a place.
        case visit(place: String)
        /// A device was found to speak Herald.
        case detectHerald(id: String)
        /// A device record was removed after long silence.
        case delete(id: String)
    }

    /// The first line of a contact log, with the names of the columns.
    public static let header = "time,sensor,id,detect,read,measure,share,visit,detectHerald,delete,data"

    /// One line of the contact log, without its end.
    public static func line(_ entry: ContactLogEntry, at time: WallTime, sensor: String = "BLE") -> String {
        let start = "\(timestamp(time)),\(field(sensor)),"
        switch entry {
        case .detect(let id): return start + field(id) + ",1,,,,,,,"
        case .read(let id, let payload): return start + field(id) + ",,2,,,,,," + field(shortName(of: payload))
        case .measure(let id, let rssi, let power):
            return start + field(id) + ",,,3,,,,," + field(proximity(rssi, transmitPower: power))
        case .share(let id, let payload): return start + field(id) + ",,,,4,,,," + field(shortName(of: payload))
        case .visit(let place): return start + ",,,,,5,,," + field(place)
        case .detectHerald(let id): return start + field(id) + ",,,,,,6,,"
        case .delete(let id): return start + field(id) + ",,,,,,,7,"
        }
    }

    /// Returns a reading in the libraries' form: `RSSI:-57.0`, with `[BLETransmitPower:12.0]` if known.
    public static func proximity(_ rssi: Int, transmitPower: Int?) -> String {
        "RSSI:\(rssi).0" + (transmitPower.map { "[BLETransmitPower:\($0).0]" } ?? "")
    }

    /// Returns the libraries' short name of a payload: six base64 characters of the part after three bytes.
    public static func shortName(of payload: [UInt8]) -> String {
        guard payload.count > 3 else { return Base64.encode(payload).start(scalars: 6) }
        return Base64.encode(Array(payload[3...])).start(scalars: 6)
    }

    /// Returns date and time to the second in UTC: `2026-01-01 00:00:00`.
    public static func timestamp(_ time: WallTime) -> String {
        let time = CivilDateTime(time)
        return "\(time.date.text) \(time.clockText)"
    }

    /// Returns a text as a field of a log line, quoted if needed.
    public static func field(_ text: String) -> String { CSVField.quotedIfNeeded(text) }
}
