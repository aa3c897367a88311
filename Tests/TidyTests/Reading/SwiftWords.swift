/// Finds identifiers and texts in a line of masked code.
enum SwiftWords {
    /// Returns true when a byte can be part of an identifier.
    static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
            return true
        default: return false
        }
    }

    /// True when `line` contains `pattern` on identifier boundaries.
    static func line(_ line: String, holds pattern: String) -> Bool {
        let wanted = Array(pattern.utf8)
        guard let first = wanted.first, let last = wanted.last else { return false }
        let bytes = Array(line.utf8)
        return WordSearch([pattern]).matches(in: bytes).contains { match in
            let end = match.position + wanted.count
            let runsOnBefore = match.position > 0 && isWordByte(first) && isWordByte(bytes[match.position - 1])
            let runsOnAfter = end < bytes.count && isWordByte(last) && isWordByte(bytes[end])
            return !runsOnBefore && !runsOnAfter
        }
    }

    /// The identifiers in a line of masked code, in order.
    static func words(of line: String) -> [String] {
        var line = line
        return line.withUTF8 { words(of: $0) }
    }

    /// The identifiers of a line of masked code, in order.
    static func words(of bytes: UnsafeBufferPointer<UInt8>) -> [String] {
        guard let start = bytes.baseAddress else { return [] }
        var found: [String] = []
        wordTable.withUnsafeBufferPointer { table in
            guard let isWordByte = table.baseAddress else { return }
            var index = 0
            while index < bytes.count {
                let first = index
                while index < bytes.count, isWordByte[Int(start[index])] { index += 1 }
                if index > first {
                    let word = UnsafeBufferPointer(start: start + first, count: index - first)
                    found.append(String(decoding: word, as: UTF8.self))
                }
                index += 1
            }
        }
        return found
    }

    /// A table that is true for each byte that can be part of an identifier.
    static let wordTable = (0...UInt8.max).map(isWordByte)

    /// Removes the blanks around a line.
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
