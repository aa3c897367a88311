/// Parses one JSON document by recursion of limited depth.
struct JSONParser {
    private let bytes: [UInt8]
    private let limits: JSONLimits
    private var position = 0
    private var depth = 0

    init(_ bytes: [UInt8], limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    /// Parses the one JSON value of the document, with white space around it and nothing else.
    mutating func document() throws(JSONError) -> JSONValue {
        guard bytes.count <= limits.maximumBytes else {
            throw JSONError(.tooLarge, offset: limits.maximumBytes, "more than \(limits.maximumBytes) bytes are there")
        }
        guard !bytes.starts(with: [0xEF, 0xBB, 0xBF]) else {
            throw JSONError(.byteOrderMark, offset: 0, "a byte order mark is")
        }
        skipSpace()
        let value = try value()
        skipSpace()
        guard position == bytes.count else { throw error(.trailingData, "something follows the value") }
        return value
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    private mutating func value() throws(JSONError) -> JSONValue {
        switch try peek() {
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "{"): return .object(try object())
        case UInt8(ascii: "["): return .array(try array())
        case UInt8(ascii: "t"):
            try word("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try word("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try word("null")
            return .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
        default: throw error(.syntax, "no value begins")
        }
    }

    // Objects and arrays.

    private mutating func object() throws(JSONError) -> JSONObject {
        try enter()
        var object = JSONObject()
        if try leaves(at: UInt8(ascii: "}")) { return object }
        while true {
            guard object.count < limits.maximumMembers else {
                throw error(.tooManyMembers, "a member too many is")
            }
            let start = position
            guard try peek() == UInt8(ascii: "\"") else { throw error(.syntax, "no name begins") }
            let name = try string()
            skipSpace()
            guard try peek() == UInt8(ascii: ":") else { throw error(.syntax, "no colon is") }
            position += 1
            skipSpace()
            guard object.append(name, try value()) else {
                throw JSONError(.duplicateName, offset: start, "a name that was there before is")
            }
            if try !continues(until: UInt8(ascii: "}")) { return object }
        }
    }

    private mutating func array() throws(JSONError) -> [JSONValue] {
        try enter()
        var values: [JSONValue] = []
        if try leaves(at: UInt8(ascii: "]")) { return values }
        while true {
            guard values.count < limits.maximumElements else {
                throw error(.tooManyElements, "an element too many is")
            }
            values.append(try value())
            if try !continues(until: UInt8(ascii: "]")) { return values }
        }
    }

    /// Steps over an opening bracket.
    private mutating func enter() throws(JSONError) {
        guard depth < limits.maximumDepth else { throw error(.tooDeep, "a bracket too many is") }
        depth += 1
        position += 1
        skipSpace()
    }

    /// Steps over the closing bracket and returns true when it is next.
    private mutating func leaves(at bracket: UInt8) throws(JSONError) -> Bool {
        guard try peek() == bracket else { return false }
        depth -= 1
        position += 1
        return true
    }

    /// Steps over a comma and returns true, or over the closing bracket and returns false.
    private mutating func continues(until bracket: UInt8) throws(JSONError) -> Bool {
        skipSpace()
        if try leaves(at: bracket) { return false }
        guard try peek() == UInt8(ascii: ",") else { throw error(.syntax, "neither comma nor bracket is") }
        position += 1
        skipSpace()
        return true
    }

    // Words and numbers.

    private mutating func word(_ word: StaticString) throws(JSONError) {
        for index in 0..<word.utf8CodeUnitCount {
            guard try peek() == word.utf8Start[index] else { throw error(.syntax, "no value begins") }
            position += 1
        }
    }

    private mutating func number() throws(JSONError) -> JSONNumber {
        let start = position
        if bytes[position] == UInt8(ascii: "-") { position += 1 }
        if try peek() == UInt8(ascii: "0") {
            position += 1
        } else {
            try digits()
        }
        if next == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            position += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        if let next, Self.isDigit(next) { throw error(.badNumber, "a digit after a leading zero is") }
        guard position - start <= limits.maximumNumberBytes else {
            throw JSONError(.numberTooLong, offset: start, "a number that is too long begins")
        }
        return JSONNumber(checked: String(decoding: bytes[start..<position], as: UTF8.self))
    }

    /// Steps over one digit or more.
    private mutating func digits() throws(JSONError) {
        guard Self.isDigit(try peek()) else { throw error(.badNumber, "no digit is") }
        while let next, Self.isDigit(next) { position += 1 }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    // Strings.

    private mutating func string() throws(JSONError) -> String {
        position += 1
        let start = position
        try skipPlain(limit: limits.maximumStringBytes)
        guard bytes[position] != UInt8(ascii: "\"") else {
            defer { position += 1 }
            return String(decoding: bytes[start..<position], as: UTF8.self)
        }
        return try escapedString(from: start)
    }

    /// Reads a string from its first backslash on; `start` is where its text begins, which has no escape so far.
    private mutating func escapedString(from start: Int) throws(JSONError) -> String {
        var text = Array(bytes[start..<position])
        while bytes[position] == UInt8(ascii: "\\") {
            let escape = position
            Self.append(try escaped(), to: &text)
            guard text.count <= limits.maximumStringBytes else {
                throw JSONError(.stringTooLong, offset: escape, "a string becomes too long")
            }
            let plain = position
            try skipPlain(limit: limits.maximumStringBytes - text.count)
            text.append(contentsOf: bytes[plain..<position])
        }
        position += 1
        return String(decoding: text, as: UTF8.self)
    }

    /// Moves to the next quotation mark or backslash of a string, at most `limit` bytes on.
    private mutating func skipPlain(limit: Int) throws(JSONError) {
        let start = position
        while true {
            position = bytes.withUnsafeBufferPointer {
                JSONUnescapedRun.end(in: $0, from: position, stopsAtMultibyte: true)
            }
            guard position - start <= limit else {
                throw JSONError(.stringTooLong, offset: start, "a string that is too long begins")
            }
            let byte = try peek()
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return }
            guard byte >= 0x80 else { throw error(.controlCharacter, "a control character is") }
            guard let length = UTF8Sequence.length(in: bytes, at: position) else {
                throw error(.notUTF8, "no UTF-8 is")
            }
            position += length
        }
    }

    /// Reads the escape at the present position as a Unicode scalar.
    private mutating func escaped() throws(JSONError) -> UInt32 {
        position += 1
        let letter = try peek()
        guard letter != UInt8(ascii: "u") else { return try unicodeEscape() }
        guard let scalar = Self.meaning(of: letter) else { throw error(.badEscape, "an unknown escape is") }
        position += 1
        return scalar
    }

    private static func meaning(of letter: UInt8) -> UInt32? {
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): UInt32(letter)
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: nil
        }
    }

    /// Reads `u` and four digits, or two such escapes that are a surrogate pair, as a Unicode scalar.
    private mutating func unicodeEscape() throws(JSONError) -> UInt32 {
        let start = position - 1
        let lone = JSONError(.loneSurrogate, offset: start, "half of a surrogate pair is")
        let first = try hexDigits()
        switch first {
        case 0xD800...0xDBFF:
            guard next == UInt8(ascii: "\\") else { throw next == nil ? truncated : lone }
            position += 1
            guard try peek() == UInt8(ascii: "u") else { throw lone }
            let second = try hexDigits()
            guard (0xDC00...0xDFFF).contains(second) else { throw lone }
            return 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
        case 0xDC00...0xDFFF: throw lone
        default: return first
        }
    }

    /// Reads `u` and four hexadecimal digits as a number.
    private mutating func hexDigits() throws(JSONError) -> UInt32 {
        position += 1
        var value: UInt32 = 0
        for _ in 0..<4 {
            let byte = try peek()
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt32(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt32(byte - UInt8(ascii: "a") + 10)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): value = value << 4 | UInt32(byte - UInt8(ascii: "A") + 10)
            default: throw error(.badEscape, "no hexadecimal digit is")
            }
            position += 1
        }
        return value
    }

    private static func append(_ scalar: UInt32, to text: inout [UInt8]) {
        guard let scalar = Unicode.Scalar(scalar) else { return }
        text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }

    // Bytes.

    /// The next byte of the JSON text; nil at the end.
    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private func peek() throws(JSONError) -> UInt8 {
        guard position < bytes.count else { throw truncated }
        return bytes[position]
    }

    private mutating func skipSpace() {
        while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
    }

    private var truncated: JSONError { error(.truncated, "the bytes end early") }

    private func error(_ code: JSONError.Code, _ reason: String) -> JSONError {
        JSONError(code, offset: position, reason)
    }
}
