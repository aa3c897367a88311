import Testing

@Suite struct CharacterRulesTests {
    @Test func `the sources cut and search untrusted text by code points or bytes only`() {
        #expect(SourceTree.package.sources.flatMap(CharacterRules.violations) == [])
    }

    @Test func `a planted search for a literal, or String of a part, is caught`() {
        for line in [
            #"let parts = text.split(separator: ":", maxSplits: 1)"#, ##"if did.contains("#") {"##,
            #"guard let end = rest.dropFirst().firstIndex(of: "]") else {"#, #"name.replacing("~1", with: "/")"#,
            #"explanation?.contains("x")"#, "let short = String(reason.prefix(200))",
            "return String((text ?? empty).prefix(count))",
        ] { #expect(CharacterRules.sentences(about: line).count == 1, "\(line)") }
    }

    @Test func `searches of lists, bytes and code points are not reported`() {
        for line in [
            #"types.contains("VerifiablePresentation")"#, #"text.unicodeScalars.split(separator: ":")"#,
            "String(decoding: bytes.prefix(4), as: UTF8.self)", #"parts.dropFirst().allSatisfy { $0 != "a" }"#,
            "bytes.split(separator: UInt8(ascii: \":\"))", "rest.prefix { $0 != 0 }",
        ] { #expect(CharacterRules.sentences(about: line) == [], "\(line)") }
    }
}
