import Testing

@Suite struct ErrorCodeRulesTests {
    private let source = """
        public enum TuvaliErrorCode: String, CaseIterable {
            /// First.
            case tooLong = "tuvali.too-long"
            case tooShort = "tuvali.too-short"

            var isFatal: Bool { switch self { case .tooLong: true } }
        }
        enum Other: String { case a = "other.thing" }
        """
    private let test = "@testable import Tuvali\nlet a = [.tooLong, \"tuvali.too-short\"]"
    private let table = "| code | meaning |\n|---|---|\n| `tuvali.too-long` | a |\n| `tuvali.too-short` | b |\n"

    private func sentences(
        source: String? = nil, test: String? = nil, table: String? = nil, untested: Set<String> = []
    ) -> [String] {
        let files = [
            SourceFile("Sources/Protocols/Tuvali/E.swift", source ?? self.source),
            SourceFile("Tests/TuvaliTests/E.swift", test ?? self.test),
            SourceFile(ErrorCodeRules.table, table ?? self.table),
        ]
        return ErrorCodeRules.violations(in: SourceTree(files), untested: untested).map(\.sentence)
    }

    @Test func `the table of error codes lists every code, and a test names each`() {
        let untested = Set(Exceptions.untestedCodes.keys)
        #expect(ErrorCodeRules.violations(in: .package, untested: untested) == [])
    }

    @Test func `every exception for an untested code names an existing code`() {
        let codes = ErrorCodeRules.codes(in: SourceTree.package.sources).map(\.rawValue)
        #expect(Set(Exceptions.untestedCodes.keys).subtracting(codes) == [])
    }

    @Test func `error codes that are defined, listed and tested are not reported`() {
        #expect(sentences() == [])
    }

    @Test func `a planted error code that is unlisted, listed twice or not defined is detected`() {
        #expect(sentences(table: "| code |\n|---|\n| `tuvali.too-long` |\n") == ["tuvali.too-short is not listed"])
        #expect(sentences(table: table + "| `tuvali.gone` | c |\n").count == 1)
        #expect(sentences(table: table + "| `tuvali.too-long` | c |\n").count == 1)
    }

    @Test func `a planted error code that no test names is caught, unless it is an exception`() {
        #expect(sentences(test: "import Tuvali\nlet a = \"tuvali.too-short\"") == ["no test names tuvali.too-long"])
        #expect(sentences(test: "import Tuvali\nlet a = \"tuvali.too-short\"", untested: ["tuvali.too-long"]) == [])
        #expect(sentences(untested: ["tuvali.too-long"]).count == 1)
        #expect(sentences(test: "let a = [.tooLong, \"tuvali.too-short\"]").count == 1)
    }

    @Test func `a planted error code without a proper raw value is caught`() {
        let plain = source.split(separator: " = \"tuvali.too-long\"").joined()
        #expect(sentences(source: plain).contains { $0.hasPrefix("the code tooLong needs a raw value") })
    }
}
