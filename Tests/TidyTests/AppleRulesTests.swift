import Testing

@Suite struct AppleRulesTests {
    private static let manifest = SourceFile(
        "Package.swift",
        """
        let package = Package(
            products: [
                .library(name: "TuvaliHandover", targets: ["Tuvali"])
            ],
            targets: [
                library("CSodium", pkgConfig: "libsodium", package: "libsodium-dev"),
                library("CTLS", pkgConfig: "libssl", package: "libssl-dev"),
                module("Sources/Foundations/CryptoSuite", onLinux: "CSodium"),
                module("Sources/Protocols/Tuvali", "CryptoSuite"),
                module("Sources/Runtime/WebTransport", "CTLS"),
            ])
        """)

    private func sentences(_ path: String, _ text: String, manifest: SourceFile = manifest) -> [String] {
        let folders = ["Foundations/CryptoSuite", "Protocols/Tuvali", "Runtime/WebTransport"]
        let files = folders.map { SourceFile("Sources/\($0)/A.swift", "") }
        return AppleRules.violations(in: SourceTree(files + [manifest, SourceFile(path, text)])).map(\.sentence)
    }

    @Test func `no module that Apple's systems build needs a Debian library`() {
        #expect(AppleRules.violations(in: .package) == [])
    }

    @Test func `the Apple stand-ins compile each module with its dependencies on Apple's systems`() {
        #expect(AppleRules.standInViolations(in: .package) == [])
    }

    @Test func `the table of Apple stand-ins lists every name that they declare`() {
        #expect(AppleRules.unlistedNames(in: .package) == [])
    }

    @Test func `a planted Apple stand-in name that the table leaves out is caught`() {
        let files = [
            SourceFile(
                "Tests/AppleStandIns/CoreBluetooth/A.swift",
                "open class CBOne {\n    public var two: Int\n    var own: Int\n}"),
            SourceFile("Documentation/Evidence/AppleStandIns.md", "| `CBOne` |"),
        ]
        #expect(
            AppleRules.unlistedNames(in: SourceTree(files)).map(\.sentence) == [
                "two is not in Documentation/Evidence/AppleStandIns.md"
            ])
    }

    @Test func `the products for Apple's systems hold no module of the command or of the cloud agent`() {
        let modules = AppleRules.modules(in: .package)
        #expect(
            modules.isSuperset(of: ["TuvaliHandover", "HeraldProximity", "CoreBluetoothRadio", "CryptoSuite", "CZlib"]))
        #expect(modules.isDisjoint(with: ["WebTransport", "Vault", "Credentials", "BlueZRadio", "Commands"]))
    }

    @Test func `a planted import of a library of Debian is caught`() {
        #expect(sentences("Sources/Foundations/CryptoSuite/B.swift", "import CSodium").count == 1)
        #expect(sentences("Sources/Protocols/Tuvali/B.swift", "internal import CTLS").count == 1)
        let guarded = "#if DEBIAN_LIBRARIES\nimport CSodium\n#endif"
        #expect(sentences("Sources/Foundations/CryptoSuite/B.swift", guarded) == [])
        #expect(sentences("Sources/Runtime/WebTransport/B.swift", "import CTLS") == [])
    }

    @Test func `a planted dependency on a library of Debian without a condition is caught`() {
        let text = Self.manifest.text.replacing("onLinux: ", with: "")
        #expect(
            sentences("Sources/Protocols/Tuvali/B.swift", "", manifest: SourceFile("Package.swift", text)).count == 1)
    }

    @Test func `a planted import of the C library or of Apple's modules without a condition is caught`() {
        let path = "Sources/Protocols/Tuvali/B.swift"
        #expect(sentences(path, "import Glibc").count == 1)
        #expect(sentences(path, "import FoundationEssentials").count == 1)
        #expect(sentences(path, "#if canImport(Darwin)\nimport Darwin\n#else\nimport Glibc\n#endif") == [])
        #expect(sentences(path, "import CoreBluetooth").count == 1)
        #expect(sentences(path, "#if CORE_BLUETOOTH\nimport CoreBluetooth\n#endif") == [])
        #expect(sentences(path, "import CryptoKit").count == 1)
    }

    @Test func `a planted API newer than the oldest supported Apple system is caught`() {
        let path = "Sources/Protocols/Tuvali/B.swift"
        #expect(sentences(path, "let wide: Int128 = 1").count == 1)
        #expect(sentences(path, "// Int128\nlet narrow: Int64 = 1") == [])
    }
}
