import Testing

@Suite struct SettingRulesTests {
    private func settings(_ text: String, module: String = "B") -> [String] {
        SettingRules.settings(in: SourceFile("Sources/A/\(module)/C.swift", text))
    }

    @Test func `the libraries have at most 120 public settings with a default`() {
        let found = SourceTree.package.sources.flatMap(SettingRules.settings(in:))
        #expect(
            found.count <= SettingRules.budget,
            """
            \(found.count) public settings, more than \(SettingRules.budget): make constants of those that no \
            application has a reason to change, and package variables of those that only tests set.
            \(found.joined(separator: "\n"))
            """)
        #expect(found.count > 60)
    }

    @Test func `public stored variables with a default in types of settings are counted, and no others`() {
        let text = """
            public struct ReaderLimits: Sendable {
                /// public var comment = 1
                public var bytes = 1
                @Rounded public var wait: Duration = .seconds(1)
                public var note: String?
                public var make: () -> Int = { 1 }
                package var inner = 1
                public static var shared = 1
                public static let constant = 1
                public var required: Int
                public var half: Int { bytes == 2 ? 1 : 2 }
                public private(set) var count = 0
                public struct Part {
                    public var other = 1
                }
                public struct PartOptions {
                    public var another = 1
                }
                public var last = "= }"
            }
            public struct Reader {
                public var state = 1
            }

            """
        let found = ["bytes", "wait", "note", "make"].map { "ReaderLimits.\($0)" }
        #expect(settings(text) == found + ["PartOptions.another", "ReaderLimits.last"])
    }

    @Test func `settings of a module that mirrors another library are not counted as public settings`() {
        let text = "public struct Settings {\n    public var quota = 1\n}\n"
        #expect(settings(text) == ["Settings.quota"])
        #expect(settings(text, module: "HeraldCompatibility") == [])
    }
}
