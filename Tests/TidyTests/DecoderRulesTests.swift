import Testing

@Suite struct DecoderRulesTests {
    private func tree(_ test: String) -> SourceTree {
        SourceTree([
            SourceFile("Sources/Protocols/Tuvali/A/Letter.swift", "struct Letter { init?(parsing bytes: [UInt8]) {} }"),
            SourceFile("Lab/Sources/StockPeers/Letter2.swift", "struct B { init?(parsing bytes: [UInt8]) {} }"),
            SourceFile("Sources/Protocols/Tuvali/A/Plain.swift", "struct Plain { init(name: String) {} }"),
            SourceFile("Tests/TuvaliTests/LetterTests.swift", test),
        ])
    }

    @Test func `every decoder is tested with the decoder verifier`() {
        #expect(DecoderRules.violations(in: .package) == [])
        #expect(DecoderRules.readers(in: .package).count >= 15)
    }

    @Test func `a planted decoder without a decoder verifier test is detected`() {
        #expect(
            DecoderRules.violations(in: tree("Letter(parsing: [])")).map(\.path) == [
                "Sources/Protocols/Tuvali/A/Letter.swift"
            ])
        #expect(DecoderRules.violations(in: tree("DecoderVerifier.deliveries { Letters($0) }")).count == 1)
        #expect(DecoderRules.violations(in: tree("DecoderVerifier.deliveries { Letter($0) }")) == [])
    }
}
