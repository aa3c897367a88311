/// The state of a UTF-8 check of a text that arrives in pieces (RFC 3629 section 4).
struct UTF8StreamCheck: Sendable {
    /// The number of continuation bytes that the present character still needs.
    private var missing: UInt8 = 0
    /// The least value allowed for the next continuation byte; `high` is the greatest.
    private var low: UInt8 = 0x80
    private var high: UInt8 = 0xBF

    /// True when the text can end here, because no character is cut off.
    var isWhole: Bool { missing == 0 }

    /// Checks the bytes from `start`; false at the first one that is not valid UTF-8 there.
    mutating func take(_ bytes: [UInt8], from start: Int) -> Bool {
        var index = start
        while index < bytes.count {
            if missing == 0 {
                index = bytes.endOfASCII(from: index)
                guard index < bytes.count else { return true }
            }
            guard take(bytes[index]) else { return false }
            index += 1
        }
        return true
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        if missing > 0 {
            guard (low...high).contains(byte) else { return false }
            low = 0x80
            high = 0xBF
            missing = missing - 1
            return true
        }
        switch byte {
        case 0..<0x80: break
        case 0xC2...0xDF: missing = 1
        case 0xE0: (missing, low) = (2, 0xA0)
        case 0xED: (missing, high) = (2, 0x9F)
        case 0xE1...0xEF: missing = 2
        case 0xF0: (missing, low) = (3, 0x90)
        case 0xF4: (missing, high) = (3, 0x8F)
        case 0xF1...0xF3: missing = 3
        default: return false
        }
        return true
    }
}
