import Herald
import JSON

/// The known members of one line of a log.
///
/// Nearly all lines are plain, as `ProximityLogWriter` writes them: no blanks, no escapes, ASCII alone, and nothing but
/// known members, each once. Those are read without values of `JSON`, with which a report of millions of lines takes
/// twice as long; the module decides about all others.
struct ProximityLogFields: Hashable, Sendable {
    /// The names of the members of a log line.
    enum LogMemberName: String, CaseIterable, Sendable {
        case at, device, kind, peer, rssi, power, via, payload, centimetres, low, high, readings, since, until, text
    }

    private(set) var at: Int?
    /// The identifier of the device; nil also when the member is no valid identifier.
    private(set) var device: String?
    private(set) var peer: String?
    /// True when the line has a `peer` that is no valid device identifier.
    private(set) var hasWrongPeer = false
    private(set) var kind: ProximityRecord.Kind?
    private(set) var via: ObservationSource?
    private(set) var payload: String?
    private(set) var text: String?
    private(set) var rssi: Int?
    private(set) var power: Int?
    private(set) var centimetres: Int?
    private(set) var low: Int?
    private(set) var high: Int?
    private(set) var readings: Int?
    private(set) var since: Int?
    private(set) var until: Int?

    /// Reads a log line; nil when it is no object of plain values, or is too long.
    init?(_ line: [UInt8]) {
        guard line.count <= ProximityLog.maximumLineBytes else { return nil }
        if let plain = Self(plain: line.span) {
            self = plain
        } else {
            self.init(any: line)
        }
    }

    /// Reads a log line with the JSON module, in whatever form it is written.
    init?(any line: [UInt8]) {
        guard let members = (try? JSONValue(parsing: line, limits: Self.limits))?.object?.members else { return nil }
        for entry in members {
            let member = LogMemberName(rawValue: entry.name)
            switch entry.value {
            case .number(let number):
                guard let whole = Int(number.text), number.text != "-0" else { return nil }
                if let member { set(member, whole) }
            case .string(let text):
                if let member { set(member, text) }
            case .bool, .null: break
            case .array, .object: return nil
            }
            if member == .peer { hasWrongPeer = peer == nil }
        }
    }

    /// The limits for a log line: one object of plain values.
    private static let limits = JSONLimits(
        maximumBytes: ProximityLog.maximumLineBytes, maximumDepth: 1, maximumMembers: 64)

    /// Reads a plain log line quickly; nil when it is not plain.
    init?(plain line: Span<UInt8>) {
        var reader = LogLineScanner()
        var seen: UInt32 = 0
        guard reader.skip("{", line) else { return nil }
        repeat {
            guard reader.skip("\"", line), let name = reader.word(line), reader.skip(":", line),
                let position = Self.names.firstIndex(of: name), seen & 1 << position == 0
            else { return nil }
            seen |= 1 << position
            guard take(LogMemberName.allCases[position], &reader, line) else { return nil }
        } while reader.skip(",", line)
        guard reader.skip("}", line), reader.position == line.count else { return nil }
    }

    /// Returns `value` when it is a time within the longest run, in milliseconds; else nil.
    func milliseconds(_ value: Int?) -> Int? {
        value.flatMap { (0...ProximityLog.maximumMilliseconds).contains($0) ? $0 : nil }
    }

    // MARK: - Members

    private static let names = LogMemberName.allCases.map { LogLineScanner.key(of: $0.rawValue) }
    private static let kinds = ProximityRecord.Kind.allCases
    private static let kindNames = kinds.map { LogLineScanner.key(of: $0.rawValue) }
    private static let ways = Array(ObservationSource.allCases)
    private static let wayNames = ways.map { LogLineScanner.key(of: $0.word) }

    private mutating func take(_ member: LogMemberName, _ reader: inout LogLineScanner, _ line: Span<UInt8>) -> Bool {
        guard reader.skip("\"", line) else {
            guard let number = reader.integer(line) else { return false }
            return set(member, number)
        }
        switch member {
        case .kind:
            guard let word = reader.word(line), let position = Self.kindNames.firstIndex(of: word) else { return false }
            kind = Self.kinds[position]
            return true
        case .via:
            guard let word = reader.word(line), let position = Self.wayNames.firstIndex(of: word) else { return false }
            via = Self.ways[position]
            return true
        case .device, .peer:
            guard let name = reader.identifier(line) else { return false }
            if member == .device { device = name } else { peer = name }
            return true
        default:
            guard let text = reader.text(line) else { return false }
            return set(member, text)
        }
    }

    /// Sets a member to a number; false when the member is no number.
    @discardableResult
    private mutating func set(_ member: LogMemberName, _ number: Int) -> Bool {
        switch member {
        case .at: at = number
        case .rssi: rssi = number
        case .power: power = number
        case .centimetres: centimetres = number
        case .low: low = number
        case .high: high = number
        case .readings: readings = number
        case .since: since = number
        case .until: until = number
        case .device, .kind, .peer, .via, .payload, .text: return false
        }
        return true
    }

    /// Sets a member to a text; false when the member is no text.
    @discardableResult
    private mutating func set(_ member: LogMemberName, _ string: String) -> Bool {
        switch member {
        case .device: device = ProximityLog.isIdentifier(string) ? string : nil
        case .peer: peer = ProximityLog.isIdentifier(string) ? string : nil
        case .kind: kind = ProximityRecord.Kind(rawValue: string)
        case .via: via = ObservationSource(word: string)
        case .payload: payload = string
        case .text: text = string
        case .at, .rssi, .power, .centimetres, .low, .high, .readings, .since, .until: return false
        }
        return true
    }
}

/// Scans a log line whose texts have no escapes and whose punctuation has no blanks around it.
private struct LogLineScanner {
    private(set) var position = 0

    /// The letters of a word as one number, which tells words of up to 13 letters apart.
    static func key(of word: String) -> UInt64 {
        precondition(word.utf8.count <= maximumWord && word.utf8.allSatisfy(isLetter), "the log has short names")
        return word.utf8.reduce(0) { $0 &* 27 &+ UInt64($1 & 31) }
    }

    private static let maximumWord = 13

    private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }

    mutating func skip(_ character: Unicode.Scalar, _ line: Span<UInt8>) -> Bool {
        guard position < line.count, line[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    /// Scans lower-case letters and the closing quote; returns the word's key.
    mutating func word(_ line: Span<UInt8>) -> UInt64? {
        var key: UInt64 = 0
        let start = position
        while position < line.count, Self.isLetter(line[position]) {
            key = key &* 27 &+ UInt64(line[position] & 31)
            position += 1
        }
        guard (1...Self.maximumWord).contains(position - start), skip("\"", line) else { return nil }
        return key
    }

    /// Scans a whole number of up to 18 digits.
    mutating func integer(_ line: Span<UInt8>) -> Int? {
        let isNegative = skip("-", line)
        let start = position
        var value = 0
        while position < line.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(line[position]) {
            value = value &* 10 &+ Int(line[position] & 15)
            position += 1
        }
        let count = position - start
        guard (1...18).contains(count), line[start] != UInt8(ascii: "0") || (count == 1 && !isNegative) else {
            return nil
        }
        return isNegative ? -value : value
    }

    /// Scans the identifier of a device and the closing quote.
    mutating func identifier(_ line: Span<UInt8>) -> String? {
        let start = position
        while position < line.count, ProximityLog.isOfIdentifier(line[position]) { position += 1 }
        guard (1...ProximityLog.maximumIdentifier).contains(position - start), line[start] != UInt8(ascii: "."),
            skip("\"", line)
        else { return nil }
        return Self.string(line, start..<position - 1)
    }

    /// Scans a text and the closing quote.
    mutating func text(_ line: Span<UInt8>) -> String? {
        let start = position
        while position < line.count, (0x20..<0x7F).contains(line[position]), line[position] != UInt8(ascii: "\""),
            line[position] != UInt8(ascii: "\\")
        {
            position += 1
        }
        return skip("\"", line) ? Self.string(line, start..<position - 1) : nil
    }

    private static func string(_ line: Span<UInt8>, _ range: Range<Int>) -> String {
        line.extracting(range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
}
