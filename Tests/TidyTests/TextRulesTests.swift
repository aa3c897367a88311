import Testing

@Suite struct TextRulesTests {
    private let tree = SourceTree.package

    @Test func `no text names a path of one machine`() {
        #expect(tree.files.flatMap { TextRules.machinePathViolations(in: $0) } == [])
    }

    @Test func `links lead to files that exist`() {
        #expect(tree.markdown.flatMap { TextRules.linkViolations(in: $0, tree: tree) } == [])
    }

    @Test func `every job that a text names is in the Makefile`() throws {
        let makefile = try #require(tree.file("Makefile")).text
        #expect(tree.markdown.flatMap { TextRules.makeViolations(in: $0, makefile: makefile) } == [])
    }

    @Test func `the README lists the packages of the set-up, in fewer than 150 lines`() throws {
        let readme = try #require(tree.file("README.md"))
        let list = try #require(tree.file("Scripts/packages.debian"))
        #expect(TextRules.quotedPackages(in: readme) == TextRules.packages(in: list))
        #expect(readme.lines.count < TextRules.readmeLineLimit)
    }

    @Test func `every decision has context, options, choice and what would change our mind`() {
        let pages = tree.markdown.filter { $0.path.hasPrefix("Documentation/Decisions/") }
        #expect(!pages.isEmpty)
        for page in pages { #expect(TextRules.missingHeadings(of: page) == [], "\(page.path)") }
    }

    @Test func `every decision has its own number, the one in its heading`() {
        let pages = tree.markdown.filter { $0.path.hasPrefix("Documentation/Decisions/") }
        let numbers = pages.map { $0.path.split(separator: "/").last.map { Int($0.prefix(4)) } ?? nil }
        #expect(Set(numbers).count == pages.count)
        for (page, number) in zip(pages, numbers) {
            #expect(page.lines.first?.hasPrefix("# \(number ?? 0). ") == true, "\(page.path)")
        }
    }

    @Test func `the sanitizers run test targets that exist`() throws {
        let script = try #require(tree.file("Scripts/sanitize.sh"))
        let modules = Set(tree.tests.compactMap(\.module))
        let named = script.lines.flatMap { SwiftWords.words(of: $0) }.filter { $0.hasSuffix("Tests") }
        #expect(!named.isEmpty)
        #expect(Set(named).subtracting(modules) == [])
    }

    @Test func `every long gate is a target of the Makefile, with minutes and existing files`() throws {
        let table = try #require(tree.file("Scripts/gates.table"))
        let makefile = try #require(tree.file("Makefile")).text
        let paths = tree.files.map(\.path) + tree.otherPaths
        #expect(TextRules.gates(in: table).count > 10)
        #expect(TextRules.gateViolations(in: table, makefile: makefile, paths: paths) == [])
    }

    @Test func `a planted gate without target, minutes or files is caught`() {
        let table = SourceFile("t", "# a\n\nfuzz 10 Fuzz\nsoak 3 Sources\nsim x Scripts/si*.sh\nlint 1 Nowhere\n")
        let makefile = "fuzz: ## x\nsim: ## y\nlint: ## z\n"
        let found = TextRules.gateViolations(
            in: table, makefile: makefile, paths: ["Fuzz/A.swift", "Sources/B.swift", "Scripts/sim.sh"])
        #expect(found.map(\.line) == [4, 5, 6])
    }

    @Test(arguments: ["README.md", "Documentation/Symbolon.docc/Symbolon.md"])
    func `every module is named on the pages that list modules`(path: String) throws {
        let page = try #require(tree.file(path))
        let modules = Set(tree.sources.compactMap(\.module)).subtracting(["symbolon", "symbolon-lab"])
        #expect(TextRules.missing(modules, in: page) == [])
    }

    @Test func `a module that a page does not name is caught`() {
        #expect(
            TextRules.missing(["Radio", "Tuvali"], in: SourceFile("A.md", "`Radio` and `TuvaliRuntime`")) == ["Tuvali"])
    }

    @Test func `a planted path of one machine is caught`() {
        for path in TextRules.machinePaths {
            #expect(TextRules.machinePathViolations(in: SourceFile("a.md", "see \(path)x")).count == 1)
        }
        let fine = SourceFile("a.md", "../work/x, Sources/root/x and https://example.org/home/x")
        #expect(TextRules.machinePathViolations(in: fine) == [])
    }

    @Test func `a planted link that leads nowhere is caught`() {
        let text = "[a](../B.md) [b](C.md#part) [c](https://example.org) [d](gone.md) [e](#here) [f](../Folder/)"
        let page = SourceFile("Documentation/Manual/A.md", text)
        let others = ["Documentation/B.md", "Documentation/Manual/C.md", "Documentation/Folder/D.md"]
        let small = SourceTree([page] + others.map { SourceFile($0, "") })
        #expect(TextRules.linkViolations(in: page, tree: small).map(\.sentence) == ["the link gone.md leads nowhere"])
    }

    @Test func `no page and no example has a trust file that trusts a whole DID method`() {
        let shipped = tree.files.filter { file in
            file.path == "README.md"
                || ["Documentation/", "Examples/", "Packaging/"].contains(where: file.path.hasPrefix)
        }
        #expect(shipped.contains { $0.path == "Examples/credentials/trust.txt" })
        #expect(shipped.flatMap { TextRules.methodViolations(in: $0) } == [])
    }

    @Test func `a planted trust file with a method is caught`() {
        let page = SourceFile("A.md", "| method did:NAME | tests |\n```sh\nmethod did:key\n  method did:jwk\n")
        #expect(TextRules.methodViolations(in: page).map(\.line) == [3, 4])
    }

    @Test func `a planted job and a planted package are caught`() {
        let page = SourceFile("A.md", "Run `make test` or `make tea`.")
        #expect(TextRules.makeViolations(in: page, makefile: "test: ## x\n").count == 1)
        let readme = SourceFile(
            "README.md", "    apt-get install --no-install-recommends gcc \\\n        make\n\nwords")
        #expect(TextRules.quotedPackages(in: readme) == ["gcc", "make"])
        #expect(TextRules.packages(in: SourceFile("l", "# a\n[build]\ngcc  # b\n")) == ["gcc"])
    }

    @Test func `a decision without its headings is caught`() {
        #expect(TextRules.missingHeadings(of: SourceFile("A.md", "## Context\n## Options")).count == 2)
    }
}
