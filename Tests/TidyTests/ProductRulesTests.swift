import Testing

@Suite struct ProductRulesTests {
    @Test func `each library product re-exports every module that its public interface needs`() {
        #expect(ProductRules.violations(in: .package) == [])
    }

    @Test func `a product that does not re-export a module of its public interface is caught`() {
        let manifest = SourceFile(
            "Package.swift",
            """
            let package = Package(
                products: [
                    .library(name: "One", targets: ["Radio"]),
                    .library(
                        name: "Two",
                        targets: ["Radio", "Bluetooth"]),
                    .library(name: "Three", targets: ["BlueZRadio"]),
                ],
            )
            """)
        let files = [
            SourceFile("Sources/Radio/Radio/A.swift", "public import Bluetooth\nimport ByteCoding"),
            SourceFile("Sources/Protocols/Bluetooth/A.swift", "import ByteCoding"),
            SourceFile(
                "Sources/Radio/BlueZRadio/A.swift", "@_exported public import Radio\n@_exported public import Bluetooth"
            ),
            SourceFile("Sources/Foundations/ByteCoding/A.swift", ""), manifest,
        ]
        let found = ProductRules.violations(in: SourceTree(files)).map(\.sentence)
        #expect(found == ["the product One does not re-export Bluetooth, which its public interface needs"])
    }

    @Test func `each library has the name of the module that its applications import`() {
        for product in ProductRules.products(in: SourceTree.package.file("Package.swift")?.text ?? "") {
            #expect(product.targets.first == product.name)
        }
    }
}
