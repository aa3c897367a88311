extension CBORValue {
    /// The integer; nil for another kind and for one that Int does not hold.
    public var int: Int? {
        switch content {
        case .unsigned(let number): Int(exactly: number)
        case .negative(let number): Int(exactly: number).map { -1 - $0 }
        default: nil
        }
    }

    /// The byte string; nil for another kind.
    public var bytes: [UInt8]? {
        guard case .bytes(let bytes) = content else { return nil }
        return bytes
    }

    /// The text of a text string; nil for another kind.
    public var text: String? {
        guard case .text(let text) = content else { return nil }
        return text
    }

    /// The elements; nil for another kind.
    public var array: [CBORValue]? {
        guard case .array(let elements) = content else { return nil }
        return elements
    }

    /// The entries in the order of the bytes; nil for another kind.
    public var map: [CBORContent.CBORMapEntry]? {
        guard case .map(let entries) = content else { return nil }
        return entries
    }

    /// The tag and its content; nil for another kind.
    public var tagged: (tag: UInt64, content: CBORValue)? {
        guard case .tagged(let tag, let content) = content else { return nil }
        return (tag, content)
    }

    /// The value of a text key of a map; nil when there is none; takes time in proportion to the map.
    public subscript(key: String) -> CBORValue? {
        map?.first { $0.key.text.map { $0.utf8.elementsEqual(key.utf8) } ?? false }?.value
    }

    /// The value of an integer key of a map; nil when there is none; takes time in proportion to the map.
    public subscript(key: Int) -> CBORValue? { map?.first { $0.key.int == key }?.value }
}
