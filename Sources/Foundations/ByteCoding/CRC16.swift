/// The 16-bit cyclic redundancy check known as CRC-16/KERMIT.
///
/// Polynomial 0x1021 reflected, initial value 0, no final exclusive-or; the check of the ASCII digits 1 to 9 is 0x2189.
/// Source: seed 000, "2. Data transfer".
public enum CRC16Kermit {
    private static let table: [UInt16] = (0..<256).map { index in
        (0..<8).reduce(UInt16(index)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0x8408 : value >> 1 }
    }

    /// The check value of `bytes`.
    public static func checksum(of bytes: some Sequence<UInt8>) -> UInt16 {
        table.withUnsafeBufferPointer { table in
            var value: UInt16 = 0
            for byte in bytes {
                value = value >> 8 ^ table[Int(UInt8(truncatingIfNeeded: value) ^ byte)]
            }
            return value
        }
    }
}
