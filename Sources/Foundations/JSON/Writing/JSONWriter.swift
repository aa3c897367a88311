extension JSONValue {
    /// The value as JSON in UTF-8 without white space.
    ///
    /// Members keep their order and numbers their text; escapes are only for quotation marks, backslashes and control
    /// characters.
    public var encoded: [UInt8] {
        var writer = JSONWriter()
        writer.write(self)
        return writer.bytes
    }

    /// The value as JSON text, as `encoded` in bytes.
    public var text: String { String(decoding: encoded, as: UTF8.self) }

    /// Returns the canonical form of RFC 8785 (JCS).
    ///
    /// Members are ordered by the UTF-16 code units of their names, and numbers are written as in ECMAScript.
    ///
    /// Throws `json.number-out-of-range` for a number that no double holds. A number with more digits than a double
    /// has is rounded, as the RFC says.
    public func canonical() throws(JSONError) -> [UInt8] {
        var writer = JSONWriter()
        try writer.writeCanonical(self, at: .root)
        return writer.bytes
    }
}

extension JSONObject {
    /// The object as JSON bytes, as `JSONValue.encoded`.
    public var encoded: [UInt8] { JSONValue.object(self).encoded }

    /// The object as JSON text, as `JSONValue.text`.
    public var text: String { JSONValue.object(self).text }

    /// Returns the object in canonical form, as `JSONValue.canonical()`.
    public func canonical() throws(JSONError) -> [UInt8] { try JSONValue.object(self).canonical() }
}

/// Writes JSON values as UTF-8 bytes.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []

    mutating func write(_ value: JSONValue) {
        switch value {
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                write(value)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let object):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in object.members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                writeName(member.name)
                write(member.value)
            }
            bytes.append(UInt8(ascii: "}"))
        case .number(let number): bytes.append(contentsOf: number.text.utf8)
        case .null, .bool, .string: writeSimple(value)
        }
    }

    mutating func writeCanonical(_ value: JSONValue, at path: JSONPath) throws(JSONError) {
        switch value {
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                try writeCanonical(value, at: .element(path, index))
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let object): try writeCanonical(object, at: path)
        case .number(let number):
            guard let double = number.double, let text = ECMAScriptNumber.text(of: double) else {
                throw JSONError(.numberOutOfRange, at: path, "no number that fits is")
            }
            bytes.append(contentsOf: text.utf8)
        case .null, .bool, .string: writeSimple(value)
        }
    }

    private mutating func writeCanonical(_ object: JSONObject, at path: JSONPath) throws(JSONError) {
        let sorted = object.members.sorted { $0.name.utf16.lexicographicallyPrecedes($1.name.utf16) }
        bytes.append(UInt8(ascii: "{"))
        for (index, member) in sorted.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            writeName(member.name)
            try writeCanonical(member.value, at: .member(path, member.name))
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func writeSimple(_ value: JSONValue) {
        switch value {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let bool): bytes.append(contentsOf: (bool ? "true" : "false").utf8)
        case .string(let text): writeString(text)
        case .number, .array, .object: break
        }
    }

    private mutating func writeName(_ name: String) {
        writeString(name)
        bytes.append(UInt8(ascii: ":"))
    }

    /// Appends a JSON string, copying each run of bytes that needs no escape at once.
    private mutating func writeString(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { source in
            var start = 0
            while start < source.count {
                let end = JSONUnescapedRun.end(in: source, from: start, stopsAtMultibyte: false)
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: source[start..<end]))
                if end < source.count { writeEscape(of: source[end]) }
                start = end + 1
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func writeEscape(of byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        default:
            bytes.append(contentsOf: "u00".utf8)
            let digits = String(byte, radix: 16)
            if digits.utf8.count == 1 { bytes.append(UInt8(ascii: "0")) }
            bytes.append(contentsOf: digits.utf8)
        }
    }
}
