import Testing

@Suite struct ProductRulesTests {
    @Test func `each product names every module that its public interface needs`() {
        #expect(ProductRules.violations(in: .package) == [])
    }

    @Test func `a product that leaves out a module of its public interface is caught`() {
        let manifest = SourceFile(
            "Package.swift",
            """
            let package = Package(
                products: [
                    .library(name: "One", targets: ["Radio"]),
                    .library(
                        name: "Two",
                        targets: ["Radio", "Bluetooth"]),
                ],
            )
            """)
        let files = [
            SourceFile("Sources/Radio/Radio/A.swift", "public import Bluetooth\nimport ByteCoding"),
            SourceFile("Sources/Protocols/Bluetooth/A.swift", "import ByteCoding"),
            SourceFile("Sources/Foundations/ByteCoding/A.swift", ""), manifest,
        ]
        let found = ProductRules.violations(in: SourceTree(files)).map(\.sentence)
        #expect(found == ["the product One leaves out Bluetooth, which its public interface needs"])
    }

    @Test func `the products of a developer are there, and the old names stay`() {
        let names = Set(ProductRules.products(in: SourceTree.package.file("Package.swift")?.text ?? "").map(\.name))
        for name in ["TuvaliHandover", "HeraldProximity", "AriesConnections", "CloudAgent", "RadioConformance"] {
            #expect(names.contains(name))
        }
        for name in ["Tuvali", "Herald", "Aries", "DIDComm", "JSON", "HTTP1", "Vault", "WebTransport", "BlueZRadio"] {
            #expect(names.contains(name))
        }
    }
}
