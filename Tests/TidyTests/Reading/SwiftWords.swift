/// Small questions about a line of masked code.
enum SwiftWords {
    /// Whether a byte can be part of an identifier.
    static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
            return true
        default: return false
        }
    }

    /// Whether `line` holds `pattern`, with no identifier running on at either end where the pattern ends in one.
    static func line(_ line: String, holds pattern: String) -> Bool {
        let bytes = Array(line.utf8)
        let wanted = Array(pattern.utf8)
        guard let first = wanted.first, let last = wanted.last, bytes.count >= wanted.count else { return false }
        for start in 0...(bytes.count - wanted.count)
        where bytes[start] == first && bytes[start..<(start + wanted.count)].elementsEqual(wanted) {
            let end = start + wanted.count
            let runsOnBefore = start > 0 && isWordByte(first) && isWordByte(bytes[start - 1])
            let runsOnAfter = end < bytes.count && isWordByte(last) && isWordByte(bytes[end])
            if !runsOnBefore && !runsOnAfter { return true }
        }
        return false
    }

    /// The identifiers of a line of masked code, in order.
    static func words(of line: String) -> [String] {
        line.utf8.split { !isWordByte($0) }.compactMap { String(Substring($0)) }
    }

    /// A line without the blanks around it.
    static func trimmed(_ line: String) -> Substring {
        var rest = line.drop { $0 == " " || $0 == "\t" }
        while let last = rest.last, last == " " || last == "\t" || last == "\r" { rest.removeLast() }
        return rest
    }

    /// The texts between pairs of back-ticks.
    static func quoted(in text: String) -> [String] {
        let parts = text.split(separator: "`", omittingEmptySubsequences: false)
        return stride(from: 1, to: parts.count - 1, by: 2).map { String(parts[$0]) }
    }
}
