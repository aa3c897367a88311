import ByteCoding
import Testing

@Suite struct MulticodecTests {
    @Test func `a multicodec number is written in groups of seven bits and read back with the rest`() throws {
        for code in [0, 0x7F, 0x80, 0xED, 0x1200, 0x1F_FFFF] as [UInt64] {
            let bytes = Multicodec.varint(code)
            let (read, rest) = try #require(Multicodec.split(bytes + [7, 8]))
            #expect(read == code)
            #expect(Array(rest) == [7, 8])
        }
        #expect(Multicodec.varint(Multicodec.ed25519PublicKey) == [0xED, 0x01])
    }

    @Test func `a multicodec number that is truncated, too long or not minimal is refused`() {
        #expect(Multicodec.split([]) == nil)
        #expect(Multicodec.split([0x80]) == nil)
        #expect(Multicodec.split([0xED, 0x00]) == nil)
        #expect(Multicodec.split([0x80, 0x80, 0x80, 0x80, 0x01]) == nil)
    }

    @Test func `multibase text is base 58 after the letter z and nothing else`() {
        #expect(Multibase.decode(Multibase.encode([0, 1, 2])) == [0, 1, 2])
        #expect(Multibase.decode("z") == nil)
        #expect(Multibase.decode("u111") == nil)
        #expect(Multibase.decode("z0") == nil)
    }
}
