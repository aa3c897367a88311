// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "Notice",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "symbolon", path: "../..")],
    targets: [
        .executableTarget(
            name: "Notice",
            dependencies: [.product(name: "HeraldProximity", package: "symbolon")],
            swiftSettings: [.treatAllWarnings(as: .error)])
    ],
    swiftLanguageModes: [.v6]
)
