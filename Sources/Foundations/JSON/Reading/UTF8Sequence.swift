/// The well-formed sequences of UTF-8 beyond ASCII, Unicode Standard, table 3-7.
enum UTF8Sequence {
    /// Returns the number of bytes of the sequence at `position`, 2 to 4; nil when it is ill-formed, cut off, or ASCII.
    static func length(in bytes: [UInt8], at position: Int) -> Int? {
        guard let (length, second) = begin(bytes[position]), bytes.count - position >= length else { return nil }
        guard second.contains(bytes[position + 1]) else { return nil }
        for index in (position + 2)..<(position + max(2, length)) where bytes[index] & 0xC0 != 0x80 { return nil }
        return length
    }

    /// Returns the length of the sequence that a first byte begins, and the allowed range of its second byte.
    private static func begin(_ byte: UInt8) -> (length: Int, second: ClosedRange<UInt8>)? {
        switch byte {
        case 0xC2...0xDF: (2, 0x80...0xBF)
        case 0xE0: (3, 0xA0...0xBF)
        case 0xED: (3, 0x80...0x9F)
        case 0xE1...0xEF: (3, 0x80...0xBF)
        case 0xF0: (4, 0x90...0xBF)
        case 0xF4: (4, 0x80...0x8F)
        case 0xF1...0xF3: (4, 0x80...0xBF)
        default: nil
        }
    }
}
