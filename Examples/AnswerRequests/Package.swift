// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "AnswerRequests",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "symbolon", path: "../..")],
    targets: [
        .executableTarget(
            name: "AnswerRequests",
            dependencies: [.product(name: "AriesConnections", package: "symbolon")],
            swiftSettings: [.treatAllWarnings(as: .error)])
    ],
    swiftLanguageModes: [.v6]
)
