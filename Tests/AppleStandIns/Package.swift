// swift-tools-version: 6.2

import PackageDescription

// Stand-ins for modules of Apple's systems, and what `make gate G=apple-check` compiles and runs over them: the modules
// of hand-over and proximity as they are on Apple's systems, without DEBIAN_LIBRARIES. `Library`, `Lab` and the folders
// in `Checked` are links to folders of the package itself; TidyTests compare the dependencies here with those there.

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A module of the package itself: its folder, which ends with its name, and the modules that it imports.
func module(_ path: String, _ uses: String = "", callsC: Bool = false, settings: [SwiftSetting] = []) -> Target {
    .target(
        name: path.split(separator: "/").last.map(String.init) ?? path,
        dependencies: uses.split(separator: " ").map { .init(stringLiteral: String($0)) }, path: path,
        swiftSettings: strict + (callsC ? [.strictMemorySafety()] : []) + settings)
}

let package = Package(
    name: "AppleStandIns",
    targets: [
        // The stand-ins.
        .systemLibrary(name: "COpenSSL", path: "Library/Foundations/COpenSSL", pkgConfig: "libcrypto"),
        .target(name: "CryptoKit", dependencies: ["COpenSSL"], path: "CryptoKit", swiftSettings: strict),
        .target(
            name: "CoreBluetooth",
            dependencies: ["VirtualRadio", "Radio", "Air", "Bluetooth", "Determinism"],
            path: "CoreBluetooth", swiftSettings: strict),

        // The modules of hand-over and proximity.
        .systemLibrary(name: "CZlib", path: "Library/Foundations/CZlib"),
        module("Library/Foundations/ByteCoding"),
        module("Library/Foundations/CodedErrors"),
        module("Library/Foundations/Determinism"),
        module("Library/Foundations/DataStructures", "Determinism"),
        module("Library/Foundations/CryptoSuite", "CryptoKit ByteCoding CodedErrors Determinism", callsC: true),
        module("Library/Foundations/Compression", "CZlib CodedErrors", callsC: true),
        module("Library/Protocols/Bluetooth", "ByteCoding CodedErrors Determinism"),
        module("Library/Protocols/Tuvali", "Bluetooth ByteCoding CodedErrors Determinism CryptoSuite Compression"),
        module("Library/Protocols/Herald", "Bluetooth ByteCoding CodedErrors Determinism CryptoSuite DataStructures"),
        module("Library/Radio/Air", "Bluetooth ByteCoding DataStructures Determinism"),
        module("Library/Radio/Radio", "Bluetooth CodedErrors Determinism"),
        module("Library/Radio/VirtualRadio", "Radio Air Bluetooth ByteCoding Determinism CodedErrors DataStructures"),
        module(
            "Library/Radio/CoreBluetoothRadio", "CoreBluetooth Radio Bluetooth ByteCoding Determinism CodedErrors",
            settings: [.define("CORE_BLUETOOTH")]),
        module(
            "Library/Runtime/TuvaliHandover", "Tuvali Radio Bluetooth Determinism CryptoSuite CodedErrors Compression"),
        module("Library/Runtime/AtomicFiles"),
        module(
            "Library/Runtime/HeraldProximity",
            "Herald AtomicFiles Radio Bluetooth ByteCoding Determinism CryptoSuite CodedErrors"),

        // The models of deployed peers.
        module("Lab/StockPeers", "Air Bluetooth ByteCoding Determinism CryptoSuite Compression"),
        module("Library/Simulation/StockHeralds", "Air Bluetooth ByteCoding Determinism"),

        // The checks.
        .target(name: "TestSupport", dependencies: ["Determinism"], path: "Checked/TestSupport", swiftSettings: strict),
        .target(
            name: "RadioConformance", dependencies: ["Radio", "Bluetooth", "CodedErrors", "Determinism"],
            path: "Checked/RadioConformance",
            swiftSettings: strict),
        .testTarget(
            name: "CryptoSuiteTests", dependencies: ["CryptoSuite", "TestSupport", "ByteCoding", "Determinism"],
            path: "Checked/CryptoSuiteTests",
            exclude: [
                // Of operations that no module of hand-over and proximity needs.
                "BoxTests.swift", "Certificates", "ECDSATests.swift", "PassphraseTests.swift",
                "Curve448AndBrainpoolTests.swift", "PublishedPrimitivesTests.swift",
                "RSATests.swift", "WycheproofSignatureTests.swift", "XChaChaTests.swift",
            ], swiftSettings: strict),
        .target(
            name: "WalletExample",
            dependencies: ["CoreBluetoothRadio", "TuvaliHandover", "Tuvali", "Radio", "CryptoSuite"],
            path: "Checked/Examples/Wallet", exclude: ["WalletApp.swift"]),
        .target(
            name: "ProximityExample",
            dependencies: ["CoreBluetoothRadio", "HeraldProximity", "Herald", "Radio", "CryptoSuite"],
            path: "Checked/Examples/Proximity", exclude: ["ProximityApp.swift"]),
        .testTarget(
            name: "AppleChecks",
            dependencies: [
                "CoreBluetooth", "CoreBluetoothRadio", "WalletExample", "ProximityExample", "RadioConformance",
                "TuvaliHandover", "Tuvali", "HeraldProximity",
                "Herald", "StockPeers", "StockHeralds", "VirtualRadio", "Air", "Radio", "Bluetooth",
                "CryptoSuite",
                "Determinism", "TestSupport", "ByteCoding",
            ], path: "AppleChecks", swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
