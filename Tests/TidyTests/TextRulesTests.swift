import Testing

@Suite struct TextRulesTests {
    private let tree = SourceTree.package

    @Test func `no source or document names a path of one machine`() {
        #expect(tree.files.flatMap { TextRules.machinePathViolations(in: $0) } == [])
    }

    @Test func `links in the documentation lead to files that exist`() {
        #expect(tree.markdown.flatMap { TextRules.linkViolations(in: $0, tree: tree) } == [])
    }

    @Test func `every make target and gate that a document names exists`() throws {
        let jobs = TextRules.targets(in: try #require(tree.file("Makefile")))
        let gates = Set(TextRules.gates(in: try #require(tree.file("Scripts/gates.table"))).map(\.name))
        let texts = tree.markdown + tree.sources
        #expect(texts.flatMap { TextRules.makeViolations(in: $0, jobs: jobs, gates: gates) } == [])
    }

    @Test func `README and CONTRIBUTING list the Debian packages of the set-up and of a build`() throws {
        let list = try #require(tree.file("Scripts/packages.debian"))
        let readme = try #require(tree.file("README.md"))
        let contributing = try #require(tree.file("CONTRIBUTING.md"))
        let ofBuild = TextRules.packages(in: list, sections: ["[build]"])
        #expect(TextRules.quotedPackages(in: readme) == ofBuild)
        #expect(
            TextRules.quotedPackages(in: contributing) == TextRules.packages(in: list, sections: ["[build]", "[test]"]))
        #expect(readme.lines.count < TextRules.readmeLineLimit)
    }

    @Test func `every decision page has context, options, choice and reasons to revise`() {
        let pages = tree.markdown.filter { $0.path.hasPrefix("Documentation/Decisions/") }
        #expect(!pages.isEmpty)
        for page in pages { #expect(TextRules.missingHeadings(of: page) == [], "\(page.path)") }
    }

    @Test func `every decision page has its own number, the one in its heading`() {
        let pages = tree.markdown.filter { $0.path.hasPrefix("Documentation/Decisions/") }
        let numbers = pages.map { $0.path.split(separator: "/").last.map { Int($0.prefix(4)) } ?? nil }
        #expect(Set(numbers).count == pages.count)
        for (page, number) in zip(pages, numbers) {
            #expect(page.lines.first?.hasPrefix("# \(number ?? 0). ") == true, "\(page.path)")
        }
    }

    @Test func `the sanitizer script names only test targets that exist`() throws {
        let script = try #require(tree.file("Scripts/sanitize.sh"))
        let modules = Set(tree.tests.compactMap(\.module))
        let named = script.lines.flatMap { SwiftWords.words(of: $0) }.filter { $0.hasSuffix("Tests") }
        #expect(!named.isEmpty)
        #expect(Set(named).subtracting(modules) == [])
    }

    @Test func `tables of the documentation name only files and folders that exist`() {
        let names = TextRules.names(of: tree)
        let pages = tree.markdown.filter { $0.path.hasPrefix("Documentation/") || $0.path == "README.md" }
        #expect(pages.flatMap { TextRules.tableViolations(in: $0, names: names) } == [])
    }

    @Test func `a planted table entry for a missing file is caught`() {
        let rows = [
            "| Runtime/Vault/A.swift | `Tests/AppleStandIns` |", "| Vault/Gone.swift | TLS 1.2/1.3 |",
            "| `Scripts/gone.sh` and A.swift | x |",
        ]
        let page = SourceFile("A.md", (["| Where | What |", "|---|---|"] + rows).joined(separator: "\n"))
        let tree = SourceTree([
            SourceFile("Sources/Runtime/Vault/A.swift", ""), SourceFile("Tests/AppleStandIns/B.swift", ""),
        ])
        let found = TextRules.tableViolations(in: page, names: TextRules.names(of: tree))
        #expect(found.map(\.sentence) == ["there is no Vault/Gone.swift", "there is no Scripts/gone.sh"])
    }

    @Test func `every gate of the table has a script, minutes and existing files`() throws {
        let table = try #require(tree.file("Scripts/gates.table"))
        let paths = tree.files.map(\.path) + tree.otherPaths
        #expect(TextRules.gates(in: table).count > 10)
        #expect(TextRules.gateViolations(in: table, paths: paths) == [])
    }

    @Test func `a planted gate without script, minutes or files is caught`() {
        let table = SourceFile(
            "t", "# a\n\nfuzz 10 a.sh 5 : Fuzz\nsoak 3 Sources\nsim x a.sh : Fuzz\nlint 1 a.sh : Nowhere\n")
        let found = TextRules.gateViolations(in: table, paths: ["Fuzz/A.swift", "Sources/B.swift", "Scripts/a.sh"])
        #expect(found.map(\.line) == [4, 5, 6])
    }

    @Test func `documents state the duration of all gates as the sum of the table`() throws {
        let table = try #require(tree.file("Scripts/gates.table"))
        let sum = TextRules.gates(in: table).reduce(0) { $0 + ($1.minutes ?? 0) }
        let texts = tree.files.filter { !$0.isSwift }
        #expect(texts.flatMap { TextRules.durationViolations(in: $0, minutes: sum) } == [])
        let makefile = try #require(tree.file("Makefile"))
        #expect(makefile.lines.contains { $0.hasPrefix("check-full:") && $0.contains("\(sum) minutes") })
    }

    @Test func `a planted gate duration that is not the sum is caught`() {
        let page = SourceFile(
            "A.md",
            "`make check-full` takes 75 minutes\n`make check-full` takes an hour\ncheck-full: 7 minutes\n8 minutes")
        #expect(TextRules.durationViolations(in: page, minutes: 7).map(\.line) == [1, 2])
    }

    @Test(arguments: ["README.md", "Documentation/Symbolon.docc/Symbolon.md"])
    func `every Swift module is named on the pages that list modules`(path: String) throws {
        let page = try #require(tree.file(path))
        let modules = Set(tree.sources.compactMap(\.module)).subtracting(["symbolon", "symbolon-lab"])
        #expect(TextRules.missing(modules, in: page) == [])
    }

    @Test func `a planted module that a page does not name is caught`() {
        #expect(
            TextRules.missing(["Radio", "Tuvali"], in: SourceFile("A.md", "`Radio` and `TuvaliHandover`")) == ["Tuvali"]
        )
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

    @Test func `a planted missing make target and a planted missing package are caught`() {
        let page = SourceFile(
            "A.md", "Run `make test`, `make tea`, `make gate G=sim`, `make gate G=sin` or `make gate`.")
        let jobs = TextRules.targets(in: SourceFile("Makefile", "test: ## x\ngate: ## y\nlist = a\n"))
        #expect(TextRules.makeViolations(in: page, jobs: jobs, gates: ["sim"]).count == 2)
        let readme = SourceFile(
            "README.md", "    apt-get install --no-install-recommends gcc \\\n        make\n\nwords")
        #expect(TextRules.quotedPackages(in: readme) == ["gcc", "make"])
        let list = SourceFile("l", "# a\n[build]\ngcc  # b\n[test]\ncurl # c\n")
        #expect(TextRules.packages(in: list, sections: ["[build]"]) == ["gcc"])
    }

    @Test func `a planted decision page without its headings is caught`() {
        #expect(TextRules.missingHeadings(of: SourceFile("A.md", "## Context\n## Options")).count == 2)
    }
}
