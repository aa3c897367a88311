/// A rule: each threat of the threat model has tests, and says what remains open.
enum ThreatModelRules {
    static let path = "Documentation/ThreatModel.md"

    /// The number of threats to the hand-over that the threat model answers, T1 to T15.
    static let count = 15

    static func violations(in tree: SourceTree) -> [Violation] {
        guard let file = tree.file(path) else {
            return [Violation(path: path, line: 0, sentence: "there is no threat model")]
        }
        let rows = TestTraceRules.rows(of: file)
        let identifiers = Set(rows.map(\.identifier))
        let missing = (1...count).map { "T\($0)" }.filter { !identifiers.contains($0) }.map {
            Violation(path: path, line: 0, sentence: "\($0) has no row")
        }
        var seen: Set<String> = []
        let wrong = rows.flatMap { row in
            var sentences: [String] = []
            if !seen.insert(row.identifier).inserted { sentences.append("\(row.identifier) is there twice") }
            if row.tests.isEmpty { sentences.append("\(row.identifier) has no test") }
            if row.isLastCellEmpty { sentences.append("\(row.identifier) does not say what stays open") }
            return sentences.map { Violation(path: path, line: row.line, sentence: $0) }
        }
        return missing + wrong + unknownTests(in: file, known: RequirementRules.testNames(in: tree))
    }

    /// Finds texts in back-ticks that look like the name of a test, and name none.
    private static func unknownTests(in file: SourceFile, known: Set<String>) -> [Violation] {
        file.lines.enumerated().flatMap { index, line in
            SwiftWords.quoted(in: line).filter { quoted in
                quoted.contains(" ") && !["make ", "Scripts/"].contains(where: quoted.hasPrefix)
                    && !known.contains(quoted)
            }
            .map { Violation(path: file.path, line: index + 1, sentence: "there is no test \($0)") }
        }
    }
}
