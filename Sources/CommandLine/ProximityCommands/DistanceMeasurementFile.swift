import CommandProgram
import Compression
import Determinism
import Herald
import Terminal

/// A file of readings at known distances: CSV with the columns time, rssi and distance, plain or zipped, also in
/// several members.
///
/// The form in which the Herald project publishes its measurements: `time` as `YYYY-MM-DD HH:MM:SS` with or without a
/// fraction, or as seconds since any beginning, one of the two in a file; `rssi` in dBm, `distance` in centimetres; a
/// first line names the columns, in any order and among others. Lines may come in any order too.
/// `DistanceMeasurementColumns` says which other names and units a file has.
enum DistanceMeasurementFile {
    /// The most bytes of a file of measurements, unzipped with all its members.
    static let maximumBytes = 64 << 20
    private static let maximumRatio = 1000
    /// The longest measurement in seconds, about three years.
    private static let maximumSeconds = 1e8
    private static let numerals = Set("0123456789+-.eE".utf8)
    /// The most phones of one file.
    static let maximumPhones = 1000
    /// The seconds between the readings of two distances in a file without times: they are never in one window.
    private static let pause = 61.0

    /// Reads the file at `path` by phone; nil as the phone where the file does not tell phones apart.
    ///
    /// - Parameter metres: how far apart the phones were where the file has no distances.
    /// - Throws: the codes of `BoundedFile.read`, and `prox.measurement-malformed`.
    static func read(
        _ path: String, _ columns: DistanceMeasurementColumns = .published, metres: Double? = nil
    ) throws(CommandError) -> [(phone: String?, readings: [DistanceReading])] {
        let (bytes, name) = (try text(at: path), TerminalText.sanitised(path))
        guard !bytes.starts(with: "SQLite format 3\0".utf8) else {
            throw CommandError(
                .measurementMalformed,
                "\(name) is a database of SQLite; export its table of readings, as with sqlite3 -csv -header.")
        }
        guard !PACTRangeLog.isLog(bytes) else {
            return try PACTRangeLog.parse(bytes, name: name).map { ($0.phone, $0.readings) }
        }
        return try parse(bytes, columns, metres: metres, name: name)
    }

    /// Reads the bytes of a file of measurements, and unzips them if they are zipped.
    ///
    /// - Throws: the codes of `BoundedFile.read`, and `prox.measurement-malformed`.
    static func text(at path: String) throws(CommandError) -> [UInt8] {
        let bytes = try BoundedFile.read(path, limit: maximumBytes)
        guard bytes.starts(with: [0x1F, 0x8B]) else { return bytes }
        let limits = Gzip.Limits(maximumBytes: maximumBytes, maximumRatio: maximumRatio)
        do throws(CompressionError) {
            return try Gzip.decompressMembers(of: bytes, limits: limits)
        } catch {
            let isTooLarge = error.code == .tooLarge || error.code == .ratio
            throw CommandError(
                isTooLarge ? .inputTooLarge : .measurementMalformed,
                "\(TerminalText.sanitised(path)) cannot be unzipped: \(error.reason).")
        }
    }

    /// Parses a file of one phone into readings; `name` is for errors.
    static func parse(_ bytes: [UInt8], name: String) throws(CommandError) -> [DistanceReading] {
        try parse(bytes, .published, metres: nil, name: name).first?.readings ?? []
    }

    /// Parses a file into readings by phone, in the order of the phones' first lines.
    private static func parse(
        _ bytes: [UInt8], _ columns: DistanceMeasurementColumns, metres: Double?, name: String
    ) throws(CommandError) -> [(phone: String?, readings: [DistanceReading])] {
        var lines = CSVLines(bytes)
        guard let header = lines.next() else { throw CommandError(.measurementMalformed, "\(name) is empty.") }
        let names = header.map { text($0).lowercased() }
        func index(_ column: String?) throws(CommandError) -> Int? {
            guard let column else { return nil }
            if let index = names.firstIndex(of: column.lowercased()) { return index }
            let wanted = [columns.time?.name, columns.rssi, columns.distance?.name, columns.phone].compactMap(\.self)
            let shown = names.prefix(12).map { TerminalText.sanitised($0, limit: 30) }.joined(separator: ", ")
            throw CommandError(
                .measurementMalformed,
                "\(name) is not a file of readings: its first line does not name the columns \(wanted.joined(separator: ", ")), "
                    + "but \(shown); --columns names others.")
        }
        let distance = metres == nil ? columns.distance : nil
        let (time, rssi) = (try index(columns.time?.name), try index(columns.rssi) ?? 0)
        let (distanceIndex, phone) = (try index(distance?.name), try index(columns.phone))
        guard distanceIndex != nil || metres != nil else {
            throw CommandError(
                .measurementMalformed, "No column of \(name) has distances; name one in --columns, or give --metres D.")
        }
        var phones = ReadingsByPhone()
        var times = TimeReader(column: columns.time, index: time)
        while let fields = lines.next() {
            let seconds = try times.seconds(fields, name: name, line: lines.number)
            guard rssi < fields.count, let level = number(fields[rssi]) else {
                // Sniffers leave the strength of some packets out.
                if columns != .published, rssi < fields.count, fields[rssi].isEmpty { continue }
                throw malformed(name, line: lines.number, "is not a reading: time, dBm, centimetres")
            }
            var far = metres
            if let distanceIndex, let factor = distance?.factor {
                guard distanceIndex < fields.count, let value = number(fields[distanceIndex]),
                    (0...1000).contains(value * factor)
                else { throw malformed(name, line: lines.number, "is not a reading: time, dBm, centimetres") }
                far = factor == 0.01 ? value / 100 : value * factor
            }
            let label = phone.map { $0 < fields.count ? text(fields[$0]) : "" }
            guard let far, label != "" else { continue }
            guard phones.add(label, at: seconds, rssi: level, metres: far) else {
                throw CommandError(.measurementMalformed, "\(name) names more than \(maximumPhones) phones.")
            }
        }
        var ordered: [(phone: String?, readings: [DistanceReading])] = []
        for (phone, readings) in phones.all { ordered.append((phone, try fromFirst(readings, name: name))) }
        return ordered
    }

    /// Readings by phone, in the order of the phones' first lines.
    private struct ReadingsByPhone {
        private(set) var all: [(phone: String?, readings: [DistanceReading])] = []
        private var places: [String: Int] = [:]

        /// Adds a reading; false for one phone too many.
        ///
        /// - Parameter seconds: its time; nil counts as a second after the reading before.
        mutating func add(_ phone: String?, at seconds: Double?, rssi: Double, metres: Double) -> Bool {
            let place = places[phone ?? ""] ?? all.count
            if place == all.count {
                guard all.count < maximumPhones else { return false }
                places[phone ?? ""] = place
                all.append((phone, []))
            }
            let last = all[place].readings.last
            let next = last.map { $0.seconds + ($0.metres == metres ? 1 : pause) } ?? 0
            all[place].readings.append(DistanceReading(seconds: seconds ?? next, rssi: rssi, metres: metres))
            return true
        }
    }

    /// Reads the times of lines, which are dates or numbers, not both in one file.
    private struct TimeReader {
        let column: DistanceMeasurementColumns.Column?
        let index: Int?
        private var isDated: Bool?

        init(column: DistanceMeasurementColumns.Column?, index: Int?) {
            self.column = column
            self.index = index
        }

        /// Reads the time of a line in seconds; nil in a file without times.
        mutating func seconds(
            _ fields: [ArraySlice<UInt8>], name: String, line: Int
        ) throws(CommandError) -> Double? {
            guard let column, let index else { return nil }
            let field = index < fields.count ? fields[index] : []
            let date = DistanceMeasurementFile.seconds(field)
            guard let time = date ?? DistanceMeasurementFile.number(field).map({ $0 * column.factor }),
                isDated ?? (date != nil) == (date != nil)
            else {
                throw malformed(
                    name, line: line,
                    isDated == nil
                        ? "has no time: a date such as 2021-03-06 18:03:00.5, or seconds such as 12.5"
                        : "has \(isDated == true ? "seconds, and the lines before dates" : "no seconds, as the lines before")"
                )
            }
            isDated = date != nil
            return time
        }
    }

    /// Sorts readings by time, and counts their times from the first of them.
    static func fromFirst(
        _ readings: [DistanceReading], name: String
    ) throws(CommandError) -> [DistanceReading] {
        let isInOrder = zip(readings, readings.dropFirst()).allSatisfy { $0.seconds <= $1.seconds }
        var readings = isInOrder ? readings : readings.sorted { $0.seconds < $1.seconds }
        guard let first = readings.first?.seconds, let last = readings.last?.seconds else { return [] }
        guard last - first < maximumSeconds else {
            throw CommandError(.measurementMalformed, "The readings of \(name) lie more than three years apart.")
        }
        for index in readings.indices { readings[index].seconds -= first }
        return readings
    }

    /// Parses `YYYY-MM-DD HH:MM:SS[.fraction]` to seconds since the year 0; a `T` may stand for the blank.
    static func seconds(_ field: ArraySlice<UInt8>) -> Double? {
        let parts = field.split { !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0) && $0 != UInt8(ascii: ".") }
        guard parts.count == 6, field.count <= 40 else { return nil }
        let numbers = parts.compactMap(number)
        guard numbers.count == 6, (0...9999).contains(numbers[0]), (1...12).contains(numbers[1]),
            (1...31).contains(numbers[2]), (0..<24).contains(numbers[3]), (0..<60).contains(numbers[4]),
            (0..<61).contains(numbers[5])
        else { return nil }
        let date = CivilDate.daysSinceEpoch(year: Int(numbers[0]), month: Int(numbers[1]), day: Int(numbers[2]))
        let days = Double(date - CivilDate.daysSinceEpoch(year: 0, month: 2, day: 29))
        return ((days * 24 + numbers[3]) * 60 + numbers[4]) * 60 + numbers[5]
    }

    /// Parses a finite decimal number; the standard library alone would stop at a zero byte and take "inf".
    static func number(_ field: ArraySlice<UInt8>) -> Double? {
        guard field.count <= 32, field.allSatisfy({ numerals.contains($0) }) else { return nil }
        return Double(text(field)).flatMap { $0.isFinite ? $0 : nil }
    }

    static func text(_ field: ArraySlice<UInt8>) -> String { String(decoding: field, as: UTF8.self) }

    static func malformed(_ name: String, line: Int, _ complaint: String) -> CommandError {
        CommandError(.measurementMalformed, "Line \(line) of \(name) \(complaint).")
    }
}

/// The lines of a CSV file, as fields without blanks around them; empty lines are ignored.
///
/// A field may stand in quotes, as tables and statistics programs write them: a comma is part of it then, and two
/// quotes are one. The end of the line ends it in any case. A byte-order mark before the first line is ignored.
struct CSVLines {
    /// The most fields of a line; further ones are ignored.
    static let maximumFields = 64
    private let bytes: [UInt8]
    private var position = 0
    /// The number of the last line that was read, from 1.
    private(set) var number = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    mutating func next() -> [ArraySlice<UInt8>]? {
        while position < bytes.count {
            let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            let line = Self.trimmed(bytes[position..<end])
            position = end + 1
            number += 1
            guard !line.isEmpty else { continue }
            return Self.fields(of: line)
        }
        return nil
    }

    private static func fields(of line: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var fields: [ArraySlice<UInt8>] = []
        var start = line.startIndex
        var isQuoted = false
        for index in line.indices {
            if line[index] == quote { isQuoted.toggle() }
            guard line[index] == UInt8(ascii: ","), !isQuoted else { continue }
            fields.append(unquoted(trimmed(line[start..<index])))
            start = index + 1
            guard fields.count < maximumFields else { return fields }
        }
        return fields + [unquoted(trimmed(line[start...]))]
    }

    private static let quote = UInt8(ascii: "\"")

    private static func unquoted(_ field: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard field.count >= 2, field.first == quote, field.last == quote else { return field }
        let inner = field.dropFirst().dropLast()
        guard inner.contains(quote) else { return trimmed(inner) }
        var text: [UInt8] = []
        var isFirstOfTwo = false
        for byte in inner {
            isFirstOfTwo = byte == quote && !isFirstOfTwo
            if !isFirstOfTwo { text.append(byte) }
        }
        return trimmed(text[...])
    }

    private static func trimmed(_ field: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0D }
        guard let first = field.firstIndex(where: { !isBlank($0) }), let last = field.lastIndex(where: { !isBlank($0) })
        else { return [] }
        return field[first...last]
    }
}
