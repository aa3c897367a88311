import Testing

@Suite struct ExitStatusRulesTests {
    @Test func `the manual lists exactly the exit statuses of the command`() throws {
        let manual = try #require(SourceTree.package.file("Documentation/Manual/Commands.md"))
        let statuses = Set(ExitStatusRules.statuses(in: .package).values)
        #expect(!statuses.isEmpty)
        #expect(ExitStatusRules.listedStatuses(in: manual) == statuses)
    }

    @Test func `the exit statuses are read from the enum's cases, and from nothing else in the file`() {
        let text = "enum ExitClass: Int32 {\n    case done = 0\n    case notFound = 3\n    var x: Int { 1 }\n}"
        let tree = SourceTree([SourceFile(ExitStatusRules.classes, text)])
        #expect(ExitStatusRules.statuses(in: tree) == ["done": "0", "notFound": "3"])
    }
}
