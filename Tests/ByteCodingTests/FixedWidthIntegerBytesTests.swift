import ByteCoding
import Testing

@Suite struct FixedWidthIntegerBytesTests {
    @Test func `bytes are read as a number in either byte order`() {
        #expect(UInt32(bigEndianBytes: [1, 2, 3, 4]) == 0x0102_0304)
        #expect(UInt32(littleEndianBytes: [1, 2, 3, 4]) == 0x0403_0201)
        #expect(UInt64(bigEndianBytes: [1, 2, 3, 4, 5, 6] as ArraySlice) == 0x0102_0304_0506)
        #expect(UInt64(littleEndianBytes: [1, 2, 3, 4, 5, 6] as ArraySlice) == 0x0605_0403_0201)
        #expect(Int64(bigEndianBytes: [0xFF] + [UInt8](repeating: 0, count: 7)) == Int64.min >> 7)
    }

    @Test func `an empty byte list is read as zero, and of too many bytes the low-order ones count`() {
        #expect(UInt16(bigEndianBytes: []) == 0)
        #expect(UInt16(littleEndianBytes: []) == 0)
        #expect(UInt16(bigEndianBytes: [1, 2, 3]) == 0x0203)
        #expect(UInt16(littleEndianBytes: [1, 2, 3]) == 0x0201)
        #expect(UInt8(bigEndianBytes: [1, 2]) == 2)
        #expect(UInt8(littleEndianBytes: [1, 2]) == 1)
    }
}
