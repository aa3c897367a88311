/// A JSON value to be written, whose members keep the order in which they were given, so that output is the same every
/// time.
///
/// Not `JSONValue`, because it is never read: `Terminal` needs no parser, and two objects with another order differ.
public enum JSONText: Hashable, Sendable {
    /// The value null.
    case null
    /// A Boolean: true or false.
    case bool(Bool)
    /// A whole number.
    case integer(Int)
    /// A number; an infinite one or NaN is written as null.
    case number(Double)
    /// A string.
    case string(String)
    /// An array: values in order.
    case array([JSONText])
    /// An object: members in order.
    case object([Member])

    /// A member of an object: a name and its value.
    public struct Member: Hashable, Sendable {
        /// The name of the member.
        public let name: String
        /// The value of the member.
        public let value: JSONText

        /// Makes a member of a JSON object from its parts.
        public init(_ name: String, _ value: JSONText) {
            self.name = name
            self.value = value
        }
    }

    /// Makes a string, or null for nil.
    public static func string(_ text: String?) -> JSONText { text.map(JSONText.string) ?? .null }

    /// Makes an integer, or null for nil.
    public static func integer(_ value: Int?) -> JSONText { value.map(JSONText.integer) ?? .null }

    /// Makes a number rounded to `places` (0 to 6) digits after the point, or null for nil.
    public static func number(_ value: Double?, places: Int) -> JSONText {
        guard let value, value.isFinite, abs(value) < 1e12 else { return .null }
        return Double(NumberText.decimal(value, places: places)).map(JSONText.number) ?? .null
    }

    /// The value on one line, without spaces: UTF-8 as it is, control characters and U+2028 and U+2029 escaped, a whole
    /// number never with a point.
    public var line: String {
        var text = ""
        write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .number(let value): text += Self.spelled(value)
        case .string(let value): Self.quote(value, into: &text)
        case .array(let values):
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += "," }
                value.write(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { text += "," }
                Self.quote(member.name, into: &text)
                text += ":"
                member.value.write(to: &text)
            }
            text += "}"
        }
    }

    private static func spelled(_ value: Double) -> String {
        guard value.isFinite else { return "null" }
        if let whole = Int(exactly: value) { return String(whole) }
        return "\(value)"
    }

    private static func quote(_ value: String, into text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            // Besides what JSON asks for: what steers a terminal, or turns the direction of writing on one.
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{61C}", "\u{200B}"..."\u{200F}",
                "\u{2028}"..."\u{202E}", "\u{2060}"..."\u{206F}", "\u{FEFF}":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
