import JSON

/// Converts JSON values to the texts of RDF literals (JSON-LD 1.1 API, section 8.6).
enum LiteralConversion {
    private static let schema = "http://www.w3.org/2001/XMLSchema#"
    static let string = schema + "string"
    static let json = "http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON"

    /// Returns the text and the data type of a value's literal.
    ///
    /// - Throws: `linked-data.bad-document` for a number that is too large.
    static func form(of value: JSONValue, type: String?) throws(LinkedDataError) -> (text: String, type: String) {
        if type == "@json" {
            do throws(JSONError) {
                return (String(decoding: try value.canonical(), as: UTF8.self), json)
            } catch {
                throw .document("invalid JSON literal")
            }
        }
        switch value {
        case .string(let text): return (text, type ?? string)
        case .bool(let flag): return (flag ? "true" : "false", type ?? schema + "boolean")
        case .number(let number): return try form(of: number, type: type)
        case .null, .array, .object: throw .document("invalid value object value")
        }
    }

    private static func form(
        of number: JSONNumber, type: String?
    ) throws(LinkedDataError) -> (text: String, type: String) {
        guard let double = number.double else { throw .document("invalid number") }
        let isDouble = double.rounded() != double || double.magnitude >= 1e21 || type == schema + "double"
        if isDouble { return (text(ofDouble: double), type ?? schema + "double") }
        return (text(ofInteger: double), type ?? schema + "integer")
    }

    /// Returns the text of a whole number, without an exponent.
    private static func text(ofInteger value: Double) -> String {
        if let small = Int(exactly: value) { return String(small) }
        // Below 1e21, and so large that the last digits are those of the binary value.
        var (digits, rest) = ([UInt8](), value.magnitude)
        while rest >= 1 {
            let digit = rest.truncatingRemainder(dividingBy: 10)
            digits.append(UInt8(ascii: "0") + UInt8(digit))
            rest = ((rest - digit) / 10).rounded()
        }
        return (value < 0 ? "-" : "") + String(decoding: digits.reversed(), as: UTF8.self)
    }

    /// Returns the text of another number: a digit, a point, up to 15 further digits, and an exponent.
    private static func text(ofDouble value: Double) -> String {
        guard value != 0 else { return value.sign == .minus ? "-0.0E0" : "0.0E0" }
        let shortest = Array(value.magnitude.description.utf8)
        var (digits, exponent) = ([UInt8](), 0)
        var point: Int?
        for (index, byte) in shortest.enumerated() {
            if byte == UInt8(ascii: "e") {
                exponent = Int(String(decoding: shortest[(index + 1)...], as: UTF8.self)) ?? 0
                break
            }
            if byte == UInt8(ascii: ".") { point = digits.count } else { digits.append(byte) }
        }
        exponent += (point ?? digits.count) - 1
        let zeros = digits.prefix { $0 == UInt8(ascii: "0") }.count
        digits.removeFirst(zeros)
        exponent -= zeros
        (digits, exponent) = rounded(digits, exponent)
        while digits.count > 2, digits.last == UInt8(ascii: "0") { digits.removeLast() }
        if digits.count == 1 { digits.append(UInt8(ascii: "0")) }
        let text = String(decoding: digits[..<1], as: UTF8.self) + "." + String(decoding: digits[1...], as: UTF8.self)
        return (value < 0 ? "-" : "") + text + "E" + String(exponent)
    }

    /// Rounds the digits of a number to at most 16.
    private static func rounded(_ digits: [UInt8], _ exponent: Int) -> ([UInt8], Int) {
        guard digits.count > 16 else { return (digits, exponent) }
        var (kept, exponent) = (Array(digits[..<16]), exponent)
        guard digits[16] >= UInt8(ascii: "5") else { return (kept, exponent) }
        var index = 15
        while index >= 0, kept[index] == UInt8(ascii: "9") {
            kept[index] = UInt8(ascii: "0")
            index -= 1
        }
        if index >= 0 {
            kept[index] += 1
        } else {
            kept.insert(UInt8(ascii: "1"), at: 0)
            exponent += 1
        }
        return (kept, exponent)
    }
}
