/// JSON text as it arrived, with the value that it holds.
///
/// The bytes stay as they were, so that signatures over them can be checked and nothing has to be written again.
/// Source: RFC 8259, with the restrictions of RFC 7493 (I-JSON) on names, surrogates and encoding.
public struct JSONDocument: Sendable {
    /// The bytes that were parsed, unchanged.
    public let bytes: [UInt8]

    /// The value that the bytes hold.
    public let value: JSONValue

    /// Parses `bytes`, which hold one value and around it nothing but white space.
    ///
    /// Throws every code of `JSONError` but `json.missing`, `json.wrong-kind` and `json.number-out-of-range`: numbers
    /// keep their text, whatever their size.
    public init(parsing bytes: [UInt8], limits: JSONLimits = .standard) throws(JSONError) {
        var parser = JSONParser(bytes, limits: limits)
        value = try parser.document()
        self.bytes = bytes
    }

    /// Parses a text like its UTF-8 bytes in `init(parsing:limits:)`.
    public init(parsing text: String, limits: JSONLimits = .standard) throws(JSONError) {
        try self.init(parsing: Array(text.utf8), limits: limits)
    }

    /// A reader of the whole value, whose errors name the place in the document, from `$` on.
    public var reader: JSONValueReader { JSONValueReader(value) }

    /// Returns the bytes of the value at `path` exactly as they arrived, without the white space around it.
    ///
    /// Looks for them in the whole document again, so ask once. Throws `json.missing` and `json.wrong-kind`.
    public func bytes(at path: JSONPath) throws(JSONError) -> ArraySlice<UInt8> {
        bytes[try range(at: path)]
    }

    /// Returns the range in `bytes` of the value at `path`, as in `bytes(at:)`.
    public func range(at path: JSONPath) throws(JSONError) -> Range<Int> {
        var scanner = JSONRangeScanner(bytes)
        for (step, place) in path.places { try scanner.enter(step, at: place) }
        return scanner.value()
    }
}

extension JSONValue {
    /// Parses `bytes` as one JSON value; `JSONDocument` keeps the bytes too.
    public init(parsing bytes: [UInt8], limits: JSONLimits = .standard) throws(JSONError) {
        var parser = JSONParser(bytes, limits: limits)
        self = try parser.document()
    }

    /// Parses a text as one JSON value; `JSONDocument` keeps the bytes too.
    public init(parsing text: String, limits: JSONLimits = .standard) throws(JSONError) {
        try self.init(parsing: Array(text.utf8), limits: limits)
    }
}
