/// A JSON value together with its place in the document, so that errors in received JSON can name the place.
///
/// Methods that throw use `json.missing` for an absent value, `json.wrong-kind` for one of another kind, and
/// `json.number-out-of-range` for a number that does not fit. Optional values take `null` for absent, and a value of
/// another kind is refused.
public struct JSONValueReader: Hashable, Sendable {
    /// The JSON value that is read.
    public let value: JSONValue

    /// The path of the value in the document.
    public let path: JSONPath

    /// Makes a reader of the value at `path`.
    public init(_ value: JSONValue, at path: JSONPath = .root) {
        self.value = value
        self.path = path
    }

    /// Makes a reader of the object at `path`.
    public init(object: JSONObject, at path: JSONPath = .root) {
        self.init(.object(object), at: path)
    }

    /// Makes an error that names the place of this value, for readers that check more than its kind.
    public func error(_ code: JSONError.Code, _ reason: String) -> JSONError { JSONError(code, at: path, reason) }

    // The value itself.

    /// Returns the value, which must be a string.
    public func string() throws(JSONError) -> String {
        guard case .string(let text) = value else { throw wrongKind("a string") }
        return text
    }

    /// Returns the value, which must be a number without a fraction that `Int` holds.
    public func int() throws(JSONError) -> Int {
        guard case .number(let number) = value else { throw wrongKind("a number") }
        guard let int = number.int else { throw error(.numberOutOfRange, "no whole number that fits is") }
        return int
    }

    /// Returns the value, which must be a number that `Double` holds, maybe rounded.
    public func double() throws(JSONError) -> Double {
        guard case .number(let number) = value else { throw wrongKind("a number") }
        guard let double = number.double else { throw error(.numberOutOfRange, "no number that fits is") }
        return double
    }

    /// Returns the value, which must be true or false.
    public func bool() throws(JSONError) -> Bool {
        guard case .bool(let bool) = value else { throw wrongKind("true or false") }
        return bool
    }

    /// Returns the value, which must be an object.
    public func object() throws(JSONError) -> JSONObject {
        guard case .object(let object) = value else { throw wrongKind("an object") }
        return object
    }

    /// Returns the elements of the value, which must be an array, each with its place.
    public func elements() throws(JSONError) -> [JSONValueReader] {
        guard case .array(let values) = value else { throw wrongKind("an array") }
        return values.indices.map { JSONValueReader(values[$0], at: .element(path, $0)) }
    }

    /// Returns the elements of the value, which must be an array of strings.
    public func strings() throws(JSONError) -> [String] {
        var texts: [String] = []
        for element in try elements() { texts.append(try element.string()) }
        return texts
    }

    // Members that must be there.

    /// Returns the member `name` of the value, which must be an object that has it; it may be null.
    public func member(_ name: String) throws(JSONError) -> JSONValueReader {
        let memberPath = JSONPath.member(path, name)
        guard let value = try object()[name] else { throw JSONError(.missing, at: memberPath, "nothing is") }
        return JSONValueReader(value, at: memberPath)
    }

    /// Returns the member `name`, which must be a string.
    public func string(_ name: String) throws(JSONError) -> String { try member(name).string() }

    /// Returns the member `name`, which must be a number without a fraction that `Int` holds.
    public func int(_ name: String) throws(JSONError) -> Int { try member(name).int() }

    /// Returns the member `name`, which must be a number.
    public func double(_ name: String) throws(JSONError) -> Double { try member(name).double() }

    /// The member `name`, which must be true or false.
    public func bool(_ name: String) throws(JSONError) -> Bool { try member(name).bool() }

    /// Returns the member `name`, which must be an object; read it through `member(_:)` to keep its place.
    public func object(_ name: String) throws(JSONError) -> JSONObject { try member(name).object() }

    /// Returns the elements of the member `name`, which must be an array.
    public func elements(_ name: String) throws(JSONError) -> [JSONValueReader] { try member(name).elements() }

    /// Returns the elements of the member `name`, which must be an array of strings.
    public func strings(_ name: String) throws(JSONError) -> [String] { try member(name).strings() }

    // Members that may be absent or null.

    /// Returns the member `name` of the value, which must be an object; nil when it is absent or null.
    public func optional(_ name: String) throws(JSONError) -> JSONValueReader? {
        guard let value = try object()[name], value != .null else { return nil }
        return JSONValueReader(value, at: .member(path, name))
    }

    /// Returns the string in the member `name`; nil when the member is absent or null.
    public func optionalString(_ name: String) throws(JSONError) -> String? { try optional(name)?.string() }

    /// Returns the whole number in the member `name`; nil when the member is absent or null.
    public func optionalInt(_ name: String) throws(JSONError) -> Int? { try optional(name)?.int() }

    /// Returns the boolean in the member `name`; nil when the member is absent or null.
    public func optionalBool(_ name: String) throws(JSONError) -> Bool? { try optional(name)?.bool() }

    /// Returns the object in the member `name`; nil when the member is absent or null.
    public func optionalObject(_ name: String) throws(JSONError) -> JSONObject? { try optional(name)?.object() }

    /// Returns the elements of the array in the member `name`; nil when the member is absent or null.
    public func optionalElements(_ name: String) throws(JSONError) -> [JSONValueReader]? {
        try optional(name)?.elements()
    }

    /// Returns the strings of the array in the member `name`; nil when the member is absent or null.
    public func optionalStrings(_ name: String) throws(JSONError) -> [String]? { try optional(name)?.strings() }

    private func wrongKind(_ wanted: String) -> JSONError {
        error(.wrongKind, "\(wanted) is needed, but \(value.kind) is")
    }
}
