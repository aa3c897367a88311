import Testing

@Suite struct ExitStatusRulesTests {
    private func tree(row: String) -> SourceTree {
        SourceTree([
            SourceFile(
                ExitStatusRules.folder + "ExitClass.swift",
                "enum ExitClass: Int32 {\n    case done = 0\n    case notFound = 3\n    var x: Int { 1 }\n}"),
            SourceFile(
                ExitStatusRules.folder + "Table.swift",
                "let a = [\n    Entry(\n        \"a.b\", .notFound, \"S.\", \"N.\"),\n    Entry($0, .done, \"S.\")\n]"),
            SourceFile(ErrorCodeRules.table, "| Code | W | O | Exit | M | N |\n|-|-|-|-|-|-|\n" + row),
        ])
    }

    @Test func `the table of error codes names the exit status that the command gives`() {
        #expect(ExitStatusRules.violations(in: .package) == [])
    }

    @Test func `the manual lists the exit statuses that the command has`() throws {
        let manual = try #require(SourceTree.package.file("Documentation/Manual/Commands.md"))
        let statuses = Set(ExitStatusRules.statuses(in: .package).values)
        #expect(statuses.isEmpty || ExitStatusRules.listedStatuses(in: manual) == statuses)
    }

    @Test func `a planted wrong exit status is caught`() {
        #expect(ExitStatusRules.violations(in: tree(row: "| `a.b` | – | local | 3 | m | n |\n")) == [])
        #expect(ExitStatusRules.violations(in: tree(row: "| `a.b` | – | local | 4 | m | n |\n")).count == 1)
        #expect(ExitStatusRules.classes(in: tree(row: "")) == ["a.b": "notFound"])
        #expect(ExitStatusRules.statuses(in: tree(row: "")) == ["done": "0", "notFound": "3"])
    }
}
