import Compression

/// Messages that the tests compress.
enum Messages {
    /// Bytes that hardly compress, the same each time.
    static func noise(count: Int) -> [UInt8] {
        var state: UInt64 = 0x2545_F491_4F6C_DD1D
        return (0..<count).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return UInt8(truncatingIfNeeded: state >> 32)
        }
    }

    /// Bytes that compress a few times, the same each time.
    static func text(count: Int) -> [UInt8] { noise(count: count).map { UInt8(ascii: "a") + $0 % 4 } }
}

/// Members put together by hand, as other writers might.
enum Members {
    /// A header with the optional fields that `flags` name: text 1, check 2, extra 4, name 8, comment 16.
    static func header(flags: UInt8, name: [UInt8]) -> [UInt8] {
        var header: [UInt8] = [0x1F, 0x8B, 8, flags, 0x78, 0x56, 0x34, 0x12, 2, 0xFF]
        if flags & 4 != 0 { header += [6, 0] + Array("AB".utf8) + [2, 0, 9, 9] }
        if flags & 8 != 0 { header += name + [0] }
        if flags & 16 != 0 { header += Array("a comment".utf8) + [0] }
        if flags & 2 != 0 { header += littleEndian(CRC32.checksum(of: header), count: 2) }
        return header
    }

    static func wrap(
        header: [UInt8] = Members.header(flags: 0, name: []), deflated: [UInt8], of message: [UInt8]
    ) -> [UInt8] {
        header + deflated + littleEndian(CRC32.checksum(of: message), count: 4)
            + littleEndian(UInt32(message.count), count: 4)
    }

    private static func littleEndian(_ value: UInt32, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
