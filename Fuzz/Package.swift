// swift-tools-version: 6.2

import PackageDescription

// Built by Scripts/fuzz.sh alone, which gives the sanitizers' flags to every module of the build: given here, to the
// targets below, they would leave the code under test without coverage feedback and the fuzzer blind.

let package = Package(
    name: "Fuzz",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "symbolon", path: "..")],
    targets: [
        .target(
            name: "FuzzTargets",
            dependencies: [.product(name: "FuzzedModules", package: "symbolon")],
            swiftSettings: [.treatAllWarnings(as: .error)]),
        .executableTarget(name: "FuzzDriver", dependencies: ["FuzzTargets"]),
    ],
    swiftLanguageModes: [.v6]
)
