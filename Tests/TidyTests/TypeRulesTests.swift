import Testing

@Suite struct TypeRulesTests {
    private func violations(_ files: [(String, String)]) -> [String] {
        TypeRules.violations(in: files.map { SourceFile("Sources/A/B/\($0.0)", $0.1) }).map(\.sentence)
    }

    private func type(_ head: String, lines: Int) -> String {
        "\(head) {\n" + String(repeating: "    // }\n", count: lines - 2) + "}\n"
    }

    @Test func `types in the sources keep to their size limits`() {
        #expect(TypeRules.violations(in: SourceTree.package.sources) == [])
    }

    @Test func `a planted type of 701 lines over two files is caught, and one of 700 passes`() {
        let first = type("@MainActor public final class C: D", lines: 400)
        #expect(violations([("C.swift", first), ("C+E.swift", type("extension C", lines: 300))]) == [])
        let found = violations([("C.swift", first), ("C+E.swift", type("extension C.D where A == B", lines: 301))])
        #expect(found == ["C has 701 lines over all files, more than 700"])
    }

    @Test func `a planted open variable of a type in two files is caught`() {
        let body = """
            struct C {
                let a: Int
                private var b = 1
                public private(set) var c = 1
                static var d = 1
                var e: Int { 1 }
                struct Inner {
                    var f = 1
                }
                public var g: Int
                func h() {
                    var i = 1
                }
            }

            """
        let other = ("D.swift", "extension C {\n}\n")
        let found = violations([("C.swift", body), other])
        #expect(found.count == 1 && found[0].hasPrefix("C spans 2 files and has 1 stored variables"))
        #expect(violations([("C.swift", body)]) == [], "in one file it may be open")
        #expect(violations([("C.swift", body.replacing("public var g", with: "private var g")), other]) == [])
    }

    @Test func `the size rule treats types of one name in two modules as separate`() {
        let files = ["Sources/A/B/C.swift", "Sources/A/E/C.swift"].map { SourceFile($0, type("struct C", lines: 400)) }
        #expect(TypeRules.violations(in: files) == [])
        #expect(TypeRules.sizes(in: files).count == 2)
    }

    @Test func `every listed exception of a type's size limit is still needed`() {
        let sizes = TypeRules.sizes(in: SourceTree.package.sources)
        for key in Exceptions.longTypes.keys {
            #expect((sizes[key]?.lineCount ?? 0) > TypeRules.lineLimit, "\(key)")
        }
        for key in Exceptions.openTypes.keys { #expect(sizes[key].map(TypeRules.isOpen) == true, "\(key)") }
    }
}
