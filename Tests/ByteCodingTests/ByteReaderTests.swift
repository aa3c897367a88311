import ByteCoding
import Testing

@Suite struct ByteReaderTests {
    @Test func `the byte reader reads integers in both byte orders`() {
        var reader = ByteReader([1, 2, 3, 4, 5, 6, 7])
        #expect(reader.byte() == 1)
        #expect(reader.bigEndian(UInt16.self) == 0x0203)
        #expect(reader.littleEndian(UInt16.self) == 0x0504)
        #expect(reader.remainingCount == 2)
        #expect(reader.bigEndian(UInt8.self) == 6)
        #expect(reader.littleEndian(UInt8.self) == 7)
        #expect(reader.isAtEnd)
    }

    @Test func `a read past the byte reader's end returns nothing and consumes nothing`() {
        for count in 0..<8 {
            var reader = ByteReader([UInt8](repeating: 1, count: count))
            #expect(reader.bigEndian(UInt64.self) == nil)
            #expect(reader.littleEndian(UInt64.self) == nil)
            #expect(reader.bytes(count + 1) == nil)
            #expect(reader.bytes(.max) == nil)
            #expect(reader.bytes(-1) == nil)
            #expect(reader.remainingCount == count)
        }
        var whole = ByteReader([UInt8](repeating: 1, count: 8))
        #expect(whole.bigEndian(UInt64.self) == 0x0101_0101_0101_0101)
        #expect(whole.byte() == nil)
    }

    @Test func `the byte reader reads a slice from its own first byte`() {
        let bytes: [UInt8] = [9, 9, 1, 2, 3, 9]
        var reader = ByteReader(bytes[2..<5])
        #expect(reader.remainingCount == 3)
        #expect(reader.bytes(2).map { Array($0) } == [1, 2])
        #expect(Array(reader.rest()) == [3])
        #expect(reader.rest().isEmpty)
        #expect(reader.bytes(0).map { Array($0) } == [])
        #expect(reader.byte() == nil)
    }

    @Test func `integers that a byte writer wrote are read back`() {
        var bytes: [UInt8] = []
        bytes.appendBigEndian(0x0102 as UInt16)
        bytes.appendLittleEndian(0x0102 as UInt16)
        bytes.appendBigEndian(0x0102_0304 as UInt32)
        bytes.appendLittleEndian(0x0102_0304 as UInt32)
        bytes.appendBigEndian(7 as UInt8)
        bytes.appendLittleEndian(8 as UInt8)
        #expect(bytes == [1, 2, 2, 1, 1, 2, 3, 4, 4, 3, 2, 1, 7, 8])
        bytes.appendBigEndian(UInt64.max - 1)
        var reader = ByteReader(bytes[14...])
        #expect(reader.bigEndian(UInt64.self) == UInt64.max - 1)
    }
}
