/// A function, initialiser, deinitialiser or subscript with a body.
struct SwiftFunction: Hashable, Sendable {
    let name: String
    /// The number of the line on which the function's declaration begins, from 1.
    let line: Int
    /// The number of lines from the declaration to the closing brace, both counted.
    let lineCount: Int
}

/// Finds functions by matching braces in masked code.
struct SwiftFunctions {
    private let file: SourceFile
    private let bytes: [UInt8]

    static func all(in file: SourceFile) -> [SwiftFunction] { SwiftFunctions(file).functions() }

    private init(_ file: SourceFile) {
        self.file = file
        bytes = file.codeBytes
    }

    private static let keywords = WordSearch(["func", "deinit", "init", "subscript"])

    private func functions() -> [SwiftFunction] {
        var found: [SwiftFunction] = []
        for match in SwiftFunctions.keywords.matches(in: bytes) {
            let range = match.position..<(match.position + SwiftFunctions.keywords.length(of: match.word))
            guard isWhole(range), !isQuoted(range.lowerBound) else { continue }
            let text = String(decoding: bytes[range], as: UTF8.self)
            if begins(text, at: range), let open = bodyStart(from: range.upperBound),
                let close = matchingBrace(from: open)
            {
                let first = line(of: range.lowerBound)
                found.append(
                    SwiftFunction(
                        name: name(after: text, at: range), line: first, lineCount: line(of: close) - first + 1))
            }
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

    /// Returns true when the declaration goes on in the line that begins after `newline`.
    private func continues(after newline: Int) -> Bool {
        let rest = bytes[(newline + 1)...].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        let ahead = ["{", "->", "where ", "async", "throws", "rethrows"]
        if ahead.contains(where: { rest.starts(with: $0.utf8) }) { return true }
        let before = bytes[..<newline].reversed().drop { $0 == UInt8(ascii: " ") }
        return before.starts(with: ">-".utf8) || before.starts(with: ",".utf8) || before.starts(with: "erehw".utf8)
    }

    private func matchingBrace(from open: Int) -> Int? {
        bytes.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return nil }
            var (depth, index) = (0, open)
            while index < buffer.count {
                if start[index] == 123 { depth += 1 }
                if start[index] == 125 { depth -= 1 }
                if depth == 0 { return index }
                index += 1
            }
            return nil
        }
    }

    private func line(of position: Int) -> Int { file.lineIndex(ofByte: position) + 1 }

    /// True when a keyword is a whole word, not part of a longer one.
    private func isWhole(_ range: Range<Int>) -> Bool {
        (range.lowerBound == 0 || !SwiftWords.isWordByte(bytes[range.lowerBound - 1]))
            && (range.upperBound == bytes.count || !SwiftWords.isWordByte(bytes[range.upperBound]))
    }

    /// True when a byte is inside a name in back-ticks, which ends in its line.
    private func isQuoted(_ position: Int) -> Bool {
        let start = file.bytes(ofLine: file.lineIndex(ofByte: position)).lowerBound
        return bytes[start..<position].count { $0 == UInt8(ascii: "`") } % 2 == 1
    }
}
