import ByteCoding

/// Header fields in their order; names compare without case, and one name may stand several times.
///
/// Any text can be put in; `firstFault` names what HTTP cannot carry, and is checked before sending.
public struct HTTPHeaders: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// A header field: name and value.
    public struct Field: Hashable, Sendable {
        /// The name as the program gave it; in lower case when it came from a peer.
        public let name: String
        /// The value of the field, without blanks around it.
        public let value: String

        /// Makes a header field from its parts.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// All fields in their order.
    public private(set) var fields: [Field] = []

    /// Makes headers without fields.
    public init() {}

    /// The fields of a literal, in its order.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field($0.0, $0.1) }
    }

    /// The first value under a name; setting it removes the others, setting nil removes all.
    public subscript(name: String) -> String? {
        get { fields.first { Self.isSame($0.name, name) }?.value }
        set {
            fields.removeAll { Self.isSame($0.name, name) }
            if let newValue { fields.append(Field(name, newValue)) }
        }
    }

    /// All values under a name, in their order.
    public func values(_ name: String) -> [String] {
        fields.filter { Self.isSame($0.name, name) }.map(\.value)
    }

    /// Adds a field after the others.
    public mutating func add(_ name: String, _ value: String) {
        fields.append(Field(name, value))
    }

    /// Bytes that the fields take on the wire: name, colon, blank, value and line end each.
    public var sizeBytes: Int { fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 } }

    /// The first name or value that HTTP cannot carry; nil when there is none.
    ///
    /// A name is one or more token characters of RFC 9110; a value holds no control character but the tab.
    public var firstFault: String? {
        for field in fields {
            if !Self.isToken(field.name) { return "a header name is not a token" }
            if !Self.isValue(field.value) { return "the value of \(field.name) holds a control character" }
        }
        return nil
    }

    /// Returns true when a text is a token: one or more letters, digits and marks without separators.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { isTokenByte($0) }
    }

    static func isValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 == 9 || $0 >= 32 && $0 != 127 }
    }

    /// Compares as ASCII, without case.
    static func isSame(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && zip(left.utf8, right.utf8).allSatisfy { lower($0) == lower($1) }
    }

    /// Returns true when a comma-separated list holds `word`, ignoring case.
    static func list(_ value: String, holds word: String) -> Bool {
        value.parts(at: ",").contains { part in
            isSame(String(decoding: part.utf8.filter { $0 != 0x20 && $0 != 9 }, as: UTF8.self), word)
        }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    private static func lower(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
