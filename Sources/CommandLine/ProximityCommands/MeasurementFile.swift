import CommandProgram
import Compression
import Herald
import Terminal

/// A file of readings at known distances: CSV with the columns time, rssi and distance, plain or zipped, also in
/// several members.
///
/// The form in which the Herald project publishes its measurements: `time` as `YYYY-MM-DD HH:MM:SS` with or without a
/// fraction, or as seconds since any beginning, one of the two in a file; `rssi` in dBm, `distance` in centimetres; a
/// first line names the columns, in any order and among others. Lines may come in any order too.
enum MeasurementFile {
    /// The longest file, unzipped with all its members, in bytes.
    static let maximumBytes = 64 << 20
    private static let maximumRatio = 1000
    /// The longest measurement, about three years.
    private static let maximumSeconds = 1e8
    private static let numerals = Set("0123456789+-.eE".utf8)
    private static let columns = ["time", "rssi", "distance"]

    /// The readings of the file at `path`, in order.
    ///
    /// - Throws: the codes of `BoundedFile.read`, and `prox.measurement-malformed`.
    static func read(_ path: String) throws(CommandError) -> [DistanceReading] {
        try parse(text(at: path), name: TerminalText.sanitised(path))
    }

    /// The bytes of a file, unzipped if they are zipped.
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

    /// The readings in `bytes`; `name` is for errors.
    static func parse(_ bytes: [UInt8], name: String) throws(CommandError) -> [DistanceReading] {
        var lines = CSVLines(bytes)
        guard let header = lines.next() else { throw CommandError(.measurementMalformed, "\(name) is empty.") }
        let names = header.map { text($0).lowercased() }
        let indices = columns.compactMap { names.firstIndex(of: $0) }
        guard indices.count == columns.count else {
            throw CommandError(
                .measurementMalformed,
                "\(name) is not a file of readings: its first line does not name the columns time, rssi and distance.")
        }
        var readings: [DistanceReading] = []
        var isDated: Bool?
        while let fields = lines.next() {
            let field = indices[0] < fields.count ? fields[indices[0]] : []
            let date = seconds(field)
            guard let time = date ?? number(field), isDated ?? (date != nil) == (date != nil) else {
                throw malformed(
                    name, line: lines.number,
                    isDated == nil
                        ? "has no time: a date such as 2021-03-06 18:03:00.5, or seconds such as 12.5"
                        : "has \(isDated == true ? "seconds, and the lines before dates" : "no seconds, as the lines before")"
                )
            }
            isDated = date != nil
            guard let widest = indices.max(), widest < fields.count,
                let rssi = number(fields[indices[1]]),
                let centimetres = number(fields[indices[2]]), (0...100_000).contains(centimetres)
            else { throw malformed(name, line: lines.number, "is not a reading: time, dBm, centimetres") }
            readings.append(DistanceReading(seconds: time, rssi: rssi, metres: centimetres / 100))
        }
        return try fromFirst(readings, name: name)
    }

    /// The readings in the order of their times, which count from the first of them.
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
    /// The number of the last line, from 1.
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
