import Testing

@Suite struct RequirementRulesTests {
    private func sentences(_ rows: String, source: String = "") -> [String] {
        let head = "| Id | Statement | Source | Status | Tests |\n|---|---|---|---|---|\n"
        let files = [
            SourceFile(RequirementRules.folder + "Tuvali.md", head + rows),
            SourceFile("Tests/TuvaliTests/A.swift", "@Test func `a thing holds`() {}"),
            SourceFile("Sources/Protocols/Tuvali/A.swift", source),
        ]
        return RequirementRules.violations(in: SourceTree(files)).map(\.sentence)
    }

    @Test func `every requirement has a status, and every met one has a test`() {
        #expect(RequirementRules.violations(in: .package) == [])
    }

    @Test func `there are requirements, and their number by status is printed`() {
        var counts: [String: Int] = [:]
        for requirement in RequirementRules.requirements(in: .package) {
            counts[String(requirement.status.prefix { $0 != ":" }), default: 0] += 1
        }
        print(
            "requirements:", counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))
        #expect(!counts.isEmpty)
    }

    @Test func `a requirement that is met, open or set aside with a reason is not reported`() {
        #expect(
            sentences("| TUV-001 | x | y | met | `a thing holds` |\n| TUV-002 | x | y | later: faults work | |\n") == []
        )
        #expect(sentences("| TUV-001 | x | y | not applicable: a reason | |\n", source: "// TUV-001") == [])
        #expect(sentences("| TUV-001 | x | y | not met: a reason | |\n") == [])
    }

    @Test func `a planted requirement that is met without a test is detected`() {
        #expect(sentences("| TUV-001 | x | y | met | |\n") == ["TUV-001 is met but no test shows it"])
        #expect(sentences("| TUV-001 | x | y | fine | |\n").count == 1)
        #expect(sentences("| TUV-001 | x | y | not met | |\n").count == 1)
        #expect(sentences("| TUV-001 | x | y | later: z | |\n| TUV-001 | x | y | later: z | |\n").count == 1)
    }

    @Test func `a planted citation of an unknown requirement is detected`() {
        #expect(sentences("", source: "/// Source: TUV-404.") == ["TUV-404 is in no table of requirements"])
        #expect(sentences("", source: "/// Source: ARI-404.") == ["ARI-404 is in no table of requirements"])
        #expect(sentences("", source: "/// Not TUV-1, but SHA-256.") == [])
        #expect(sentences("", source: "/// A planted HP-99.") == ["HP-99 is in no table of requirements"])
        #expect(sentences("| HP-01 | x | y | met | `a thing holds` |\n", source: "/// (HP-01)") == [])
    }
}
