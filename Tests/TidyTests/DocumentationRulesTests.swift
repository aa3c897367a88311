import Testing

@Suite struct DocumentationRulesTests {
    private func lines(_ text: String) -> [Int] {
        DocumentationRules.violations(in: SourceFile("Sources/Radio/Radio/A.swift", text)).map(\.line)
    }

    @Test func `every public declaration has a doc comment`() {
        #expect(SourceTree.package.sources.flatMap { DocumentationRules.violations(in: $0) } == [])
    }

    @Test func `a planted declaration without a doc comment is caught`() {
        #expect(lines("public struct A {}") == [1])
        #expect(lines("/// A.\npublic struct A {\n    public let b = 1\n}") == [3])
        #expect(lines("/// A.\n\npublic func a() {}") == [3])
        #expect(lines("// not a doc comment\n@inlinable\npublic static func a() {}") == [3])
    }

    @Test func `a planted case or requirement without a doc comment is caught`() {
        #expect(lines("/// A.\npublic enum A {\n    case one\n    /// Two.\n    case two\n}") == [3])
        #expect(lines("/// A.\npublic protocol A {\n    var a: Int { get }\n    /// B.\n    func b()\n}") == [3])
    }

    @Test func `declarations that are documented or not public are not reported`() {
        #expect(lines("/// A.\n@frozen\npublic struct A {}\npublic import Radio\nstruct B { let c = 1 }") == [])
        #expect(
            lines(
                "/// A.\npublic enum A {\n    /// One.\n    case one\n    /// F.\n    func f() { switch self {\n    case .one: 1\n}}}"
            ) == [])
    }
}
