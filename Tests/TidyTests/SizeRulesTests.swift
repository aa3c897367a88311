import Testing

@Suite struct SizeRulesTests {
    private func body(_ lines: Int) -> String {
        "func f() {\n" + String(repeating: "    g(\"}\")  // }\n", count: lines - 2) + "}\n"
    }

    private func count(_ text: String) -> Int {
        SizeRules.violations(in: SourceFile("Sources/A/B/C.swift", text)).count
    }

    @Test func `functions and comments keep to their size limits`() {
        #expect((SourceTree.package.sources + SourceTree.package.tests).flatMap { SizeRules.violations(in: $0) } == [])
    }

    @Test func `folder names of the sources state their contents`() {
        #expect(SizeRules.folderViolations(in: SourceTree.package.files) == [])
    }

    @Test func `the median function of the sources has at most ten lines`() {
        let lengths = SourceTree.package.sources.flatMap { SwiftFunctions.all(in: $0) }.map(\.lineCount)
        let median = SizeRules.median(of: lengths)
        print("functions in Sources: \(lengths.count), median \(median) lines, longest \(lengths.max() ?? 0)")
        #expect(median <= 10)
    }

    @Test func `a function of 60 lines passes and one of 61 is caught`() {
        #expect(count(body(60)) == 0)
        #expect(count(body(61)) == 1)
    }

    @Test func `a comment line of 120 columns passes and one of 121 is caught`() {
        #expect(count("    // " + String(repeating: "ä", count: 113) + "\n") == 0)
        #expect(count("    // " + String(repeating: "ä", count: 114) + "\n") == 1)
        #expect(count("    /// " + String(repeating: "a", count: 113) + "\n") == 1)
    }

    @Test func `functions are measured from their declaration to the closing brace`() {
        let text = """
            protocol P {
                func noBody(a: Int) -> Int
                init(from: Int)
            }
            init(
                a: Int
            ) throws -> [Int]
            where A == B {
                { 1 }()
            }
            subscript(i: Int) -> Int { 1 }
            func `a name, with init( and func in it`() { }
            """
        let found = SwiftFunctions.all(in: SourceFile("A.swift", text))
        #expect(found.map(\.lineCount) == [6, 1, 1])
        #expect(found.map(\.line) == [5, 11, 12])
        #expect(found.last?.name == "a name, with init( and func in it")
    }

    @Test func `a folder with a blank or an empty name is caught`() {
        let paths = ["Sources/Radio/Radio/Utils/A.swift", "Sources/Radio/My Radio/A.swift", "Tests/Common/A.swift"]
        #expect(SizeRules.folderViolations(in: paths.map { SourceFile($0, "") }).count == 3)
    }

    @Test func `every exception of a size limit is still needed`() {
        let long = SourceTree.package.files.filter(\.isSwift).flatMap { file in
            SwiftFunctions.all(in: file).filter { $0.lineCount > SizeRules.functionLineLimit }
                .map { "\(file.path) \($0.name)" }
        }
        #expect(Set(Exceptions.longFunctions.keys).subtracting(long) == [])
    }
}
