/// Each threat of the model names tests that exist.
enum ThreatModelRules {
    static let path = "Documentation/ThreatModel.md"

    /// How many threats the model answers, T1 to T15.
    static let count = 15

    static func violations(in tree: SourceTree) -> [Violation] {
        guard let file = tree.file(path) else {
            return [Violation(path: path, line: 0, sentence: "there is no threat model")]
        }
        let known = RequirementRules.testNames(in: tree)
        var found = unknownTests(in: file, known: known)
        let threats = MarkdownTable.rows(of: file).filter { $0.cells.count == 5 }
        for number in 1...count {
            let rows = threats.filter { $0.cells[0] == "T\(number)" }
            if rows.count != 1 {
                found.append(Violation(path: path, line: 0, sentence: "T\(number) has \(rows.count) rows"))
            }
            for row in rows where SwiftWords.quoted(in: row.cells[3]).isEmpty {
                found.append(Violation(path: path, line: row.line, sentence: "T\(number) names no test"))
            }
            for row in rows where row.cells[4].isEmpty {
                found.append(Violation(path: path, line: row.line, sentence: "T\(number) does not say what stays open"))
            }
        }
        return found
    }

    /// What stands in back-ticks and has a blank in it is the name of a test, or of a job of the Makefile.
    private static func unknownTests(in file: SourceFile, known: Set<String>) -> [Violation] {
        file.lines.enumerated().flatMap { index, line in
            SwiftWords.quoted(in: line).filter { $0.contains(" ") && !$0.hasPrefix("make ") && !known.contains($0) }.map
            {
                Violation(path: file.path, line: index + 1, sentence: "there is no test \($0)")
            }
        }
    }
}
