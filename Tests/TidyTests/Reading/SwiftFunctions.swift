/// A function, initialiser, deinitialiser or subscript with a body.
struct SwiftFunction: Hashable, Sendable {
    let name: String
    /// The line its declaration begins on, counted from 1.
    let line: Int
    /// From that line to the one with its closing brace, both counted.
    let lineCount: Int
}

/// Finds functions by matching braces in masked code.
struct SwiftFunctions {
    private let bytes: [UInt8]
    private let lineOf: [Int]

    static func all(in file: SourceFile) -> [SwiftFunction] {
        SwiftFunctions(file.code.joined(separator: "\n")).functions()
    }

    private init(_ code: String) {
        bytes = Array(code.utf8)
        var line = 1
        lineOf = bytes.map { byte in
            defer { if byte == UInt8(ascii: "\n") { line += 1 } }
            return line
        }
    }

    private func functions() -> [SwiftFunction] {
        var found: [SwiftFunction] = []
        var index = 0
        while let word = nextWord(from: index) {
            index = word.upperBound
            let text = String(decoding: bytes[word], as: UTF8.self)
            guard begins(text, at: word), let open = bodyStart(from: word.upperBound),
                let close = matchingBrace(from: open)
            else { continue }
            let first = lineOf[word.lowerBound]
            found.append(
                SwiftFunction(name: name(after: text, at: word), line: first, lineCount: lineOf[close] - first + 1))
        }
        return found
    }

    private func begins(_ word: String, at range: Range<Int>) -> Bool {
        switch word {
        case "func", "deinit": return true
        case "init", "subscript":
            let before = range.lowerBound > 0 ? bytes[range.lowerBound - 1] : UInt8(ascii: " ")
            let after = range.upperBound < bytes.count ? bytes[range.upperBound] : UInt8(ascii: " ")
            return before != UInt8(ascii: ".") && "(<?!".utf8.contains(after)
        default: return false
        }
    }

    private func name(after word: String, at range: Range<Int>) -> String {
        guard word == "func" else { return word }
        let rest = bytes[range.upperBound...].drop { $0 == UInt8(ascii: " ") }
        if rest.first == UInt8(ascii: "`") {
            return String(decoding: rest.dropFirst().prefix { $0 != UInt8(ascii: "`") }, as: UTF8.self)
        }
        return String(decoding: rest.prefix { !"( <\n".utf8.contains($0) }, as: UTF8.self)
    }

    /// The position of the brace that opens the body of a declaration; nil when it has none, as in a protocol.
    private func bodyStart(from start: Int) -> Int? {
        var depth = 0
        var index = start
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "`"): index = bytes[(index + 1)...].firstIndex(of: UInt8(ascii: "`")) ?? index
            case UInt8(ascii: "("), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "{") where depth == 0: return index
            case UInt8(ascii: "}") where depth == 0: return nil
            case UInt8(ascii: "\n") where depth == 0 && !continues(after: index): return nil
            default: break
            }
            index += 1
        }
        return nil
    }

    /// Whether the declaration goes on in the line that begins after `newline`.
    private func continues(after newline: Int) -> Bool {
        let rest = bytes[(newline + 1)...].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        let ahead = ["{", "->", "where ", "async", "throws", "rethrows"]
        if ahead.contains(where: { rest.starts(with: $0.utf8) }) { return true }
        let before = bytes[..<newline].reversed().drop { $0 == UInt8(ascii: " ") }
        return before.starts(with: ">-".utf8) || before.starts(with: ",".utf8) || before.starts(with: "erehw".utf8)
    }

    private func matchingBrace(from open: Int) -> Int? {
        var depth = 0
        for index in open..<bytes.count {
            if bytes[index] == UInt8(ascii: "{") { depth += 1 }
            if bytes[index] == UInt8(ascii: "}") { depth -= 1 }
            if depth == 0 { return index }
        }
        return nil
    }

    /// The next identifier at or after `start`; a name in back-ticks is skipped whole.
    private func nextWord(from start: Int) -> Range<Int>? {
        var index = start
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "`") {
                index += 1
                while index < bytes.count, bytes[index] != UInt8(ascii: "`") { index += 1 }
                index += 1
            } else if SwiftWords.isWordByte(bytes[index]) {
                let first = index
                while index < bytes.count, SwiftWords.isWordByte(bytes[index]) { index += 1 }
                return first..<index
            } else {
                index += 1
            }
        }
        return nil
    }
}
