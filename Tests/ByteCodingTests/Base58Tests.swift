import ByteCoding
import Testing

@Suite struct Base58Tests {
    // draft-msporny-base58-03, section 5.
    @Test(arguments: [
        (Array("Hello World!".utf8), "2NEpo7TZRRrLZSi2U"),
        (
            Array("The quick brown fox jumps over the lazy dog.".utf8),
            "USm3fpXnKG5EUBx2ndxBDMPVciP5hGey2Jh4NDv6gmeo1LkMeiKrLJUUBk6Z"
        ),
        ([0x00, 0x00, 0x28, 0x7F, 0xB4, 0xCD], "11233QC4"), ([], ""), ([0], "1"), ([0, 0, 0], "111"), ([57], "z"),
        ([58], "21"),
    ]) func `published base 58 examples are encoded and decoded`(bytes: [UInt8], text: String) {
        #expect(Base58.encode(bytes) == text)
        #expect(Base58.decode(text) == bytes)
    }

    @Test(arguments: ["0", "O", "I", "l", "2NEpo7TZRRrLZSi2U ", "2NEpo7+", "é"])
    func `base 58 characters outside of the alphabet are refused`(text: String) {
        #expect(Base58.decode(text) == nil)
    }

    @Test func `base 58 text of the allowed length is decoded and one character more refused`() {
        let longest = String(repeating: "z", count: Base58.maximumCharacters)
        #expect(Base58.decode(longest) != nil)
        #expect(Base58.decode(longest + "z") == nil)
    }

    @Test func `bytes of the allowed count are encoded in base 58 and decoded again`() {
        for byte in [0, 255] as [UInt8] {
            let bytes = [UInt8](repeating: byte, count: Base58.maximumBytes)
            #expect(Base58.decode(Base58.encode(bytes)) == bytes)
        }
    }

    @Test func `a caller may raise the base 58 limit, and every length up to it is encoded and decoded`() {
        for count in Array(0..<64) + [1023, 1024, 1025, 3000] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 7) }
            let text = Base58.encode(bytes, maximumBytes: 3000)
            #expect(Base58.decode(text, maximumCharacters: text.utf8.count) == bytes)
            #expect(count == 0 || Base58.decode(text, maximumCharacters: text.utf8.count - 1) == nil)
        }
    }
}
