import Testing

@Suite struct WordRulesTests {
    private let tree = SourceTree.package

    private func count(_ text: String) -> Int { WordRules.count(in: SourceFile("Sources/A/B/C.swift", text)) }

    @Test func `the tree holds no more banned words than it did`() {
        let roots: Set<String> = ["Sources", "Tests", "Fuzz"]
        let sum = tree.files.filter { roots.contains($0.folders.first ?? "") }.reduce(0) {
            $0 + WordRules.count(in: $1)
        }
        print("banned words: \(sum), at most \(WordRules.ceiling)")
        #expect(sum <= WordRules.ceiling)
        #expect(sum >= WordRules.ceiling - 60, "lower WordRules.ceiling to \(sum)")
    }

    @Test func `no type is named after an office, a household or a person`() {
        #expect(WordRules.nameViolations(in: tree.sources) == [])
    }

    @Test func `a planted word in a comment or in the name of a test is caught`() {
        let word = WordRules.bannedPhrases[0]
        #expect(count("/// Is for \(word).") == 1)
        #expect(count("    // \(word.uppercased()), and \(word)") == 2)
        #expect(count("    @Test func `\(word) is refused`() {") == 1)
        #expect(count("let a = \"\(word)\"") == 0)
        #expect(count("/// \(word)s are another word") == 0)
    }

    @Test func `a planted name of a type is caught`() {
        let found = WordRules.nameViolations(in: [
            SourceFile("Sources/A/B/KeyCabinet.swift", "struct KeyCabinet {\n}\n"),
            SourceFile("Sources/A/B/KeyCache.swift", "public struct KeyCache {\n}\n"),
        ])
        #expect(found.map(\.path) == ["Sources/A/B/KeyCabinet.swift"])
    }

    @Test func `no exception of a name outlives its reason`() {
        let names = TypeRules.sizes(in: tree.sources)
        for key in Exceptions.metaphors.keys { #expect(names[key] != nil, "\(key)") }
    }
}
