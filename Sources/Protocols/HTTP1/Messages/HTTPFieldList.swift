/// The header fields of a received message, in the bytes that the peer sent (RFC 9110 section 5).
///
/// Every name is a token and no value holds a control character but the tab; names compare without case. A value may
/// hold bytes above 127 that are not UTF-8.
public struct HTTPFieldList: Sendable {
    /// The ranges of `bytes` in which a field lies.
    struct FieldRanges: Sendable {
        let nameStart: UInt32
        let nameEnd: UInt32
        let valueStart: UInt32
        let valueEnd: UInt32

        var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }
        var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }
    }

    /// The start line and all field lines, without line ends.
    let bytes: [UInt8]
    let places: [FieldRanges]

    init(bytes: [UInt8], places: [FieldRanges]) {
        self.bytes = bytes
        self.places = places
    }

    /// The number of header fields.
    public var count: Int { places.count }

    /// The name of the field at `index`, in the peer's spelling.
    public func name(at index: Int) -> String { text(in: places[index].name) }

    /// The value of the field at `index`, without blanks around it; bytes that are not UTF-8 are replaced by U+FFFD.
    public func value(at index: Int) -> String { text(in: places[index].value) }

    /// The bytes of the value at `index`, without blanks around them.
    public func valueBytes(at index: Int) -> ArraySlice<UInt8> { bytes[places[index].value] }

    /// All values under a name, in their order.
    public func values(of name: String) -> [String] {
        places.filter { has($0, name) }.map { text(in: $0.value) }
    }

    /// The value under a name that stands once; nil where the name is absent or stands several times.
    public func onlyValue(of name: String) -> String? {
        var found: FieldRanges?
        for place in places where has(place, name) {
            if found != nil { return nil }
            found = place
        }
        return found.map { text(in: $0.value) }
    }

    /// The number of fields that have a name.
    public func count(of name: String) -> Int { places.reduce(0) { $0 + (has($1, name) ? 1 : 0) } }

    /// Returns true when a comma-separated list under a name holds `word`, ignoring case.
    public func list(of name: String, holds word: String) -> Bool {
        places.contains { has($0, name) && Self.list(bytes, $0.value, holds: word) }
    }

    /// The elements of the comma-separated lists under a name, without blanks around them and without empty ones.
    public func list(of name: String) -> [String] {
        places.filter { has($0, name) }.flatMap { place in
            bytes[place.value].split(separator: UInt8(ascii: ",")).compactMap { part in
                let range = bytes.trimmed(part.startIndex..<part.endIndex)
                return range.isEmpty ? nil : text(in: range)
            }
        }
    }

    func text(in range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    func has(_ place: FieldRanges, _ name: String) -> Bool { bytes.isSame(place.name, name) }

    static func list(_ bytes: [UInt8], _ range: Range<Int>, holds word: String) -> Bool {
        var start = range.lowerBound
        while true {
            let comma = bytes.first(UInt8(ascii: ","), in: start..<range.upperBound) ?? range.upperBound
            if bytes.isSame(bytes.trimmed(start..<comma), word) { return true }
            if comma == range.upperBound { return false }
            start = comma + 1
        }
    }
}
