import ByteCoding
import TestSupport
import Testing

struct Base45Tests {
    /// Pairs of RFC 9285, sections 4.3 and 4.4.
    private static let published = [
        ("AB", "BB8"), ("Hello!!", "%69 VD92EX0"), ("base-45", "UJCLQE7W581"), ("ietf!", "QED8WEX0"), ("", ""),
    ]

    @Test(arguments: published.indices)
    func `the published pairs are written and read`(_ index: Int) {
        let (bytes, text) = Self.published[index]
        #expect(Base45.encode(Array(bytes.utf8)) == text)
        #expect(Base45.decode(Array(text.utf8)) == Array(bytes.utf8))
    }

    @Test(arguments: ["GGW", ":::", "A", "AAAA", "a00", "AB\n", "::", "é00"])
    func `another character, a single last one and a group above its bytes are no base 45`(_ text: String) {
        #expect(Base45.decode(Array(text.utf8)) == nil)
    }

    @Test func `the largest groups are read, and those one above are not`() {
        #expect(Base45.decode(Array("FGW".utf8)) == [0xFF, 0xFF])
        #expect(Base45.decode(Array("GGW".utf8)) == nil)
        #expect(Base45.decode(Array("U5".utf8)) == [0xFF])
        #expect(Base45.decode(Array("V5".utf8)) == nil)
    }

    @Test func `base 45 that is cut short within a group, or goes on by one character, is not read`() {
        let text = Array(Base45.encode([1, 2, 3, 4, 5]).utf8)
        // Two characters of a group may be the two of a single byte.
        let accepted = DecoderVerifier.acceptedTruncations(of: text) { Base45.decode($0) }
        #expect(accepted.allSatisfy { $0 % 3 != 1 })
        #expect(DecoderVerifier.acceptedExtensions(of: text) { Base45.decode($0) } == [])
    }

    @Test func `all bytes come back from base 45`() {
        let bytes = (0...255).map { UInt8($0) }
        #expect(Base45.decode(Array(Base45.encode(bytes).utf8)) == bytes)
        #expect(Base45.decode(Array(Base45.encode(bytes + [7]).utf8)) == bytes + [7])
    }
}
