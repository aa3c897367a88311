import ByteCoding
import Testing

@Suite struct StringProtocolCodePointsTests {
    @Test func `a delimiter in text is found, split at and replaced although combining marks follow it`() {
        let marked = "a:\u{301}b:c"
        #expect(marked.split(separator: ":").count == 2, "by Characters the first sign is not there")
        #expect(marked.parts(at: ":") == ["a", "\u{301}b", "c"])
        #expect(marked.parts(at: ":", maxSplits: 1) == ["a", "\u{301}b:c"])
        #expect("a::b".parts(at: ":", omittingEmptySubsequences: false) == ["a", "", "b"])
        #expect("".parts(at: ":") == [] && "".parts(at: ":", omittingEmptySubsequences: false) == [""])
        #expect("PRIVATE KEY-----\u{301}".holds("PRIVATE KEY-----") && !"PRIVATE KEY----".holds("PRIVATE KEY-----"))
        #expect("x%3A\u{301}y".substituting("%3A", by: ":") == "x:\u{301}y")
    }

    @Test func `text is cut at code points, however many of them a Character has`() {
        let marks = "e" + String(repeating: "\u{301}", count: 1000)
        #expect(marks.count == 1)
        #expect(marks.start(scalars: 200).unicodeScalars.count == 200)
        #expect("abc".start(scalars: 3) == "abc" && "abc".start(scalars: 2) == "ab")
    }
}
