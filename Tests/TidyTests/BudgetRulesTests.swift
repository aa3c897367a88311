import Testing

/// Budgets of what a newcomer has to learn; only a page in Documentation/Decisions raises a number here.
@Suite struct BudgetRulesTests {
    private let tree = SourceTree.package

    @Test func `the Makefile has at most 25 targets, and lists the five that matter first`() throws {
        let makefile = try #require(tree.file("Makefile"))
        #expect(TextRules.targets(in: makefile).count <= 25)
        let first = makefile.lines.filter { $0.contains("## ") }.prefix(5).map { String($0.prefix { $0 != ":" }) }
        #expect(first == ["demo", "build", "test", "check", "gate"])
    }

    @Test func `there are at most 45 scripts`() {
        let scripts = (tree.files.map(\.path) + tree.otherPaths).filter { $0.hasPrefix("Scripts/") }
        #expect(!scripts.isEmpty)
        #expect(scripts.count <= 45, "\(scripts)")
    }

    @Test func `there are at most 51 modules of Swift beside the lab, and 9 libraries`() throws {
        let modules = Set(tree.sources.filter { $0.folders.first == "Sources" }.compactMap(\.module))
        #expect(!modules.isEmpty)
        #expect(modules.count <= 51, "\(modules.sorted())")
        let libraries = ProductRules.products(in: try #require(tree.file("Package.swift")).text)
        #expect(!libraries.isEmpty)
        #expect(libraries.count <= 9, "\(libraries.map(\.name))")
    }

    @Test func `there are at most 680 error codes`() throws {
        let page = try #require(tree.file("Documentation/ErrorCodes.md"))
        let codes = page.lines.filter { $0.hasPrefix("| `") }
        #expect(!codes.isEmpty)
        #expect(codes.count <= 680)
    }

    /// Pages that are generated, or that a test or a gate holds to what the program does (decision 47).
    private static func isGenerated(_ page: SourceFile) -> Bool {
        ["Documentation/ErrorCodes.md", "Documentation/Manual/Events.md"].contains(page.path)
            || page.path.hasPrefix("Documentation/Evidence/")
    }

    @Test func `there are at most 87 pages in Markdown, with 7,700 lines that people write`() {
        #expect(tree.markdown.count <= 87)
        let generated = tree.markdown.filter(Self.isGenerated)
        let written = tree.markdown.filter { !Self.isGenerated($0) }
        #expect(written.reduce(0) { $0 + $1.lines.count } <= 7700)
        #expect(generated.reduce(0) { $0 + $1.lines.count } <= 3200)
    }

    @Test func `the changelog has at most 120 lines`() throws {
        #expect(try #require(tree.file("CHANGELOG.md")).lines.count <= 120)
    }
}
