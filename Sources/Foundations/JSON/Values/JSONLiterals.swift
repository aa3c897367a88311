extension JSONValue: ExpressibleByNilLiteral {
    /// Makes the JSON value null.
    public init(nilLiteral: ()) { self = .null }
}

extension JSONValue: ExpressibleByBooleanLiteral {
    /// Makes the JSON value true or false.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSONValue: ExpressibleByIntegerLiteral {
    /// Makes a JSON number from a literal whole number.
    public init(integerLiteral value: Int) { self = .int(value) }
}

extension JSONValue: ExpressibleByFloatLiteral {
    /// Makes a JSON number from a literal; one too large for a double traps.
    public init(floatLiteral value: Double) {
        guard let number = JSONNumber(value) else { preconditionFailure("a number is finite") }
        self = .number(number)
    }
}

extension JSONValue: ExpressibleByStringInterpolation {
    /// Makes a JSON string from a literal.
    public init(stringLiteral value: String) { self = .string(value) }
}

extension JSONValue: ExpressibleByArrayLiteral {
    /// Makes a JSON array from a literal.
    public init(arrayLiteral values: JSONValue...) { self = .array(values) }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    /// Makes a JSON object with its members in the order written; a name that occurs twice traps.
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        var object = JSONObject()
        for (name, value) in members {
            precondition(object.append(name, value), "the name \(name) is there twice")
        }
        self = .object(object)
    }
}
