import Foundation
import TestSupport
import Testing

@Suite struct TestTraceRulesTests {
    private let tests = """
        @Test(.shows("TUV-001", "T4")) func `a thing holds`() {}
        @Test(
            .shows("TUV-001"), arguments: [1, 2])
        func `another holds`(number: Int) {}
        @Test func `no row is about this`() {}
        """

    private func tree(_ rows: String) -> SourceTree {
        let head = "| Id | Statement | Source | Status | Tests |\n|---|---|---|---|---|\n"
        return SourceTree([
            SourceFile(RequirementRules.folder + "Tuvali.md", head + rows),
            SourceFile(ThreatModelRules.path, "| Id | Threat | Tests |\n|---|---|---|\n| T4 | x | `a thing holds` |\n"),
            SourceFile("Tests/TuvaliTests/A.swift", tests),
        ])
    }

    private let row = "| TUV-001 | x | y | met | `a thing holds`; `another holds` |\n"

    @Test func `the requirement tables list exactly the tests that carry the identifiers`() throws {
        guard ProcessInfo.processInfo.environment["SYMBOLON_REGENERATE"] == nil else { return try write() }
        #expect(TestTraceRules.violations(in: .package) == [])
    }

    @Test func `no page quotes the title of a test outside of a generated column`() {
        #expect(TestTraceRules.quotedTitles(in: .package) == [])
    }

    /// Writes the tables of requirements with their generated columns of tests.
    private func write() throws {
        let traces = TestTraceRules.traces(in: .package)
        for page in TestTraceRules.pages(in: .package) {
            let text = TestTraceRules.generated(page, from: traces)
            try Data(text.utf8).write(to: OutsideVectors.packageRoot.appending(path: page.path))
        }
    }

    @Test func `a requirement table with the right tests is not reported`() {
        #expect(TestTraceRules.violations(in: tree(row)) == [])
    }

    @Test func `a planted row that lists too few, other or unknown tests, and a trait without a row, are caught`() {
        #expect(TestTraceRules.violations(in: tree("| TUV-001 | x | y | met | `a thing holds` |\n")).count == 1)
        #expect(TestTraceRules.violations(in: tree(row + "| TUV-002 | x | y | met | `a thing holds` |\n")).count == 1)
        let unknown = "| TUV-001 | x | y | met | `a thing holds`; `another fails` |\n"
        #expect(TestTraceRules.violations(in: tree(unknown)).count == 1)
        #expect(
            TestTraceRules.violations(in: tree("")).map(\.sentence) == [
                "no table has a row TUV-001", "no table has a row TUV-001",
            ])
    }

    @Test func `a planted test title outside of a generated column is caught`() {
        #expect(TestTraceRules.quotedTitles(in: tree(row)) == [])
        #expect(TestTraceRules.quotedTitles(in: tree(row + "\nShown by `another holds` and `make test`.\n")).count == 1)
        #expect(TestTraceRules.quotedTitles(in: tree("| TUV-001 | `another holds` | y | met | |\n")).count == 1)
    }

    @Test func `the column of tests in a requirement table is generated, and the rest of the file stays`() throws {
        let tree = tree("| TUV-001 | x | y | met | |\nText with `code of its own`.\n")
        let file = try #require(tree.file(RequirementRules.folder + "Tuvali.md"))
        let text = TestTraceRules.generated(file, from: TestTraceRules.traces(in: tree))
        #expect(text.hasSuffix(row + "Text with `code of its own`.\n"))
    }
}
