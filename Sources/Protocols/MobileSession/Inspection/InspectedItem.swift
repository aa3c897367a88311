import ByteCoding
import CBOR

/// An item of CBOR in an inspected structure, with its place.
package struct InspectedItem: Hashable, Sendable {
    /// The name of the item in its structure: the name that the standard gives a number, or the key itself.
    ///
    /// It may be text of the input.
    package let name: String
    /// The value in short, which may be text of the input; of a map or an array the count.
    package let value: String
    /// The bytes of the item, from the first byte of the structure.
    package let range: Range<Int>
    /// The number of items that this one lies in.
    package let depth: Int
}

/// Lists the items of a structure in the order of the bytes, those in byte strings with tag 24 among them.
struct InspectedItemList {
    /// The most items that are listed.
    static let maximumCount = 2000
    /// The deepest item that is listed.
    static let maximumDepth = 48
    /// The most bytes of a byte string, and code points of a longer text, that are shown.
    private static let shownCount = 64
    /// The most byte strings that lie in one another.
    private static let maximumEmbedding = 8

    /// The items, up to the limits.
    private(set) var items: [InspectedItem] = []
    /// The deviations of the encoding, up to the limits.
    private(set) var deviations: [PlacedDeviation] = []
    /// True when there are more or deeper items than are listed.
    private(set) var isCutOff = false

    /// Lists an item and all in it.
    init(_ value: CBORValue, name: String, shape: InspectedShape) {
        add(value, name: name, shape: shape, depth: 0, embedding: 0)
    }

    private mutating func add(
        _ value: CBORValue, name: String, shape: InspectedShape, depth: Int, embedding: Int
    ) {
        guard items.count < Self.maximumCount, depth <= Self.maximumDepth else {
            isCutOff = true
            return
        }
        noteHead(of: value)
        // Of items in byte strings the innermost is listed.
        var (inner, shape, embedding) = (value, shape, embedding)
        while embedding < Self.maximumEmbedding, let next = shape.embedded(in: inner) {
            noteHead(of: next)
            inner = next
            embedding += 1
            if shape == .signed { shape = .plain }
        }
        let isOuter = inner.range == value.range
        let text = shape == .secret ? "not shown" : Self.text(of: inner)
        items.append(
            InspectedItem(
                name: name, value: isOuter ? text : "item of \(inner.range.count) bytes: \(text)", range: value.range,
                depth: depth))
        addParts(of: inner, shape, depth, embedding)
    }

    private mutating func addParts(
        of value: CBORValue, _ shape: InspectedShape, _ depth: Int, _ embedding: Int
    ) {
        switch value.content {
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                guard items.count < Self.maximumCount else {
                    isCutOff = true
                    return
                }
                let (name, inner) = shape.element(index, of: value)
                add(element, name: name, shape: inner, depth: depth + 1, embedding: embedding)
            }
        case .map(let entries):
            for entry in entries {
                guard items.count < Self.maximumCount else {
                    isCutOff = true
                    return
                }
                noteHead(of: entry.key)
                let (name, inner) = shape.member(entry.key)
                add(entry.value, name: name, shape: inner, depth: depth + 1, embedding: embedding)
            }
        case .tagged(_, let content):
            addParts(of: content, shape, depth, embedding)
        case .unsigned, .negative, .bytes, .text, .bool, .null, .undefined, .simple, .float: return
        }
    }

    /// Notes a head that is longer than it need be, or that states no length.
    private mutating func noteHead(of value: CBORValue) {
        if let content = value.tagged?.content { noteHead(of: content) }
        let bytes = value.encoding
        guard deviations.count < MobileDeviationFinder.maximumCount, let first = bytes.first, first >> 5 != 7 else {
            return
        }
        let information = first & 31
        if information == 31 { return deviations.append(PlacedDeviation(.indefiniteLength, value.range)) }
        guard 24...27 ~= information else { return }
        let width = 1 << Int(information - 24)
        let argument = UInt64(bigEndianBytes: bytes.dropFirst().prefix(width))
        let least: UInt64 = width == 1 ? 24 : 1 << (4 * UInt64(width))
        guard argument < least else { return }
        deviations.append(PlacedDeviation(.longEncoding, value.range.lowerBound..<value.range.lowerBound + 1 + width))
    }

    private static func text(of value: CBORValue) -> String {
        switch value.content {
        case .unsigned(let number): return "\(number)"
        case .negative(let number): return number < UInt64(Int64.max) ? "-\(number + 1)" : "a large negative number"
        case .bytes(let bytes):
            let digits = Hex.encode(bytes.prefix(shownCount))
            return "\(bytes.count) bytes \(digits)\(bytes.count > shownCount ? "…" : "")"
        case .text(let text):
            return text.utf8.count > shownCount ? "“\(text.start(scalars: shownCount))…”" : "“\(text)”"
        case .array(let elements): return "array of \(elements.count)"
        case .map(let entries): return "map of \(entries.count)"
        case .tagged(let tag, let content): return "tag \(tag), \(text(of: content))"
        case .bool(let value): return value ? "true" : "false"
        case .null: return "null"
        case .undefined: return "undefined"
        case .simple(let value): return "simple value \(value)"
        case .float(let number): return "\(number)"
        }
    }
}

/// The meaning of the numbers in a part of a structure.
enum InspectedShape: Equatable {
    /// Keys are texts that name themselves.
    case plain
    case engagement, security, methods, method, bluetooth, capabilities
    case key, headers, cose, coseList, transcript, authentication
    /// A byte string whose item is signed.
    case signed
    /// A value that is not shown: the private part of a key.
    case secret

    /// The shapes of members by the names of their keys, wherever they stand.
    private static let named: [String: Self] = [
        "eReaderKey": .key, "e_reader_key": .key, "deviceKey": .key, "issuerAuth": .cose, "readerAuth": .cose,
        "readerAuthAll": .coseList, "deviceSignature": .cose, "deviceMac": .cose,
    ]

    private static let members: [Self: [Int: (name: String, shape: Self)]] = [
        .engagement: [
            0: ("version", .plain), 1: ("security", .security), 2: ("methods", .methods),
            5: ("origin infos", .plain), 6: ("capabilities", .capabilities),
        ],
        .bluetooth: [
            0: ("peripheral server mode", .plain), 1: ("central client mode", .plain),
            10: ("service of peripheral server mode", .plain), 11: ("service of central client mode", .plain),
            20: ("device address", .plain), 21: ("PSM", .plain),
        ],
        .capabilities: [
            2: ("early establishment", .plain), 3: ("readerAuthAll", .plain), 4: ("extended requests", .plain),
        ],
        .key: [
            1: ("kty", .plain), -1: ("crv", .plain), -2: ("x", .plain), -3: ("y", .plain), -4: ("d", .secret),
        ],
        .headers: [
            1: ("alg", .plain), 2: ("crit", .plain), 4: ("kid", .plain), 33: ("x5chain", .plain), 34: ("x5t", .plain),
        ],
    ]

    private static let elements: [Self: [(name: String, shape: Self)]] = [
        .engagement: [("version", .plain), ("security", .security), ("methods", .methods)],
        .security: [("cipher suite", .plain), ("EDeviceKeyBytes", .key)],
        .method: [("type", .plain), ("version", .plain), ("options", .plain)],
        .cose: [("protected", .headers), ("unprotected", .headers), ("payload", .signed), ("signature", .plain)],
        .transcript: [("DeviceEngagementBytes", .engagement), ("EReaderKeyBytes", .key), ("Handover", .plain)],
        .authentication: [("context", .plain), ("SessionTranscript", .transcript)],
    ]

    /// Returns the name and the shape of a map's member.
    func member(_ key: CBORValue) -> (name: String, shape: Self) {
        if let number = key.int { return Self.members[self]?[number] ?? ("\(number)", .plain) }
        guard let text = key.text else { return ("key in bytes", .plain) }
        return (text, Self.named[text] ?? .plain)
    }

    /// Returns the name and the shape of an array's element.
    func element(_ index: Int, of value: CBORValue) -> (name: String, shape: Self) {
        if self == .methods { return ("method", .method) }
        if self == .coseList {
            // One object in place of a list is read as the object.
            return value.array?.first?.bytes == nil ? ("[\(index)]", .cose) : Self.cose.element(index, of: value)
        }
        if self == .method, index == 2, value.array?.first?.int == 2 { return ("options", .bluetooth) }
        let known = Self.elements[self] ?? []
        return index < known.count ? known[index] : ("[\(index)]", .plain)
    }

    /// Returns the item in a byte string that has tag 24, or that holds headers or what is signed; else nil.
    func embedded(in value: CBORValue) -> CBORValue? {
        value.tagged == nil && self != .headers && self != .signed ? nil : value.placedItem
    }
}

extension CBORValue {
    /// The item in a byte string with tag 24 or without a tag; nil for another value.
    ///
    /// Nil also for a string of indefinite length, whose item has no place in the input.
    var placedItem: CBORValue? {
        let string = tagged.map { $0.tag == 24 ? $0.content : self } ?? self
        guard let first = string.encoding.first, first >> 5 == 2, first != 0x5F else { return nil }
        var limits = CBORLimits()
        limits.maximumBytes = MobileInspection.maximumBytes
        return try? string.encoded(limits: limits)
    }
}
