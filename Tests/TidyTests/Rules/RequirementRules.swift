/// Each statement of a specification has an identifier and a status, and each one that is met has a test that shows it.
enum RequirementRules {
    static let folder = "Documentation/Requirements/"
    /// The page with the table of checks, whose rows are requirements too.
    static let checks = "Documentation/Evidence/AriesChecks.md"

    /// True for a page whose table rows are requirements.
    static func isPage(_ file: SourceFile) -> Bool { file.path.hasPrefix(folder) || file.path == checks }

    /// A row `| TUV-001 | statement | source | status | tests |`.
    struct Requirement: Hashable, Sendable {
        let id: String
        let status: String
        let tests: [String]
        let path: String
        let line: Int
    }

    static func requirements(in tree: SourceTree) -> [Requirement] {
        tree.markdown.filter(isPage).flatMap { file in
            MarkdownTable.rows(of: file).compactMap { row in
                guard row.cells.count == 5, isIdentifier(row.cells[0]) else { return nil }
                return Requirement(
                    id: row.cells[0], status: row.cells[3], tests: SwiftWords.quoted(in: row.cells[4]),
                    path: file.path, line: row.line)
            }
        }
    }

    private static let nameSearch = WordSearch(["func `"])

    /// The names of all tests, which are sentences.
    static func testNames(in tree: SourceTree) -> Set<String> {
        var names: Set<String> = []
        for file in tree.tests {
            for index in file.lines(with: nameSearch) {
                if let name = SwiftWords.quoted(in: file.lines[index]).first { names.insert(name) }
            }
        }
        return names
    }

    static func violations(in tree: SourceTree) -> [Violation] {
        let requirements = requirements(in: tree)
        var seen: Set<String> = []
        var found: [Violation] = []
        for requirement in requirements {
            var sentences = complaints(about: requirement)
            if !seen.insert(requirement.id).inserted { sentences.append("\(requirement.id) is there twice") }
            found += sentences.map { Violation(path: requirement.path, line: requirement.line, sentence: $0) }
        }
        return found + strangeCitations(in: tree, known: seen)
    }

    private static func complaints(about requirement: Requirement) -> [String] {
        var found: [String] = []
        let id = requirement.id
        let isOpen = ["later: ", "not met: ", "not applicable: "].contains { requirement.status.hasPrefix($0) }
        if requirement.status == "met", requirement.tests.isEmpty { found.append("\(id) is met but no test shows it") }
        if requirement.status != "met", !isOpen { found.append("\(id) has no status that we know") }
        return found
    }

    /// Finds identifiers that code or tests cite although no table defines them.
    private static func strangeCitations(in tree: SourceTree, known: Set<String>) -> [Violation] {
        (tree.sources + tree.tests).filter { $0.module != "TidyTests" }.flatMap { file in
            file.lines(with: familySearch).flatMap { index in
                citations(in: file.lines[index]).filter { !known.contains($0) }.map {
                    Violation(path: file.path, line: index + 1, sentence: "\($0) is in no table of requirements")
                }
            }
        }
    }

    /// The prefixes of requirement identifiers, one for each page of requirements.
    private static let families = ["TUV-", "ARI-", "HP-", "MDR-", "MDC-"]

    private static let familySearch = WordSearch(families)

    /// The requirement identifiers in a line, such as TUV-001.
    static func citations(in line: String) -> [String] {
        guard families.contains(where: { line.contains($0) }) else { return [] }
        return line.split { !($0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-")) }.map(String.init)
            .filter { word in isIdentifier(word) && families.contains { word.hasPrefix($0) } }
    }

    private static func isIdentifier(_ word: String) -> Bool {
        let parts = word.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].allSatisfy({ $0.isUppercase && $0.isASCII }) else { return false }
        // Three letters and three digits; two and two where a specification's own numbers are used.
        return [[3, 3], [2, 2]].contains(parts.map(\.count)) && parts[1].allSatisfy { $0.isNumber && $0.isASCII }
    }
}
