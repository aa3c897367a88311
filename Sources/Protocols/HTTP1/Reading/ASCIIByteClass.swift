/// Sets of ASCII characters, one bit for each.
struct ASCIIByteClass: Sendable {
    private let low: UInt64
    private let high: UInt64

    /// The characters of a token: `tchar` of RFC 9110 section 5.6.2.
    static let token = ASCIIByteClass(low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE)
    /// The characters that a request target may hold (RFC 3986): unreserved, sub-delims and `: @ / ? %`.
    static let target = ASCIIByteClass(low: 0xAFFF_FFF2_0000_0000, high: 0x47FF_FFFE_87FF_FFFF)
    /// The characters that a target with a scheme may hold: also the brackets of an IPv6 address.
    static let absoluteTarget = ASCIIByteClass(low: 0xAFFF_FFF2_0000_0000, high: 0x47FF_FFFE_AFFF_FFFF)
    /// The characters that a host name may hold here: unreserved and sub-delims of RFC 3986, nothing percent-encoded.
    static let host = ASCIIByteClass(low: 0x2BFF_7FD2_0000_0000, high: 0x47FF_FFFE_87FF_FFFE)

    @inline(__always)
    func holds(_ byte: UInt8) -> Bool {
        byte < 128 && (byte < 64 ? low : high) >> UInt64(byte & 63) & 1 == 1
    }

    static func isDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 }

    /// Returns the value of a hexadecimal digit; nil for another byte.
    static func hexValue(_ byte: UInt8) -> UInt8? {
        if isDigit(byte) { return byte - 48 }
        let letter = (byte | 0x20) &- 97
        return letter < 6 ? letter + 10 : nil
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }

    /// Returns true for a byte that a field value or a start line may hold: no control character but the tab.
    static func isText(_ byte: UInt8) -> Bool { byte >= 32 ? byte != 127 : byte == 9 }
}

// Questions of the parser about parts of the bytes of a header.
extension [UInt8] {
    func all(_ byteClass: ASCIIByteClass, in range: Range<Int>) -> Bool {
        for index in range where !byteClass.holds(self[index]) { return false }
        return true
    }

    func allDigits(in range: Range<Int>) -> Bool {
        for index in range where !ASCIIByteClass.isDigit(self[index]) { return false }
        return true
    }

    func first(_ byte: UInt8, in range: Range<Int>) -> Int? {
        for index in range where self[index] == byte { return index }
        return nil
    }

    func last(_ byte: UInt8, in range: Range<Int>) -> Int? {
        for index in range.reversed() where self[index] == byte { return index }
        return nil
    }

    /// Returns the range without the blanks and tabs at both ends; an empty range stays where it is.
    func trimmed(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, ASCIIByteClass.isBlank(self[start]) { start += 1 }
        while start < end, ASCIIByteClass.isBlank(self[end - 1]) { end -= 1 }
        return start..<end
    }

    /// Returns true when the bytes in `range` are an ASCII text, ignoring case.
    func isSame(_ range: Range<Int>, _ text: String) -> Bool {
        guard range.count == text.utf8.count else { return false }
        var index = range.lowerBound
        for byte in text.utf8 {
            if Self.lower(self[index]) != Self.lower(byte) { return false }
            index += 1
        }
        return true
    }

    /// Returns true when the bytes in `range` are exactly the UTF-8 of a text.
    func isExactly(_ range: Range<Int>, _ text: String) -> Bool {
        guard range.count == text.utf8.count else { return false }
        var index = range.lowerBound
        for byte in text.utf8 {
            if self[index] != byte { return false }
            index += 1
        }
        return true
    }

    private static func lower(_ byte: UInt8) -> UInt8 { byte &- 65 < 26 ? byte | 0x20 : byte }
}
