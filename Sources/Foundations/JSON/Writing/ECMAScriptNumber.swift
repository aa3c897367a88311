/// The ECMAScript form of a double: the shortest digits that mean it, without an exponent from 1e-6 up to 1e21.
///
/// Source: ECMA-262, Number::toString; RFC 8785, section 3.2.2.3.
enum ECMAScriptNumber {
    /// Returns a double as ECMAScript writes it; nil for infinities and NaN.
    static func text(of value: Double) -> String? {
        guard value.isFinite else { return nil }
        guard value != 0 else { return "0" }
        let (digits, exponent) = shortest(value.magnitude)
        let sign = value < 0 ? "-" : ""
        return sign + layout(digits, exponent)
    }

    /// Returns the shortest digits of a double, without zeros at either end, and the digits before the decimal point.
    private static func shortest(_ value: Double) -> (digits: [UInt8], point: Int) {
        var digits: [UInt8] = []
        var point: Int?
        var exponent = 0
        let text = Array(value.description.utf8)
        for (index, byte) in text.enumerated() {
            if byte == UInt8(ascii: ".") {
                point = digits.count
            } else if byte == UInt8(ascii: "e") {
                exponent = Int(String(decoding: text[(index + 1)...], as: UTF8.self)) ?? 0
                break
            } else {
                digits.append(byte)
            }
        }
        let leading = digits.prefix { $0 == UInt8(ascii: "0") }.count
        let pointPosition = (point ?? digits.count) + exponent - leading
        digits.removeFirst(leading)
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        return (digits, pointPosition)
    }

    private static func layout(_ digits: [UInt8], _ point: Int) -> String {
        let text = String(decoding: digits, as: UTF8.self)
        switch point {
        case digits.count...21: return text + String(repeating: "0", count: point - digits.count)
        case 1..<max(2, digits.count) where point < digits.count && point <= 21:
            return String(decoding: digits[..<point], as: UTF8.self) + "."
                + String(decoding: digits[point...], as: UTF8.self)
        case -5...0: return "0." + String(repeating: "0", count: -point) + text
        default:
            let fraction = digits.count > 1 ? "." + String(decoding: digits[1...], as: UTF8.self) : ""
            let exponent = point - 1
            return String(decoding: digits[..<1], as: UTF8.self) + fraction + "e" + (exponent < 0 ? "" : "+")
                + String(exponent)
        }
    }
}
