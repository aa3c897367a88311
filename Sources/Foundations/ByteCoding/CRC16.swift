/// The 16-bit cyclic redundancy check known as CRC-16/KERMIT.
///
/// Polynomial 0x1021 reflected, initial value 0, no final exclusive-or; the check of the ASCII digits 1 to 9 is 0x2189.
/// Source: seed 000, "2. Data transfer".
public enum CRC16Kermit {
    /// Eight tables of 256, one behind the other: table `k` holds what a byte does to the value `k` bytes later.
    private static let tables: [UInt16] = {
        var tables: [UInt16] = (0..<256).map { byte in
            var value = UInt16(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0x8408 : value >> 1 }
            return value
        }
        for index in 256..<2048 {
            let earlier = tables[index - 256]
            tables.append(earlier >> 8 ^ tables[Int(earlier & 255)])
        }
        return tables
    }()

    /// The check value of `bytes`, which are looked at in place when they lie in one piece.
    public static func checksum(of bytes: some Sequence<UInt8>) -> UInt16 {
        let direct = bytes.withContiguousStorageIfAvailable { checksum(of: UnsafeRawBufferPointer($0)) }
        return direct ?? Array(bytes).withUnsafeBytes { checksum(of: $0) }
    }

    /// The check value of `bytes`, without any cost for each call but the check itself.
    public static func checksum(of bytes: [UInt8]) -> UInt16 { bytes.withUnsafeBytes { checksum(of: $0) } }

    /// The check value of `bytes`, without any cost for each call but the check itself.
    public static func checksum(of bytes: ArraySlice<UInt8>) -> UInt16 { bytes.withUnsafeBytes { checksum(of: $0) } }

    /// The check value of `bytes`, without any cost for each call but the check itself.
    public static func checksum(of bytes: Span<UInt8>) -> UInt16 {
        bytes.withUnsafeBufferPointer { checksum(of: UnsafeRawBufferPointer($0)) }
    }

    /// Eight bytes at a time, then the rest one by one.
    private static func checksum(of bytes: UnsafeRawBufferPointer) -> UInt16 {
        tables.withUnsafeBufferPointer { table in
            var value: UInt16 = 0
            var position = 0
            while bytes.count - position >= 8 {
                value = step(
                    value, UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)), table)
                position += 8
            }
            while position < bytes.count {
                value = value >> 8 ^ table[Int(UInt8(truncatingIfNeeded: value) ^ bytes[position])]
                position += 1
            }
            return value
        }
    }

    @inline(__always)
    private static func step(_ value: UInt16, _ word: UInt64, _ table: UnsafeBufferPointer<UInt16>) -> UInt16 {
        let mixed = word ^ UInt64(value)
        func look(_ index: Int) -> UInt16 { table[256 * (7 - index) + Int(mixed >> (8 * UInt64(index)) & 255)] }
        let early = look(0) ^ look(1) ^ look(2) ^ look(3)
        let late = look(4) ^ look(5) ^ look(6) ^ look(7)
        return early ^ late
    }
}
