// swift-tools-version: 6.2

import PackageDescription

// The calls of Tuvali's and Herald's own libraries, for applications that move over. A package of its own, so that the package itself
// has no second name for anything; `make gate G=compatibility` builds it and runs its tests.

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "Compatibility",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [
        .library(name: "TuvaliCompatibility", targets: ["TuvaliCompatibility"]),
        .library(name: "HeraldCompatibility", targets: ["HeraldCompatibility"]),
    ],
    dependencies: [.package(name: "symbolon", path: "..")],
    targets: [
        .target(
            name: "TuvaliCompatibility", dependencies: [.product(name: "TuvaliHandover", package: "symbolon")],
            swiftSettings: strict),
        .target(
            name: "HeraldCompatibility", dependencies: [.product(name: "HeraldProximity", package: "symbolon")],
            swiftSettings: strict),
        .testTarget(name: "TuvaliCompatibilityTests", dependencies: ["TuvaliCompatibility"], swiftSettings: strict),
        .testTarget(name: "HeraldCompatibilityTests", dependencies: ["HeraldCompatibility"], swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
