import ByteCoding
import CBOR
import JSON

/// Converts element values to JSON for people: dates as text, pictures and other bytes by size and kind.
enum ElementDisplayJSON {
    /// The most parts of a value that are converted; a larger value is described by its size.
    static let maximumParts = 2000

    /// The longest byte string that is shown whole, in base64url.
    static let shownByteCount = 64

    /// Returns the JSON of a value; keys that are no texts become decimal numbers or base64url.
    static func json(of value: CBORValue) -> JSONValue {
        var left = maximumParts
        return json(of: value, &left) ?? .string("a value of \(value.encoding.count) bytes")
    }

    /// Returns true when the bytes begin like a known picture format.
    static func isPicture(_ bytes: [UInt8]) -> Bool { pictures.contains { bytes.starts(with: $0.start) } }

    private static func json(of value: CBORValue, _ left: inout Int) -> JSONValue? {
        guard left > 0 else { return nil }
        left -= 1
        switch value.content {
        case .unsigned(let number): return Int(exactly: number).map { .number(JSONNumber($0)) } ?? .string("\(number)")
        case .negative(let number):
            return Int(exactly: number).map { .number(JSONNumber(-1 - $0)) } ?? .string("-1-\(number)")
        case .bytes(let bytes): return .string(text(of: bytes))
        case .text(let text): return .string(text)
        case .array(let elements):
            guard elements.count <= left else { return nil }
            var values: [JSONValue] = []
            for element in elements {
                guard let value = json(of: element, &left) else { return nil }
                values.append(value)
            }
            return .array(values)
        case .map(let entries):
            guard entries.count <= left else { return nil }
            var object = JSONObject()
            for entry in entries {
                guard let value = json(of: entry.value, &left) else { return nil }
                object[name(of: entry.key)] = value
            }
            return .object(object)
        // Dates and times are texts under tags 0 and 1004; what other tags mean is left to readers of the type.
        case .tagged(_, let content): return json(of: content, &left)
        case .bool(let value): return .bool(value)
        case .null, .undefined: return .null
        case .simple(let value): return .string("simple value \(value)")
        case .float(let number): return JSONNumber(number).map { .number($0) } ?? .string("\(number)")
        }
    }

    private static func name(of key: CBORValue) -> String {
        switch key.content {
        case .text(let text): text
        case .bytes(let bytes): Base64URL.encode(bytes)
        default: key.int.map { "\($0)" } ?? Base64URL.encode(Array(key.encoding))
        }
    }

    /// Returns a text about bytes: their kind and size for a picture, base64url for a few, their number for others.
    static func text(of bytes: [UInt8]) -> String {
        if let kind = pictures.first(where: { bytes.starts(with: $0.start) })?.kind {
            return "a \(kind) picture of \(bytes.count) bytes"
        }
        return bytes.count <= shownByteCount ? Base64URL.encode(bytes) : "\(bytes.count) bytes"
    }

    private static let pictures: [(start: [UInt8], kind: String)] = [
        ([0xFF, 0xD8, 0xFF], "JPEG"), ([0x00, 0x00, 0x00, 0x0C, 0x6A, 0x50], "JPEG 2000"),
        ([0xFF, 0x4F, 0xFF, 0x51], "JPEG 2000"), ([0x89, 0x50, 0x4E, 0x47], "PNG"),
    ]
}
