import ByteCoding
import Testing

@Suite struct HexTests {
    @Test func `bytes are written as two lower-case hexadecimal digits each`() {
        #expect(Hex.encode([0x00, 0x0F, 0xA5, 0xFF]) == "000fa5ff")
        #expect(Hex.encode([]) == "")
    }

    @Test func `hexadecimal digits of either case are read`() {
        #expect(Hex.decode("000fA5fF") == [0x00, 0x0F, 0xA5, 0xFF])
        #expect(Hex.decode("") == [])
        #expect(Hex.decode("ab cd".prefix(2)) == [0xAB])
    }

    @Test(arguments: ["0", "123", "0g", "g0", "0x12", "12 34", "12:34", "１２", "@0", "/0", ":0", "`0", "G0"])
    func `an odd number of hexadecimal digits, or another character, is refused`(text: String) {
        #expect(Hex.decode(text) == nil)
    }

    @Test func `every byte survives hexadecimal encoding and decoding`() {
        let bytes = Array(0...255 as ClosedRange<UInt8>)
        #expect(Hex.decode(Hex.encode(bytes)) == bytes)
        #expect(Hex.decode(Hex.encode(bytes).uppercased()) == bytes)
    }
}
