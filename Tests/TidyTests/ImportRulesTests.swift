import Testing

@Suite struct ImportRulesTests {
    private let manifest = SourceFile(
        "Package.swift",
        """
        let package = Package(
            targets: [
                module("Sources/Foundations/ByteCoding"),
                module("Sources/Protocols/Bluetooth", "ByteCoding"),
                module(
                    "Sources/Protocols/Tuvali",
                    "Bluetooth"),
                module("Sources/Protocols/Herald", "Tuvali"),
                module("Sources/Radio/Air", "Bluetooth Tuvali"),
                module("Sources/Radio/Radio", "Bluetooth"),
                module("Sources/Radio/VirtualRadio", "Radio Air"),
                module("Sources/Runtime/TuvaliHandover", "Tuvali Radio VirtualRadio Air"),
                tests("Tests/TuvaliTests"),
            ])
        """)

    private func complaints(_ path: String, _ text: String) -> [String] {
        let names = ["Foundations/ByteCoding", "Protocols/Bluetooth", "Protocols/Tuvali", "Protocols/Herald"]
        let more = ["Radio/Air", "Radio/Radio", "Radio/VirtualRadio", "Runtime/TuvaliHandover"]
        let commands = ["CommandProgram", "ConnectionCommands", "HandoverCommands"].map { "CommandLine/\($0)" }
        let folders = (names + more + commands).map { SourceFile("Sources/\($0)/A.swift", "") }
        return ImportRules.violations(in: SourceTree(folders + [manifest, SourceFile(path, text)])).map(\.sentence)
    }

    @Test func `the imports of the sources follow the allowed directions`() {
        #expect(ImportRules.violations(in: .package) == [])
    }

    @Test func `no target declares a module that it does not import`() {
        #expect(ImportRules.unusedDependencies(in: .package) == [])
    }

    @Test func `a planted target dependency that is never imported is caught`() {
        let files = [
            SourceFile("Sources/Foundations/ByteCoding/A.swift", ""),
            SourceFile("Sources/Protocols/Bluetooth/A.swift", "// import ByteCoding"),
            SourceFile("Sources/Protocols/Tuvali/A.swift", "public import Bluetooth"),
            SourceFile("Tests/TuvaliTests/A.swift", "@testable import Tuvali"), manifest,
        ]
        let found = ImportRules.unusedDependencies(in: SourceTree(files)).map(\.sentence)
        #expect(found == ["Bluetooth declares that it uses ByteCoding, and never imports it"])
    }

    /// On Linux any package may have a module of that name, which is not Apple's.
    @Test func `no source has a canImport condition for CryptoKit`() {
        let asking = SourceTree.package.sources.filter { $0.text.contains("canImport(Crypto" + "Kit)") }
        #expect(asking.map(\.path) == [])
    }

    @Test func `a planted import in a forbidden direction is detected`() {
        #expect(complaints("Sources/Protocols/Tuvali/B.swift", "import Radio").count == 1)
        #expect(complaints("Sources/Protocols/Herald/B.swift", "public import Tuvali").count == 1)
        #expect(complaints("Sources/Protocols/Bluetooth/B.swift", "import Tuvali").count == 1)
        #expect(complaints("Sources/Radio/Air/B.swift", "import Tuvali").count == 1)
        #expect(complaints("Sources/Runtime/TuvaliHandover/B.swift", "@preconcurrency import Air").count == 1)
        #expect(complaints("Sources/Runtime/TuvaliHandover/B.swift", "import struct VirtualRadio.Air").count == 1)
        #expect(complaints("Sources/Protocols/Tuvali/B.swift", "import Glibc").count == 1)
    }

    @Test func `a planted import of another command module is detected`() {
        let none = "may not know the commands of"
        func isRefused(_ own: String, _ other: String) -> Bool {
            complaints("Sources/CommandLine/\(own)/B.swift", "import \(other)").contains { $0.contains(none) }
        }
        #expect(isRefused("HandoverCommands", "ConnectionCommands"))
        #expect(isRefused("CommandProgram", "ConnectionCommands"))
        #expect(!isRefused("HandoverCommands", "CommandProgram"))
        #expect(!isRefused("Commands", "HandoverCommands"))
    }

    @Test func `a planted import that the manifest does not declare is detected`() {
        let undeclared = "Package.swift does not declare that Tuvali uses ByteCoding"
        #expect(complaints("Sources/Protocols/Tuvali/B.swift", "import ByteCoding") == [undeclared])
        #expect(complaints("Tests/TuvaliTests/B.swift", "@testable import Radio").count == 1)
    }

    @Test func `an import in an allowed direction, or in a comment or a string, is not reported`() {
        #expect(complaints("Sources/Protocols/Tuvali/B.swift", "import Bluetooth") == [])
        #expect(complaints("Sources/Radio/VirtualRadio/B.swift", "import Air") == [])
        #expect(complaints("Sources/Protocols/Tuvali/B.swift", "// import Radio") == [])
        #expect(complaints("Sources/Protocols/Tuvali/B.swift", "let a = \"import Radio\"") == [])
        #expect(complaints("Tests/TuvaliTests/B.swift", "@testable import Tuvali\nimport TestSupport") == [])
    }
}
