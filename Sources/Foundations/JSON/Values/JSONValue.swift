/// A JSON value: null, boolean, number, string, array or object.
///
/// Values are equal when they hold the same: strings by their code points, numbers by their text, arrays in order, and
/// objects whatever the order of their members.
public enum JSONValue: Sendable {
    /// The word null.
    case null
    /// The word true or false.
    case bool(Bool)
    /// A number, as it was written.
    case number(JSONNumber)
    /// A string without escapes.
    case string(String)
    /// An array: values in order.
    case array([JSONValue])
    /// An object: named values.
    case object(JSONObject)

    /// Makes a whole number.
    public static func int(_ value: Int) -> JSONValue { .number(JSONNumber(value)) }

    /// Makes an array of strings.
    public static func strings(_ texts: some Sequence<String>) -> JSONValue { .array(texts.map { .string($0) }) }
}

/// Accessors that return nil for another kind of value; `JSONValueReader` throws errors instead.
extension JSONValue {
    /// The text of a string; nil for other kinds.
    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The boolean of `true` or `false`; nil for other kinds.
    public var bool: Bool? {
        if case .bool(let bool) = self { bool } else { nil }
    }

    /// The number of a JSON number; nil for other kinds.
    public var number: JSONNumber? {
        if case .number(let number) = self { number } else { nil }
    }

    /// A whole number that `Int` holds; nil for others and for other kinds.
    public var int: Int? { number?.int }

    /// The elements of an array; nil for other kinds.
    public var array: [JSONValue]? {
        if case .array(let values) = self { values } else { nil }
    }

    /// The members of an object; nil for other kinds.
    public var object: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// True when the value is null.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The member `name` of an object; nil for other kinds and when it is not there.
    public subscript(name: String) -> JSONValue? { object?[name] }

    /// The element of an array at `index`; nil for other kinds and when it is not there.
    public subscript(index: Int) -> JSONValue? {
        guard case .array(let values) = self, values.indices.contains(index) else { return nil }
        return values[index]
    }

    /// The kind of the value, in words with an article.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool(let bool): bool ? "true" : "false"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension JSONValue: Hashable {
    /// Returns true when both values are equal, as `JSONValue` defines it.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): JSONMemberName.areSame(left, right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        case (.null, _), (.bool, _), (.number, _), (.string, _), (.array, _), (.object, _): false
        }
    }

    /// Hashes the parts of the value that equality compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let bool): hasher.combine(bool)
        case .number(let number): hasher.combine(number)
        case .string(let text): hasher.combine(JSONMemberName(text: text))
        case .array(let values): hasher.combine(values)
        case .object(let object): hasher.combine(object)
        }
    }
}
