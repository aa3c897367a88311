/// A data item of CBOR (RFC 8949) that was read, with the bytes it was read from.
///
/// The reader is strict: it takes one whole item and nothing behind it, definite and indefinite lengths, and texts in
/// UTF-8 alone; it refuses a map with two entries of one key, whatever their encodings, keys other than integers and
/// strings, a simple value below 32 in two bytes, and a break that ends nothing. Longer heads than needed are taken,
/// because digests and signatures are over the bytes as they are: `encoding`.
///
/// A value shares the input and holds two offsets; its parts are made when they are asked for. Memory stays within 20
/// times the input.
public struct CBORValue: Sendable {
    /// The whole input, or the joined parts of a string in which the value is embedded.
    let source: [UInt8]
    private let start: UInt32
    private let end: UInt32

    /// The upper limit of a caller's own limit on the input: 1 GiB.
    static let greatestCount = 1 << 30

    /// Makes a value without a check; the caller knows that one whole item lies between `start` and `end`.
    init(source: [UInt8], start: Int, end: Int) {
        self.source = source
        self.start = UInt32(start)
        self.end = UInt32(end)
    }

    /// Reads the one data item that fills all of `bytes`.
    ///
    /// Throws every code of `CBORError` but `cbor.not-embedded`.
    public init(parsing bytes: [UInt8], limits: CBORLimits = CBORLimits()) throws(CBORError) {
        guard bytes.count <= min(limits.maximumBytes, Self.greatestCount) else {
            throw CBORError(.tooLarge, offset: 0, "there are more bytes than \(limits.maximumBytes)")
        }
        try self.init(source: bytes, checking: 0..<bytes.count, limits)
    }

    private init(source: [UInt8], checking range: Range<Int>, _ limits: CBORLimits) throws(CBORError) {
        var scanner = CBORScanner(source, limit: range.upperBound, limits: limits)
        let end = try scanner.check(at: range.lowerBound)
        guard end == range.upperBound else {
            throw CBORError(.trailingData, offset: end, "something follows the item")
        }
        self.init(source: source, start: range.lowerBound, end: end)
    }

    /// The byte range of the item in its input.
    ///
    /// An item embedded in a string of indefinite length counts from that string's first byte.
    public var range: Range<Int> { Int(start)..<Int(end) }

    /// The bytes that the item was read from, with its head.
    public var encoding: ArraySlice<UInt8> { source[range] }

    /// The kind and value of the item.
    @inline(never)
    public var content: CBORContent {
        // Not inlined: where a caller uses no array of a byte string, the optimizer of Swift 6.3.1 frees it before it
        // is filled, and bytes of the input are written into free memory.
        let head = self.head
        switch head.major {
        case 0: return .unsigned(head.argument)
        case 1: return .negative(head.argument)
        case 2: return .bytes(Array(stringBytes(head)))
        case 3: return .text(String(decoding: stringBytes(head), as: UTF8.self))
        case 4: return .array(elements(head))
        case 5: return .map(entries(head))
        case 6: return .tagged(head.argument, CBORValue(source: source, start: head.end, end: Int(end)))
        default: return Self.simpleContent(head)
        }
    }

    /// Returns the one item that a byte string with tag 24 holds (RFC 8949, section 3.4.5.1).
    ///
    /// Throws `cbor.not-embedded` for any other item, and the codes of reading for the bytes inside. The limits count
    /// anew for what is inside.
    public func embedded(limits: CBORLimits = CBORLimits()) throws(CBORError) -> CBORValue {
        let head = self.head
        guard head.major == 6, head.argument == 24 else {
            throw CBORError(.notEmbedded, offset: Int(start), "an item has no tag 24")
        }
        return try CBORValue(source: source, start: head.end, end: Int(end)).encoded(limits: limits)
    }

    /// Returns the item that a byte string holds, as `embedded(limits:)` but without a tag.
    public func encoded(limits: CBORLimits = CBORLimits()) throws(CBORError) -> CBORValue {
        let head = self.head
        guard head.major == 2 else {
            throw CBORError(.notEmbedded, offset: Int(start), "an item is not a byte string")
        }
        guard head.isIndefinite else {
            return try CBORValue(source: source, checking: head.end..<Int(end), limits)
        }
        let joined = Array(stringBytes(head))
        return try CBORValue(source: joined, checking: 0..<joined.count, limits)
    }

    private var head: CBORHead {
        do throws(CBORError) {
            return try CBORHead(source, at: Int(start), limit: Int(end))
        } catch {
            preconditionFailure("An item was checked before it became a value.")
        }
    }

    private func stringBytes(_ head: CBORHead) -> ArraySlice<UInt8> {
        guard head.isIndefinite else { return source[head.end..<Int(end)] }
        var joined: [UInt8] = []
        joined.reserveCapacity(Int(end) - head.end)
        for chunk in CBORItemSequence(source, from: head.end, to: Int(end) - 1) {
            joined += chunk.stringBytes(chunk.head)
        }
        return joined[...]
    }

    private func elements(_ head: CBORHead) -> [CBORValue] {
        let parts = parts(head)
        var elements: [CBORValue] = []
        elements.reserveCapacity(head.isIndefinite ? parts.reduce(0) { count, _ in count + 1 } : Int(head.argument))
        for part in parts { elements.append(part) }
        return elements
    }

    private func entries(_ head: CBORHead) -> [CBORContent.CBORMapEntry] {
        var parts = parts(head)
        var entries: [CBORContent.CBORMapEntry] = []
        entries.reserveCapacity(head.isIndefinite ? parts.reduce(0) { count, _ in count + 1 } / 2 : Int(head.argument))
        while let key = parts.next(), let value = parts.next() {
            entries.append(CBORContent.CBORMapEntry(key: key, value: value))
        }
        return entries
    }

    /// Returns the elements, or keys and values in turn, of an array or map as a sequence that reads them lazily.
    private func parts(_ head: CBORHead) -> CBORItemSequence {
        CBORItemSequence(source, from: head.end, to: Int(end) - (head.isIndefinite ? 1 : 0))
    }

    private static func simpleContent(_ head: CBORHead) -> CBORContent {
        switch head.information {
        case 20: .bool(false)
        case 21: .bool(true)
        case 22: .null
        case 23: .undefined
        case 25: .float(CBORHalfFloat.double(of: UInt16(head.argument)))
        case 26: .float(Double(Float(bitPattern: UInt32(head.argument))))
        case 27: .float(Double(bitPattern: head.argument))
        default: .simple(UInt8(head.argument))
        }
    }
}

/// The kind and value of a data item.
public enum CBORContent: Sendable {
    /// An entry of a map: a key and its value.
    public struct CBORMapEntry: Sendable {
        /// The key of a map's entry: an integer, a byte string or a text.
        public let key: CBORValue
        /// The value of a map's entry.
        public let value: CBORValue
    }

    /// A CBOR integer from 0 up.
    case unsigned(UInt64)
    /// The negative integer -1 - n, for the stored n.
    case negative(UInt64)
    /// A byte string, its parts joined.
    case bytes([UInt8])
    /// A text, its parts joined.
    case text(String)
    /// The elements in order.
    case array([CBORValue])
    /// The entries in the order of the bytes.
    case map([CBORMapEntry])
    /// A tag and its content; bignums are tags 2 and 3.
    case tagged(UInt64, CBORValue)
    /// The simple value false or true.
    case bool(Bool)
    /// The simple value null.
    case null
    /// The simple value undefined.
    case undefined
    /// Another simple value.
    case simple(UInt8)
    /// A floating-point number of 16, 32 or 64 bits.
    case float(Double)
}

/// The items that lie side by side in a range of checked bytes.
private struct CBORItemSequence: Sequence, IteratorProtocol {
    private let source: [UInt8]
    private var position: Int
    private let end: Int

    init(_ source: [UInt8], from start: Int, to end: Int) {
        self.source = source
        position = start
        self.end = end
    }

    mutating func next() -> CBORValue? {
        guard position < end else { return nil }
        let start = position
        position = Self.end(of: start, in: source, limit: end)
        return CBORValue(source: source, start: start, end: position)
    }

    /// Returns the index of the first byte after the item at `start`; checked bytes cannot fail.
    private static func end(of start: Int, in source: [UInt8], limit: Int) -> Int {
        guard let head = try? CBORHead(source, at: start, limit: limit) else {
            preconditionFailure("An item was checked before it became a value.")
        }
        var position = head.end
        if head.isIndefinite, head.major != 7 {
            while source[position] != CBORHead.breakByte { position = Self.end(of: position, in: source, limit: limit) }
            return position + 1
        }
        switch head.major {
        case 2, 3: return position + Int(head.argument)
        case 4, 5, 6:
            let count = head.major == 4 ? Int(head.argument) : head.major == 5 ? 2 * Int(head.argument) : 1
            for _ in 0..<count { position = Self.end(of: position, in: source, limit: limit) }
            return position
        default: return position
        }
    }
}
