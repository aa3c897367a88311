// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "ReadCodes",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "symbolon", path: "../..")],
    targets: [
        .executableTarget(
            name: "ReadCodes",
            dependencies: [.product(name: "Credentials", package: "symbolon")],
            swiftSettings: [.treatAllWarnings(as: .error)])
    ],
    swiftLanguageModes: [.v6]
)
