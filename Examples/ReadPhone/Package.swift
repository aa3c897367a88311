// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "ReadPhone",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "symbolon", path: "../..")],
    targets: [
        .executableTarget(
            name: "ReadPhone",
            dependencies: [.product(name: "MobileDocuments", package: "symbolon")],
            swiftSettings: [.treatAllWarnings(as: .error)])
    ],
    swiftLanguageModes: [.v6]
)
