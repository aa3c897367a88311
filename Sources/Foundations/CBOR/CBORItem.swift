/// A data item to be written; `encoded` gives its deterministic encoding (RFC 8949, section 4.2.1).
public indirect enum CBORItem: Hashable, Sendable {
    /// A CBOR integer from 0 up.
    case unsigned(UInt64)
    /// The negative integer -1 - n, for the stored n.
    case negative(UInt64)
    /// A byte string.
    case bytes([UInt8])
    /// A text.
    case text(String)
    /// An array.
    case array([CBORItem])
    /// A map; its entries are written in the order of their keys' encodings.
    case map([CBORItem: CBORItem])
    /// A map whose keys and values are written in turn in this order, for formats and tests that fix one.
    case ordered([[CBORItem]])
    /// A tag and its content.
    case tagged(UInt64, CBORItem)
    /// The simple value false or true.
    case bool(Bool)
    /// The simple value null.
    case null
    /// The simple value undefined.
    case undefined
    /// Another simple value, 0 to 19 or 32 to 255.
    case simple(UInt8)
    /// A number; written in the fewest bytes that hold it exactly.
    case float(Double)
    /// The bytes of one data item that is encoded already.
    case raw([UInt8])

    /// Returns the CBOR item of an integer.
    public static func int(_ number: Int) -> CBORItem {
        number < 0 ? .negative(UInt64(-1 - number)) : .unsigned(UInt64(number))
    }

    /// Returns a byte string with tag 24 that holds an encoded item.
    public static func embedded(_ item: CBORItem) -> CBORItem { .tagged(24, .bytes(item.encoded)) }

    /// The CBOR encoding of the item.
    public var encoded: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }

    private func append(to bytes: inout [UInt8]) {
        switch self {
        case .unsigned(let number): Self.appendHead(0, number, to: &bytes)
        case .negative(let number): Self.appendHead(1, number, to: &bytes)
        case .bytes(let content):
            Self.appendHead(2, UInt64(content.count), to: &bytes)
            bytes += content
        case .text(let text):
            Self.appendHead(3, UInt64(text.utf8.count), to: &bytes)
            bytes += text.utf8
        case .array(let elements):
            Self.appendHead(4, UInt64(elements.count), to: &bytes)
            for element in elements { element.append(to: &bytes) }
        case .map(let entries):
            Self.appendHead(5, UInt64(entries.count), to: &bytes)
            let sorted = entries.map { ($0.key.encoded, $0.value) }.sorted { $0.0.lexicographicallyPrecedes($1.0) }
            for (key, value) in sorted {
                bytes += key
                value.append(to: &bytes)
            }
        case .ordered(let entries):
            Self.appendHead(5, UInt64(entries.count), to: &bytes)
            for item in entries.joined() { item.append(to: &bytes) }
        case .tagged(let tag, let content):
            Self.appendHead(6, tag, to: &bytes)
            content.append(to: &bytes)
        case .bool(let value): bytes.append(value ? 0xF5 : 0xF4)
        case .null: bytes.append(0xF6)
        case .undefined: bytes.append(0xF7)
        case .simple(let value): Self.appendHead(7, UInt64(value), to: &bytes)
        case .float(let number): Self.appendFloat(number, to: &bytes)
        case .raw(let encoding): bytes += encoding
        }
    }

    private static func appendHead(_ major: UInt8, _ argument: UInt64, to bytes: inout [UInt8]) {
        let type = major << 5
        switch argument {
        case 0...23: bytes.append(type | UInt8(argument))
        case 24...0xFF: bytes += [type | 24, UInt8(argument)]
        case 0x100...0xFFFF: appendWide(type | 25, argument, count: 2, to: &bytes)
        case 0x1_0000...0xFFFF_FFFF: appendWide(type | 26, argument, count: 4, to: &bytes)
        default: appendWide(type | 27, argument, count: 8, to: &bytes)
        }
    }

    private static func appendFloat(_ number: Double, to bytes: inout [UInt8]) {
        let single = Float(number)
        guard Double(single) == number || number.isNaN else {
            return appendWide(0xFB, number.bitPattern, count: 8, to: &bytes)
        }
        if let bits = CBORHalfFloat.bits(of: single) { return appendWide(0xF9, UInt64(bits), count: 2, to: &bytes) }
        appendWide(0xFA, UInt64(single.bitPattern), count: 4, to: &bytes)
    }

    private static func appendWide(_ first: UInt8, _ value: UInt64, count: Int, to bytes: inout [UInt8]) {
        bytes.append(first)
        for index in (0..<count).reversed() { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(index)))) }
    }
}
