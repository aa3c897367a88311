/// The parts of canonical N-Quads (RDFC-1.0, annex A).
enum CanonicalText {
    static let stringType = Array("http://www.w3.org/2001/XMLSchema#string".utf8)

    /// A literal's value in quotation marks, escaped as the canonical form asks.
    static func quoted(_ value: some Sequence<UInt8>) -> [UInt8] {
        var text: [UInt8] = [UInt8(ascii: "\"")]
        for byte in value {
            switch byte {
            case 0x08: text.append(contentsOf: "\\b".utf8)
            case 0x09: text.append(contentsOf: "\\t".utf8)
            case 0x0A: text.append(contentsOf: "\\n".utf8)
            case 0x0C: text.append(contentsOf: "\\f".utf8)
            case 0x0D: text.append(contentsOf: "\\r".utf8)
            case UInt8(ascii: "\""): text.append(contentsOf: "\\\"".utf8)
            case UInt8(ascii: "\\"): text.append(contentsOf: "\\\\".utf8)
            case 0x00..<0x20, 0x7F:
                text.append(contentsOf: "\\u00".utf8)
                text.append(digit(byte >> 4))
                text.append(digit(byte & 15))
            case 0xBE, 0xBF: appendPossibleNoncharacter(byte, to: &text)
            default: text.append(byte)
            }
        }
        text.append(UInt8(ascii: "\""))
        return text
    }

    /// Appends the byte; when it completes U+FFFE or U+FFFF, replaces the character by its escape.
    private static func appendPossibleNoncharacter(_ byte: UInt8, to text: inout [UInt8]) {
        guard text.count >= 2, text[text.count - 1] == 0xBF, text[text.count - 2] == 0xEF else {
            return text.append(byte)
        }
        text.removeLast(2)
        text.append(contentsOf: byte == 0xBE ? "\\uFFFE".utf8 : "\\uFFFF".utf8)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    /// Whether the first line comes before the second one in the order of code points, which is that of UTF-8 bytes.
    static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        let shared = min(left.count, right.count)
        var index = 0
        while index < shared, left[index] == right[index] { index += 1 }
        if index < shared { return left[index] < right[index] }
        return left.count < right.count
    }

    /// The lines that lie in `text`, in the order of code points, one behind the other.
    static func sorted(_ lines: [Range<Int>], of text: [UInt8]) -> [UInt8] {
        guard lines.count > 1 else { return text }
        let ordered = text.withUnsafeBufferPointer { text in
            lines.sorted { left, right in
                let shared = min(left.count, right.count)
                var index = 0
                while index < shared, text[left.lowerBound + index] == text[right.lowerBound + index] { index += 1 }
                guard index < shared else { return left.count < right.count }
                return text[left.lowerBound + index] < text[right.lowerBound + index]
            }
        }
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        for line in ordered { result.append(contentsOf: text[line]) }
        return result
    }
}
