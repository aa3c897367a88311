/// Reads one JSON object whose values are plain: text, whole numbers, true, false, null.
///
/// Strict: a name that comes twice, an escape that is none, a lone surrogate, a control character inside a text, a number
/// with a point, nesting, and anything after the object are refused.
package struct FlatJSON {
    /// A plain value.
    package enum Value: Hashable, Sendable {
        case string(String)
        case integer(Int)
        case bool(Bool)
        case null
    }

    /// Why a text is no such object; `offset` counts bytes from 0.
    package struct Malformation: Error, Hashable, Sendable {
        package let offset: Int
        package let expected: String
    }

    /// The most names of one object.
    package static let maximumMembers = 64

    private let bytes: [UInt8]
    private var position = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The members of the object in `text`, in their order.
    package static func members(of text: [UInt8]) throws(Malformation) -> [(name: String, value: Value)] {
        var reader = FlatJSON(text)
        return try reader.object()
    }

    private mutating func object() throws(Malformation) -> [(name: String, value: Value)] {
        var members: [(name: String, value: Value)] = []
        try expect("{")
        if !skip("}") {
            repeat {
                skipSpace()
                let start = position
                let name = try string()
                guard !members.contains(where: { $0.name == name }), members.count < Self.maximumMembers else {
                    throw Malformation(offset: start, expected: "a name that was not there yet")
                }
                try expect(":")
                members.append((name, try value()))
            } while skip(",")
            try expect("}")
        }
        skipSpace()
        guard position == bytes.count else { throw failure("the end of the line") }
        return members
    }

    private mutating func value() throws(Malformation) -> Value {
        skipSpace()
        if peek == UInt8(ascii: "\"") { return .string(try string()) }
        if let byte = peek, byte == UInt8(ascii: "-") || (48...57).contains(byte) { return .integer(try integer()) }
        for (word, value) in [("true", Value.bool(true)), ("false", .bool(false)), ("null", .null)]
        where bytes[position...].starts(with: word.utf8) {
            position += word.utf8.count
            return value
        }
        throw failure("a text, a whole number, true, false or null")
    }

    private mutating func integer() throws(Malformation) -> Int {
        let start = position
        if peek == UInt8(ascii: "-") { position += 1 }
        while let byte = peek, (48...57).contains(byte) { position += 1 }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        let digits = text.drop { $0 == "-" }
        guard let value = Int(text), digits.count == 1 || !digits.hasPrefix("0"), text != "-0" else {
            throw Malformation(offset: start, expected: "a whole number")
        }
        return value
    }

    private mutating func string() throws(Malformation) -> String {
        guard peek == UInt8(ascii: "\"") else { throw failure("a text in quotes") }
        position += 1
        var content: [UInt8] = []
        while let byte = peek {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: content, as: UTF8.self) else { throw failure("text in UTF-8") }
                return text
            case UInt8(ascii: "\\"): content += String(try escaped()).utf8
            case 0..<32: throw failure("no control character")
            default: content.append(byte)
            }
        }
        throw failure("a closing quote")
    }

    private mutating func escaped() throws(Malformation) -> Unicode.Scalar {
        guard let byte = peek else { throw failure("an escape") }
        position += 1
        switch byte {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try unicode()
        default: throw failure("an escape")
        }
    }

    private mutating func unicode() throws(Malformation) -> Unicode.Scalar {
        let first = try unit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, bytes[position...].starts(with: "\\u".utf8) else { throw failure("a pair of surrogates") }
        position += 2
        let second = try unit()
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw failure("a pair of surrogates") }
        return scalar
    }

    private mutating func unit() throws(Malformation) -> UInt32 {
        let digits = bytes[position...].prefix(4)
        let text = String(decoding: digits, as: UTF8.self)
        guard digits.count == 4, digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }),
            let value = UInt32(text, radix: 16)
        else { throw failure("four hexadecimal digits") }
        position += 4
        return value
    }

    private var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = peek, byte == 32 || byte == 9 || byte == 13 { position += 1 }
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard peek == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ character: Unicode.Scalar) throws(Malformation) {
        guard skip(character) else { throw failure("“\(character)”") }
    }

    private func failure(_ expected: String) -> Malformation {
        Malformation(offset: min(position, bytes.count), expected: expected)
    }
}
