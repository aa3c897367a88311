/// Blanks out comments and the contents of string literals, so that rules look at code alone.
///
/// Knows nested block comments, raw and multi-line strings, and interpolations, whose contents are code. Every line
/// keeps its number and every byte its column.
struct SwiftMask {
    private let bytes: [UInt8]
    private var masked: [UInt8]
    private var index = 0

    static func code(of text: String) -> String {
        var mask = SwiftMask(text)
        mask.scanCode(insideInterpolation: false)
        return String(decoding: mask.masked, as: UTF8.self)
    }

    private init(_ text: String) {
        bytes = Array(text.utf8)
        masked = bytes
    }

    private mutating func scanCode(insideInterpolation: Bool) {
        var depth = 0
        while index < bytes.count {
            if starts("//") {
                while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { blank() }
            } else if starts("/*") {
                scanBlockComment()
            } else if let hashes = stringStart() {
                scanString(hashes: hashes)
            } else if insideInterpolation, bytes[index] == UInt8(ascii: ")"), depth == 0 {
                index += 1
                return
            } else {
                if bytes[index] == UInt8(ascii: "(") { depth += 1 }
                if bytes[index] == UInt8(ascii: ")") { depth -= 1 }
                index += 1
            }
        }
    }

    private mutating func scanBlockComment() {
        var depth = 0
        repeat {
            if starts("/*") {
                depth += 1
                blank(2)
            } else if starts("*/") {
                depth -= 1
                blank(2)
            } else {
                blank()
            }
        } while depth > 0 && index < bytes.count
    }

    /// The number of `#` before a string literal that begins here; nil when none does.
    private func stringStart() -> Int? {
        var end = index
        while end < bytes.count, bytes[end] == UInt8(ascii: "#") { end += 1 }
        return end < bytes.count && bytes[end] == UInt8(ascii: "\"") ? end - index : nil
    }

    private mutating func scanString(hashes: Int) {
        index += hashes
        let fence = String(repeating: "#", count: hashes)
        let quote = starts("\"\"\"") ? "\"\"\"" : "\""
        index += quote.utf8.count
        while index < bytes.count {
            if starts(quote + fence) {
                index += quote.utf8.count + hashes
                return
            } else if starts("\\" + fence + "(") {
                blank(hashes + 2)
                scanCode(insideInterpolation: true)
            } else if starts("\\" + fence) {
                blank(hashes + 2)
            } else if quote == "\"", bytes[index] == UInt8(ascii: "\n") {
                return
            } else {
                blank()
            }
        }
    }

    private func starts(_ word: String) -> Bool {
        let word = word.utf8
        return index + word.count <= bytes.count && bytes[index..<(index + word.count)].elementsEqual(word)
    }

    private mutating func blank(_ count: Int = 1) {
        for _ in 0..<count where index < bytes.count {
            if masked[index] != UInt8(ascii: "\n") { masked[index] = UInt8(ascii: " ") }
            index += 1
        }
    }
}
