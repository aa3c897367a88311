// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "HandOver",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "symbolon", path: "../..")],
    targets: [
        .executableTarget(
            name: "HandOver",
            dependencies: [.product(name: "TuvaliHandover", package: "symbolon")],
            swiftSettings: [.treatAllWarnings(as: .error)])
    ],
    swiftLanguageModes: [.v6]
)
