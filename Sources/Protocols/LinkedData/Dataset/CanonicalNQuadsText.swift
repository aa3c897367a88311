/// Writes the parts of canonical N-Quads (RDFC-1.0, annex A).
enum CanonicalNQuadsText {
    static let stringType = Array("http://www.w3.org/2001/XMLSchema#string".utf8)

    /// Appends a literal with its data type, which is not written when it is `xsd:string`.
    static func appendLiteral(
        _ value: some Sequence<UInt8>, datatype: some Sequence<UInt8>, to text: inout [UInt8]
    ) {
        appendQuoted(value, to: &text)
        if datatype.elementsEqual(stringType) { return }
        text.append(contentsOf: "^^<".utf8)
        text.append(contentsOf: datatype)
        text.append(UInt8(ascii: ">"))
    }

    /// Appends a literal's value in quotation marks, escaped as the canonical form asks.
    static func appendQuoted(_ value: some Sequence<UInt8>, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        let appended: Void? = value.withContiguousStorageIfAvailable { appendEscaped($0, to: &text) }
        if appended == nil { Array(value).withUnsafeBufferPointer { appendEscaped($0, to: &text) } }
        text.append(UInt8(ascii: "\""))
    }

    /// Appends a value with its escapes; fast for values without any.
    private static func appendEscaped(_ value: UnsafeBufferPointer<UInt8>, to text: inout [UInt8]) {
        guard value.contains(where: mayHaveEscape) else { return text.append(contentsOf: value) }
        for byte in value { appendEscaped(byte, to: &text) }
    }

    private static func mayHaveEscape(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x00..<0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x7F, 0xBE, 0xBF: true
        default: false
        }
    }

    private static func appendEscaped(_ byte: UInt8, to text: inout [UInt8]) {
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

    /// Returns true when the first line precedes the second in the order of code points, which is that of UTF-8 bytes.
    static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.withUnsafeBufferPointer { left in right.withUnsafeBufferPointer { precedes(left[...], $0[...]) } }
    }

    /// Compares two lines in larger buffers like `precedes(_:_:)`.
    static func precedes(
        _ left: Slice<UnsafeBufferPointer<UInt8>>, _ right: Slice<UnsafeBufferPointer<UInt8>>
    ) -> Bool {
        let shared = min(left.count, right.count)
        let (left, right) = (UnsafeBufferPointer(rebasing: left), UnsafeBufferPointer(rebasing: right))
        var index = 0
        while index < shared, left[index] == right[index] { index += 1 }
        return index < shared ? left[index] < right[index] : left.count < right.count
    }

    /// Returns the lines of `text` in code point order, one after the other.
    ///
    /// - Parameter eachOnce: true when a line that is there several times is written once.
    static func sorted(_ lines: [Range<Int>], of text: [UInt8], eachOnce: Bool = false) -> [UInt8] {
        guard lines.count > 1 else { return text }
        return text.withUnsafeBufferPointer { text in
            let ordered = lines.sorted { precedes(text[$0], text[$1]) }
            var result: [UInt8] = []
            result.reserveCapacity(text.count)
            var last: Range<Int>?
            for line in ordered {
                if eachOnce, let last, text[last].elementsEqual(text[line]) { continue }
                result.append(contentsOf: text[line])
                last = line
            }
            return result
        }
    }
}
