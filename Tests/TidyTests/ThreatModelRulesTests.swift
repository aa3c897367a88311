import Testing

@Suite struct ThreatModelRulesTests {
    private func sentences(_ change: (Int, String) -> String) -> [String] {
        let rows = (1...ThreatModelRules.count).map { change($0, "| T\($0) | x | y | `a thing holds` | – |\n") }
        let head = "| Id | Threat | Answer | Tests | Open |\n|---|---|---|---|---|\n"
        return ThreatModelRules.violations(
            in: SourceTree([
                SourceFile(ThreatModelRules.path, head + rows.joined()),
                SourceFile("Tests/TuvaliTests/A.swift", "@Test func `a thing holds`() {}"),
            ])
        ).map(\.sentence)
    }

    @Test func `every threat has a row, a test and a statement of what stays open`() {
        #expect(ThreatModelRules.violations(in: .package) == [])
    }

    @Test func `a planted gap in the threat model is caught`() {
        #expect(sentences { $1 } == [])
        #expect(sentences { $0 == 7 ? "" : $1 } == ["T7 has no row"])
        #expect(sentences { $0 == 7 ? $1 + $1 : $1 } == ["T7 is there twice"])
        #expect(sentences { $0 == 7 ? "| T7 | x | y | | – |\n" : $1 } == ["T7 has no test"])
        #expect(sentences { $0 == 7 ? "| T7 | x | y | `a thing holds` | |\n" : $1 }.count == 1)
        #expect(sentences { $0 == 7 ? "| T7 | x | y | `a thing fails` | – |\n" : $1 }.count == 1)
        #expect(sentences { $0 == 7 ? $1 + "| V1 | x | y | | |\n" : $1 }.count == 2)
        #expect(ThreatModelRules.violations(in: SourceTree([])).count == 1)
    }
}
