extension JSONValue: ExpressibleByNilLiteral {
    /// Makes the value null.
    public init(nilLiteral: ()) { self = .null }
}

extension JSONValue: ExpressibleByBooleanLiteral {
    /// Makes the value true or false.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSONValue: ExpressibleByIntegerLiteral {
    /// Makes a whole number.
    public init(integerLiteral value: Int) { self = .int(value) }
}

extension JSONValue: ExpressibleByFloatLiteral {
    /// A number; a literal too large for a double traps.
    public init(floatLiteral value: Double) {
        guard let number = JSONNumber(value) else { preconditionFailure("a number is finite") }
        self = .number(number)
    }
}

extension JSONValue: ExpressibleByStringInterpolation {
    /// Makes a string.
    public init(stringLiteral value: String) { self = .string(value) }
}

extension JSONValue: ExpressibleByArrayLiteral {
    /// Makes an array.
    public init(arrayLiteral values: JSONValue...) { self = .array(values) }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    /// An object with its members in the order written; a name that occurs twice traps.
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        var object = JSONObject()
        for (name, value) in members {
            precondition(object.append(name, value), "the name \(name) is there twice")
        }
        self = .object(object)
    }
}
