import Testing

@Suite struct HoldingRulesTests {
    private func violations(_ text: String) -> [String] {
        HoldingRules.violations(in: SourceFile("Sources/A/B/C.swift", text)).map(\.sentence)
    }

    /// A type of thirteen properties, of which the first is written by the test.
    private func type(_ head: String, first: String) -> String {
        "\(head) {\n    \(first)\n" + (1...12).map { "    let b\($0): Int\n" }.joined() + "}\n"
    }

    private func constructor(_ parts: String) -> String {
        "struct C {\n    init(\n        \(parts)\n    ) throws {\n        a = 1\n    }\n}\n"
    }

    /// The sources of the product; the lab models other programs as they are.
    private let sources = SourceTree.package.sources.filter { $0.folders.first == "Sources" }

    @Test func `types and constructors keep to the limits of what they hold and ask for`() {
        #expect(!sources.isEmpty)
        #expect(sources.flatMap { HoldingRules.violations(in: $0) } == [])
    }

    @Test func `a planted type of 13 stored properties with private state is caught`() {
        for (head, first) in [
            ("struct C", "private let a = [Int: Int]()"), ("public actor C: D", "nonisolated let a: Int"),
            ("@unchecked final class C", "var a = E { 1 }"),
            ("struct C", "private var a: [Int] = [] {\n        didSet { b = 1 }\n    }"),
        ] {
            let found = violations(type(head, first: first))
            #expect(found.count == 1 && found[0].hasPrefix("C has private state and 13 "), "\(head) \(first)")
        }
    }

    @Test func `plain data, computed and static properties do not count`() {
        for (head, first) in [
            ("struct C", "public private(set) var a = 1"), ("actor C", "var a: Int { 1 }"),
            ("actor C", "private static let a = 1"), ("actor C", "let a: Int = 1; }; struct D {"),
            ("actor C", "func f() {\n        let a = 1\n    }"),
        ] { #expect(violations(type(head, first: first)) == [], "\(head) \(first)") }
    }

    @Test func `properties of a nested type count for that type alone`() {
        let inner = type("    private final class D", first: "let a: Int")
        #expect(violations("actor C {\n    let a: Int\n\(inner)}\n").first?.hasPrefix("C.D has") == true)
    }

    @Test func `a planted constructor with six parts that have no default is caught`() {
        let five = "_ a: Int, b: [Int: (Int, Int)], c: @escaping (Int, Int) -> D<Int, Int>,\n        d: Int, e: Int"
        #expect(violations(constructor(five + ", f: Int = 1")) == [])
        #expect(violations(constructor(five + ", f: Int")).count == 1)
    }

    @Test func `a planted constructor with three parts that have no label is caught`() {
        #expect(violations(constructor("_ a: Int, _ b: Int, c: Int")) == [])
        #expect(violations(constructor("_ a: Int, _ b: Int, _ c: Int")).count == 1)
    }

    @Test func `every exception of what a type holds is still needed`() {
        var types: Set<String> = []
        var constructors: Set<String> = []
        for file in sources {
            for type in HoldingRules.types(in: file) {
                if HoldingRules.isFull(type) { types.insert(HoldingRules.key(of: type, in: file)) }
                for initialiser in type.initialisers where HoldingRules.asksTooMuch(initialiser) {
                    constructors.insert(HoldingRules.key(of: initialiser, of: type, in: file))
                }
            }
        }
        #expect(Set(Exceptions.fullTypes.keys).subtracting(types) == [])
        #expect(Set(Exceptions.longConstructors.keys).subtracting(constructors) == [])
    }
}
