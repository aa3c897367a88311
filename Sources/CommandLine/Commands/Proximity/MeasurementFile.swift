import Compression
import Herald
import Terminal

/// A file of readings at known distances: CSV with the columns time, rssi and distance, plain or zipped.
///
/// The form in which the Herald project publishes its measurements: `time` as `YYYY-MM-DD HH:MM:SS` with or without a
/// fraction, `rssi` in dBm, `distance` in centimetres; a first line names the columns, in any order.
enum MeasurementFile {
    /// The longest file, unzipped, in bytes.
    static let maximumBytes = 64 << 20
    private static let maximumRatio = 1000
    private static let numerals = Set("0123456789+-.eE".utf8)
    private static let columns = ["time", "rssi", "distance"]

    /// The readings of the file at `path`, in order.
    ///
    /// - Throws: the codes of `BoundedFile.read`, of unzipping, and `prox.measurement-malformed`.
    static func read(_ path: String) throws -> [DistanceReading] {
        try parse(text(at: path), name: TerminalText.sanitised(path))
    }

    /// The bytes of a file, unzipped if they are zipped.
    static func text(at path: String) throws -> [UInt8] {
        let bytes = try BoundedFile.read(path, limit: maximumBytes)
        guard bytes.starts(with: [0x1F, 0x8B]) else { return bytes }
        return try Gzip.decompress(
            bytes, limits: Gzip.Limits(maximumBytes: maximumBytes, maximumRatio: maximumRatio))
    }

    /// The readings in `bytes`; `name` is for errors.
    static func parse(_ bytes: [UInt8], name: String) throws(CommandError) -> [DistanceReading] {
        var lines = CSVLines(bytes)
        guard let header = lines.next() else { throw CommandError(.measurementMalformed, "\(name) is empty.") }
        let names = header.map { text($0).lowercased() }
        let places = columns.compactMap { names.firstIndex(of: $0) }
        guard places.count == columns.count else {
            throw CommandError(
                .measurementMalformed,
                "\(name) is no file of readings: its first line does not name the columns time, rssi and distance.")
        }
        var readings: [DistanceReading] = []
        var first: Double?
        while let fields = lines.next() {
            guard let widest = places.max(), widest < fields.count, let time = seconds(fields[places[0]]),
                let rssi = number(fields[places[1]]),
                let centimetres = number(fields[places[2]]), (0...100_000).contains(centimetres)
            else { throw malformed(name, line: lines.number, "is no reading: time, dBm, centimetres") }
            let start = first ?? time
            first = start
            guard time >= start, time - start < 1e8, readings.last.map({ $0.seconds <= time - start }) ?? true else {
                throw malformed(name, line: lines.number, "is earlier than the line before")
            }
            readings.append(DistanceReading(seconds: time - start, rssi: rssi, metres: centimetres / 100))
        }
        return readings
    }

    /// Seconds since the year 0 of `YYYY-MM-DD HH:MM:SS[.fraction]`; a `T` may stand for the blank.
    static func seconds(_ field: ArraySlice<UInt8>) -> Double? {
        let parts = field.split { !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0) && $0 != UInt8(ascii: ".") }
        guard parts.count == 6, field.count <= 40 else { return nil }
        let numbers = parts.compactMap(number)
        guard numbers.count == 6, (0...9999).contains(numbers[0]), (1...12).contains(numbers[1]),
            (1...31).contains(numbers[2]), (0..<24).contains(numbers[3]), (0..<60).contains(numbers[4]),
            (0..<61).contains(numbers[5])
        else { return nil }
        let days = Double(daysSinceYearZero(Int(numbers[0]), Int(numbers[1]), Int(numbers[2])))
        return ((days * 24 + numbers[3]) * 60 + numbers[4]) * 60 + numbers[5]
    }

    /// Days of the Gregorian calendar; a year begins with March so that the leap day comes last.
    private static func daysSinceYearZero(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let years = month > 2 ? year : year - 1
        let months = (month + 9) % 12
        return years * 365 + years / 4 - years / 100 + years / 400 + (months * 153 + 2) / 5 + day
    }

    /// A finite decimal number; the standard library alone would stop at a zero byte and take "inf".
    private static func number(_ field: ArraySlice<UInt8>) -> Double? {
        guard field.count <= 32, field.allSatisfy({ numerals.contains($0) }) else { return nil }
        return Double(text(field)).flatMap { $0.isFinite ? $0 : nil }
    }

    static func text(_ field: ArraySlice<UInt8>) -> String { String(decoding: field, as: UTF8.self) }

    static func malformed(_ name: String, line: Int, _ complaint: String) -> CommandError {
        CommandError(.measurementMalformed, "Line \(line) of \(name) \(complaint).")
    }
}

/// The lines of a CSV file without quotes, as fields without blanks around them; empty lines are passed over.
struct CSVLines {
    private let bytes: [UInt8]
    private var place = 0
    /// The number of the last line, from 1.
    private(set) var number = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func next() -> [ArraySlice<UInt8>]? {
        while place < bytes.count {
            let end = bytes[place...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            let line = Self.trimmed(bytes[place..<end])
            place = end + 1
            number += 1
            guard !line.isEmpty else { continue }
            return line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map(Self.trimmed)
        }
        return nil
    }

    private static func trimmed(_ field: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0D }
        guard let first = field.firstIndex(where: { !isBlank($0) }), let last = field.lastIndex(where: { !isBlank($0) })
        else { return [] }
        return field[first...last]
    }
}
