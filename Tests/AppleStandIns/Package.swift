// swift-tools-version: 6.2

import PackageDescription

// Stand-ins for modules of Apple's systems, and what `make gate G=apple-check` compiles and runs over them: the modules
// of hand-over and proximity as they are on Apple's systems, without DEBIAN_LIBRARIES. `Library` and the folders in
// `Checked` are links to the folders of the package itself; TidyTests compare the dependencies here with those there.

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A module of the package itself.
func module(
    _ folder: String, _ name: String, uses: [Target.Dependency] = [], checksMemory: Bool = false
) -> Target {
    .target(
        name: name, dependencies: uses, path: "Library/\(folder)/\(name)",
        swiftSettings: strict + (checksMemory ? [.strictMemorySafety()] : []))
}

let package = Package(
    name: "AppleStandIns",
    targets: [
        // The stand-ins.
        .systemLibrary(name: "COpenSSL", path: "Library/Foundations/COpenSSL", pkgConfig: "libcrypto"),
        .target(name: "CryptoKit", dependencies: ["COpenSSL"], path: "CryptoKit", swiftSettings: strict),
        .target(
            name: "CoreBluetooth",
            dependencies: ["VirtualRadio", "Radio", "Simulation", "Bluetooth", "Determinism"],
            path: "CoreBluetooth", swiftSettings: strict),

        // The modules of hand-over and proximity.
        .systemLibrary(name: "CZlib", path: "Library/Foundations/CZlib"),
        module("Foundations", "ByteCoding"),
        module("Foundations", "CodedErrors"),
        module("Foundations", "Determinism"),
        module("Foundations", "DataStructures", uses: ["Determinism"]),
        module(
            "Foundations", "CryptoSuite", uses: ["CryptoKit", "ByteCoding", "CodedErrors", "Determinism"],
            checksMemory: true),
        module("Foundations", "Compression", uses: ["CZlib", "CodedErrors"], checksMemory: true),
        module("Protocols", "Bluetooth", uses: ["ByteCoding", "CodedErrors", "Determinism"]),
        module(
            "Protocols", "Tuvali",
            uses: ["Bluetooth", "ByteCoding", "CodedErrors", "Determinism", "CryptoSuite", "Compression"]),
        module(
            "Protocols", "Herald",
            uses: ["Bluetooth", "ByteCoding", "CodedErrors", "Determinism", "CryptoSuite", "DataStructures"]),
        module("Simulation", "Simulation", uses: ["Bluetooth", "ByteCoding", "DataStructures", "Determinism"]),
        module("Radio", "Radio", uses: ["Bluetooth", "CodedErrors", "Determinism"]),
        module("Radio", "VirtualRadio", uses: ["Radio", "Simulation", "Bluetooth", "ByteCoding", "Determinism"]),
        .target(
            name: "CoreBluetoothRadio",
            dependencies: ["CoreBluetooth", "Radio", "Bluetooth", "ByteCoding", "Determinism"],
            path: "Library/Radio/CoreBluetoothRadio", swiftSettings: strict + [.define("CORE_BLUETOOTH")]),
        module(
            "Runtime", "TuvaliRuntime", uses: ["Tuvali", "Radio", "Bluetooth", "Determinism", "CryptoSuite"]),
        module("Runtime", "AtomicFiles"),
        module(
            "Runtime", "HeraldRuntime",
            uses: ["Herald", "AtomicFiles", "Radio", "Bluetooth", "ByteCoding", "Determinism", "CryptoSuite"]),

        // The models of deployed peers.
        module(
            "Simulation", "StockPeers",
            uses: ["Simulation", "Bluetooth", "ByteCoding", "Determinism", "CryptoSuite", "Compression"]),
        module("Simulation", "StockHeralds", uses: ["Simulation", "Bluetooth", "ByteCoding", "Determinism"]),

        // The checks.
        .target(name: "TestSupport", dependencies: ["Determinism"], path: "Checked/TestSupport", swiftSettings: strict),
        .target(
            name: "RadioConformance", dependencies: ["Radio", "Bluetooth"], path: "Checked/RadioConformance",
            swiftSettings: strict),
        .testTarget(
            name: "CryptoSuiteTests", dependencies: ["CryptoSuite", "TestSupport", "ByteCoding", "Determinism"],
            path: "Checked/CryptoSuiteTests",
            exclude: [
                // Of operations that no module of hand-over and proximity needs.
                "BoxTests.swift", "Certificates", "ECDSATests.swift", "PassphraseTests.swift",
                "PublishedPrimitivesTests.swift",
                "RSATests.swift", "WycheproofSignatureTests.swift", "XChaChaTests.swift",
            ], swiftSettings: strict),
        .target(
            name: "WalletExample",
            dependencies: ["CoreBluetoothRadio", "TuvaliRuntime", "Tuvali", "Radio", "CryptoSuite"],
            path: "Checked/Examples/Wallet", exclude: ["WalletApp.swift"]),
        .target(
            name: "ProximityExample",
            dependencies: ["CoreBluetoothRadio", "HeraldRuntime", "Herald", "Radio", "CryptoSuite"],
            path: "Checked/Examples/Proximity", exclude: ["ProximityApp.swift"]),
        .testTarget(
            name: "AppleChecks",
            dependencies: [
                "CoreBluetooth", "CoreBluetoothRadio", "WalletExample", "ProximityExample", "RadioConformance",
                "TuvaliRuntime", "Tuvali", "HeraldRuntime",
                "Herald", "StockPeers", "StockHeralds", "VirtualRadio", "Simulation", "Radio", "Bluetooth",
                "CryptoSuite",
                "Determinism", "TestSupport", "ByteCoding",
            ], path: "AppleChecks", swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
