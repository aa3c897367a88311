import Testing

@Suite struct TypeRulesTests {
    private func violations(_ files: [(String, String)]) -> [String] {
        TypeRules.violations(in: files.map { SourceFile("Sources/A/B/\($0.0)", $0.1) }).map(\.sentence)
    }

    @Test func `types that span files have no open state`() {
        #expect(TypeRules.violations(in: SourceTree.package.sources) == [])
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

    @Test func `types of one name in two modules are separate types`() {
        let files = ["Sources/A/B/C.swift", "Sources/A/E/C.swift"].map {
            SourceFile($0, "struct C {\n    var a = 1\n}\n")
        }
        #expect(TypeRules.violations(in: files) == [])
        #expect(TypeRules.extents(in: files).count == 2)
    }

    @Test func `every exception of a type's open state is still needed`() {
        let extents = TypeRules.extents(in: SourceTree.package.sources)
        for key in Exceptions.openTypes.keys { #expect(extents[key].map(TypeRules.isOpen) == true, "\(key)") }
    }
}
