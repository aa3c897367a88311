/// A JSON number as it is written, because JSON does not limit its size or precision.
///
/// Numbers are equal when their texts are: `1`, `1.0` and `1e0` differ. Compare `int` or `double` for the quantity.
public struct JSONNumber: Hashable, Sendable {
    /// The text of the number, following the grammar of RFC 8259, section 6.
    public let text: String

    /// Makes a number of a text whose grammar was checked.
    init(checked text: String) { self.text = text }

    /// Makes a JSON number from a whole number.
    public init(_ value: Int) { text = String(value) }

    /// Makes a number as ECMAScript writes it; nil for infinities and NaN.
    public init?(_ value: Double) {
        guard let text = ECMAScriptNumber.text(of: value) else { return nil }
        self.text = text
    }

    /// Makes a number of its text; nil when the grammar of JSON has no such number.
    public init?(text: String) {
        guard case .number(let number)? = try? JSONValue(parsing: text), number.text == text else { return nil }
        self = number
    }

    /// The number as `Int`; nil when it is not whole or does not fit.
    ///
    /// It is exact for texts of digits only, and for others, such as `1e3`, up to 2^53.
    public var int: Int? {
        if let int = Int(text) { return int }
        guard let double = Double(text), double.magnitude <= 0x1p53 else { return nil }
        return Int(exactly: double)
    }

    /// The nearest double to the number; nil when it would be infinite.
    public var double: Double? {
        guard let double = Double(text), double.isFinite else { return nil }
        return double
    }
}
