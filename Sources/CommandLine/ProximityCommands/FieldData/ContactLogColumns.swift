import CommandProgram
import Terminal

/// The columns of a `contacts.csv` by the names in its first line, and its lines.
struct ContactLogColumns: Hashable, Sendable {
    /// The content of one line of `contacts.csv`.
    enum Content: Hashable, Sendable {
        /// The payload of a device was read: the first six characters of its short name.
        case read(id: String, payload: String)
        /// A reading of a device's signal strength, in dBm.
        case measure(id: String, rssi: Int)
        /// A device reported the payload of another.
        case share(payload: String)
        /// A detection, a visit, or another event without a figure.
        case other
    }

    /// The number of characters of a payload's short name that tell devices apart, as in the libraries' own analysis.
    static let shortNameLength = 6
    /// The longest identifier of a device, in bytes.
    static let maximumIdentifier = 100

    private let time: Int
    private let id: Int
    private let read: Int
    private let measure: Int
    private let share: Int?
    private let data: Int

    /// Reads the header line; nil when it does not name the columns time, id, read, measure and data.
    init?(header: [ArraySlice<UInt8>]) {
        let names = header.map { DistanceMeasurementFile.text($0).lowercased() }
        guard let time = names.firstIndex(of: "time"), let id = names.firstIndex(of: "id"),
            let read = names.firstIndex(of: "read"), let measure = names.firstIndex(of: "measure"),
            let data = names.firstIndex(of: "data")
        else { return nil }
        self.time = time
        self.id = id
        self.read = read
        self.measure = measure
        self.data = data
        share = names.firstIndex(of: "share")
    }

    /// Reads the time of a line in milliseconds since 1970.
    func milliseconds(_ fields: [ArraySlice<UInt8>]) -> Int? {
        time < fields.count ? FieldLogTime.milliseconds(fields[time]) : nil
    }

    /// Reads the fields of a line; fails with the reason for which the line is ignored.
    func line(_ fields: [ArraySlice<UInt8>]) -> Result<Content, FieldLogFault> {
        guard fields.count > max(time, id, read, measure, share ?? 0) else { return .failure(.tooFewFields) }
        let text = data < fields.count ? fields[data] : []
        if Self.isDigit(fields[measure], "3") {
            guard let rssi = Self.rssi(text) else { return .failure(.noReading) }
            return Self.name(fields[id]).map { .success(.measure(id: $0, rssi: rssi)) } ?? .failure(.noIdentifier)
        }
        if Self.isDigit(fields[read], "2") {
            guard let payload = Self.payload(text) else { return .failure(.noPayload) }
            return Self.name(fields[id]).map { .success(.read(id: $0, payload: payload)) } ?? .failure(.noIdentifier)
        }
        if let share, Self.isDigit(fields[share], "4") {
            // Early libraries wrote a line for a share without a payload too.
            if text.elementsEqual("[]".utf8) { return .success(.other) }
            return Self.payload(text).map { .success(.share(payload: $0)) } ?? .failure(.noPayload)
        }
        return .success(.other)
    }

    /// Returns the first characters of a payload's short name, without the brackets of early libraries; nil if empty.
    static func payload(_ field: ArraySlice<UInt8>) -> String? {
        let isInBrackets = field.first == UInt8(ascii: "[") && field.last == UInt8(ascii: "]")
        let name = isInBrackets ? field.dropFirst().dropLast() : field
        let text = DistanceMeasurementFile.text(name.prefix(shortNameLength))
        return text.isEmpty ? nil : text
    }

    private static func isDigit(_ field: ArraySlice<UInt8>, _ digit: Unicode.Scalar) -> Bool {
        field.count == 1 && field.first == UInt8(ascii: digit)
    }

    private static func name(_ field: ArraySlice<UInt8>) -> String? {
        (1...maximumIdentifier).contains(field.count) ? DistanceMeasurementFile.text(field) : nil
    }

    /// Parses `RSSI:-57.0`, with or without the transmit power in brackets; nil for a value that no radio reports.
    private static func rssi(_ field: ArraySlice<UInt8>) -> Int? {
        guard field.starts(with: "RSSI:".utf8) else { return nil }
        let number = field.dropFirst(5).prefix { $0 != UInt8(ascii: "[") }
        guard (1...10).contains(number.count),
            number.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x2E }),
            let value = Double(DistanceMeasurementFile.text(number)), (-120...20).contains(value)
        else { return nil }
        return Int(value.rounded())
    }
}

/// The reason why a line of a `contacts.csv` is ignored; the raw value ends a sentence about lines.
enum FieldLogFault: String, Error, Hashable, Sendable {
    case tooFewFields = "ignored: fewer fields than the first line names"
    case noReading = "ignored: no reading of -120 to 20 dBm"
    case noIdentifier = "ignored: no identifier of a device"
    case noPayload = "ignored: no payload"
    case noTime = "ignored: no time of the form 2022-11-29 22:21:56, with or without a fraction and a zone"
    case tooEarly = "ignored: earlier than 2010, so the clock was not set"
    case future = "ignored: more than a day in the future"
    case zeroByte = "ignored: a zero byte"
}
