import Testing

@Suite struct CharacterRulesTests {
    @Test func `texts of strangers are cut and searched by code points or bytes`() {
        #expect(SourceTree.package.sources.flatMap(CharacterRules.violations) == [])
    }

    @Test func `a search for a literal and a String of a part are found`() {
        for line in [
            #"let parts = text.split(separator: ":", maxSplits: 1)"#, ##"if did.contains("#") {"##,
            #"guard let end = rest.dropFirst().firstIndex(of: "]") else {"#, #"name.replacing("~1", with: "/")"#,
            #"explanation?.contains("x")"#, "let short = String(reason.prefix(200))",
            "return String((text ?? empty).prefix(count))",
        ] { #expect(CharacterRules.sentences(about: line).count == 1, "\(line)") }
    }

    @Test func `lists, bytes and code points may be searched`() {
        for line in [
            #"types.contains("VerifiablePresentation")"#, #"text.unicodeScalars.split(separator: ":")"#,
            "String(decoding: bytes.prefix(4), as: UTF8.self)", #"parts.dropFirst().allSatisfy { $0 != "a" }"#,
            "bytes.split(separator: UInt8(ascii: \":\"))", "rest.prefix { $0 != 0 }",
        ] { #expect(CharacterRules.sentences(about: line) == [], "\(line)") }
    }
}
