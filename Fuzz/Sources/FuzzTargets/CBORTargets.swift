import CBOR

extension FuzzTarget {
    /// Untrusted data items: read, walked to the last part, and written anew.
    static var cbor: FuzzTarget {
        FuzzTarget(name: "cbor", maximumBytes: 2000) {
            [
                CBORItem.map([
                    .text("a"): .array([.int(-1), .float(1.5), .null, .simple(200), .bool(true), .undefined]),
                    .int(4): .embedded(.array([.bytes([1, 2]), .tagged(0, .text("2025-01-01T00:00:00Z"))])),
                ]).encoded,
                [0xBF, 0x61, 0x61, 0x9F, 0x5F, 0x41, 0x01, 0x40, 0xFF, 0xFF, 0x7F, 0x61, 0x62, 0xFF, 0x18, 0x01, 0xFF],
                [0xFB, 0x40, 0x09, 0x21, 0xFB, 0x54, 0x44, 0x2D, 0x18], [0x3B] + Array(repeating: 0xFF, count: 8),
            ]
        } run: { input in
            guard let value = try? CBORValue(parsing: input) else { return }
            require(value.range == 0..<input.count, "one item takes the whole input")
            require(value.encoding.elementsEqual(input), "an item knows its bytes")
            walk(value, in: input)
            let written = rewritten(value).encoded
            guard let again = try? CBORValue(parsing: written) else {
                return require(false, "what is written can be read")
            }
            require(rewritten(again).encoded == written, "writing what was written gives the same bytes")
        }
    }

    private static func walk(_ value: CBORValue, in input: [UInt8]) {
        require(input[value.range].elementsEqual(value.encoding), "a part lies where it says")
        require((try? CBORValue(parsing: Array(value.encoding))) != nil, "a part is an item of its own")
        if let embedded = try? value.embedded() { _ = embedded.content }
        for element in value.array ?? [] { walk(element, in: input) }
        for entry in value.map ?? [] {
            walk(entry.key, in: input)
            walk(entry.value, in: input)
        }
        if let tagged = value.tagged { walk(tagged.content, in: input) }
    }

    private static func rewritten(_ value: CBORValue) -> CBORItem {
        switch value.content {
        case .unsigned(let number): .unsigned(number)
        case .negative(let number): .negative(number)
        case .bytes(let bytes): .bytes(bytes)
        case .text(let text): .text(text)
        case .array(let elements): .array(elements.map(rewritten))
        case .map(let entries): .ordered(entries.map { [rewritten($0.key), rewritten($0.value)] })
        case .tagged(let tag, let content): .tagged(tag, rewritten(content))
        case .bool(let value): .bool(value)
        case .null: .null
        case .undefined: .undefined
        case .simple(let value): .simple(value)
        case .float(let number): .float(number)
        }
    }
}
