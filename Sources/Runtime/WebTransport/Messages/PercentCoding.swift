import ByteCoding

/// The percent-encoding of RFC 3986.
enum PercentCoding {
    /// Keeps letters, digits, `-._~` and what `keeping` names; the rest is encoded byte by byte, in capitals.
    static func encode(_ text: String, keeping: String = "") -> String {
        let kept = Array(keeping.utf8)
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if isUnreserved(byte) || kept.contains(byte) {
                output.append(byte)
            } else {
                output.append(UInt8(ascii: "%"))
                output += Hex.encode([byte]).uppercased().utf8
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Decodes percent-encoded bytes; nil where a percent sign is not followed by two hexadecimal digits.
    static func decode(_ bytes: [UInt8], plusIsBlank: Bool) -> [UInt8]? {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                    return nil
                }
                output.append(high << 4 | low)
            } else {
                output.append(plusIsBlank && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return output
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-._~".utf8.contains(byte)
        }
    }
}
