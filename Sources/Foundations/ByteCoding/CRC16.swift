/// The 16-bit cyclic redundancy check known as CRC-16/KERMIT.
///
/// Polynomial 0x1021 reflected, initial value 0, no final exclusive-or; the check of the ASCII digits 1 to 9 is 0x2189.
/// Source: seed 000, "2. Data transfer".
public enum CRC16Kermit {
    /// Sixteen tables of 256, one behind the other: table `k` holds what a byte does to the value `k` bytes later.
    private static let tables: [UInt16] = {
        var tables: [UInt16] = (0..<256).map { byte in
            var value = UInt16(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0x8408 : value >> 1 }
            return value
        }
        for index in 256..<4096 {
            let earlier = tables[index - 256]
            tables.append(earlier >> 8 ^ tables[Int(earlier & 255)])
        }
        return tables
    }()

    /// Returns the check value of `bytes`, which are looked at in place when they lie in one piece.
    public static func checksum(of bytes: some Sequence<UInt8>) -> UInt16 {
        let direct = bytes.withContiguousStorageIfAvailable { checksum(of: UnsafeRawBufferPointer($0)) }
        return direct ?? Array(bytes).withUnsafeBytes { checksum(of: $0) }
    }

    /// Returns the CRC-16/KERMIT of an array, read in place.
    public static func checksum(of bytes: [UInt8]) -> UInt16 { bytes.withUnsafeBytes { checksum(of: $0) } }

    /// Returns the CRC-16/KERMIT of an array slice, read in place.
    public static func checksum(of bytes: ArraySlice<UInt8>) -> UInt16 { bytes.withUnsafeBytes { checksum(of: $0) } }

    /// Returns the CRC-16/KERMIT of a span, read in place.
    public static func checksum(of bytes: Span<UInt8>) -> UInt16 {
        bytes.withUnsafeBufferPointer { checksum(of: UnsafeRawBufferPointer($0)) }
    }

    /// Computes the check value of sixteen bytes at a time, then of the rest one by one.
    private static func checksum(of bytes: UnsafeRawBufferPointer) -> UInt16 {
        tables.withUnsafeBufferPointer { table in
            var value: UInt16 = 0
            var position = 0
            while bytes.count - position >= 16 {
                let first = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
                let second = bytes.loadUnaligned(fromByteOffset: position + 8, as: UInt64.self)
                value = step(value, UInt64(littleEndian: first), UInt64(littleEndian: second), table)
                position += 16
            }
            while position < bytes.count {
                value = value >> 8 ^ table[Int(UInt8(truncatingIfNeeded: value) ^ bytes[position])]
                position += 1
            }
            return value
        }
    }

    /// Feeds sixteen bytes into the check value; two of the sixteen look-ups wait for its value before.
    @inline(__always)
    private static func step(
        _ value: UInt16, _ first: UInt64, _ second: UInt64, _ table: UnsafeBufferPointer<UInt16>
    ) -> UInt16 {
        func look(_ word: UInt64, _ byte: Int, _ number: Int) -> UInt16 {
            table[256 * number + Int(word >> UInt64(8 * byte) & 255)]
        }
        let early = look(first, 2, 13) ^ look(first, 3, 12) ^ look(first, 4, 11) ^ look(first, 5, 10)
        let middle = look(first, 6, 9) ^ look(first, 7, 8) ^ look(second, 0, 7) ^ look(second, 1, 6)
        let late = look(second, 2, 5) ^ look(second, 3, 4) ^ look(second, 4, 3) ^ look(second, 5, 2)
        let independent = early ^ middle ^ late ^ look(second, 6, 1) ^ look(second, 7, 0)
        let mixed = first ^ UInt64(value)
        return independent ^ (look(mixed, 0, 15) ^ look(mixed, 1, 14))
    }
}
