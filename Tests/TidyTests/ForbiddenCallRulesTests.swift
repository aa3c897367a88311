import Testing

@Suite struct ForbiddenCallRulesTests {
    private func count(_ path: String, _ text: String) -> Int {
        ForbiddenCallRules.violations(in: SourceFile(path, text)).count
    }

    @Test func `the sources make no call that their layer forbids`() {
        #expect(SourceTree.package.sources.flatMap { ForbiddenCallRules.violations(in: $0) } == [])
    }

    @Test(arguments: [
        "let now = Date()", "let id = UUID()", "let x = Int.random(in: 1...2)", "Task { }", "func f() async {}",
        "await g()", "let l: Lock<Int>", "print(1)", "fatalError()", "let y = try! f()", "let z = a as! B",
        "let v = a!",
        "let w = list[0]!.size", "f(g()!)", "import Foundation", "actor A {}", "let t = ContinuousClock().now",
        "let s = \"\\(a!)\"",
    ])
    func `a planted forbidden call in a protocol core is detected`(line: String) {
        #expect(count("Sources/Protocols/Tuvali/A.swift", line) == 1)
    }

    @Test(arguments: [
        "// let now = Date()", "let s = \"await UUID() a!\"", "let validFrom = IssueDate(1)", "if a != b {}",
        "if !a {}",
        "#if canImport(Darwin)\n    import Foundation\n#else\n    import FoundationEssentials\n#endif",
        "/* a /* nested */ comment: x! */", "let raw = #\"print(\"quoted\")\"#", "let asynchronous = 1",
        "let block = \"\"\"\n    await \"nobody\" x!\n    \"\"\"",
    ])
    func `forbidden names in comments, strings and longer words are not reported`(text: String) {
        #expect(count("Sources/Protocols/Tuvali/A.swift", text) == 0)
    }

    @Test func `only command-line code may print, and only drivers may sleep`() {
        #expect(count("Sources/CommandLine/Commands/A.swift", "print(1)") == 0)
        #expect(count("Sources/Runtime/TuvaliHandover/A.swift", "print(1)") == 1)
        #expect(count("Sources/Runtime/TuvaliHandover/A.swift", "await f()") == 0)
    }

    @Test func `a closure stored in a lock directly is detected, and one in a struct is not`() {
        let path = "Sources/Runtime/TuvaliHandover/A.swift"
        #expect(count(path, "let told: Lock<(@Sendable (Int) -> Void)?>") == 1)
        #expect(count(path, "let told: Lock<Listener>") == 0)
    }

    @Test func `an unchecked Sendable conformance without its invariant is caught`() {
        let bare = "final class A: @unchecked Sendable {}"
        #expect(count("Sources/Radio/Radio/A.swift", bare) == 1)
        #expect(count("Sources/Radio/Radio/A.swift", "// Invariant: touched on one thread.\n" + bare) == 0)
    }
}
