import ByteCoding
import TestSupport
import Testing

@Suite struct CRC16Tests {
    @Test(.shows("TUV-053")) func `the CRC-16 of the digits 1 to 9 is the published one`() {
        #expect(CRC16Kermit.checksum(of: Array("123456789".utf8)) == 0x2189)
        #expect(CRC16Kermit.checksum(of: "123456789".utf8) == 0x2189)
        #expect(CRC16Kermit.checksum(of: []) == 0)
    }

    @Test func `the CRC-16 equals the bit-by-bit computation for every length and kind of storage`() {
        for count in 0...70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 73 &+ count) }
            let expected = bitByBit(bytes)
            #expect(CRC16Kermit.checksum(of: bytes) == expected, "\(count) bytes")
            #expect(CRC16Kermit.checksum(of: bytes.span) == expected)
            #expect(CRC16Kermit.checksum(of: ([1, 2, 3] + bytes)[3...]) == expected)
            #expect(CRC16Kermit.checksum(of: AnySequence(bytes)) == expected)
            #expect(CRC16Kermit.checksum(of: ContiguousArray(bytes)) == expected)
        }
    }

    @Test func `a change of any one bit changes the CRC-16`() {
        let bytes = [UInt8](repeating: 0x5A, count: 64)
        let check = CRC16Kermit.checksum(of: bytes)
        for bit in 0..<512 {
            var changed = bytes
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(CRC16Kermit.checksum(of: changed) != check)
        }
    }

    /// The definition, without a table.
    private func bitByBit(_ bytes: [UInt8]) -> UInt16 {
        bytes.reduce(UInt16(0)) { value, byte in
            (0..<8).reduce(value ^ UInt16(byte)) { value, _ in
                value & 1 == 1 ? value >> 1 ^ 0x8408 : value >> 1
            }
        }
    }
}
