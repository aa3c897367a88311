// swift-tools-version: 6.2

import PackageDescription

// One helper per layer. A layer may depend only on those above it in this list; TidyTests checks the arrows again on
// the sources themselves, because an incremental build does not notice an undeclared import.

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A system library of Debian, found by pkg-config.
func library(_ name: String, pkgConfig: String, package: String) -> Target {
    .systemLibrary(
        name: name, path: "Sources/Foundations/\(name)", pkgConfig: pkgConfig, providers: [.apt([package])])
}

func layer(
    _ folder: String, _ name: String, uses: [Target.Dependency] = [], wrapsC: Bool = false
) -> Target {
    .target(
        name: name, dependencies: uses, path: "Sources/\(folder)/\(name)",
        swiftSettings: strict + (wrapsC ? [.strictMemorySafety()] : []))
}

func foundation(_ name: String, uses: [Target.Dependency] = [], wrapsC: Bool = false) -> Target {
    layer("Foundations", name, uses: uses, wrapsC: wrapsC)
}

func protocolCore(_ name: String, uses: [Target.Dependency]) -> Target { layer("Protocols", name, uses: uses) }

func simulation(_ name: String, uses: [Target.Dependency]) -> Target { layer("Simulation", name, uses: uses) }

func radio(_ name: String, uses: [Target.Dependency]) -> Target { layer("Radio", name, uses: uses) }

func runtime(_ name: String, uses: [Target.Dependency], wrapsC: Bool = false) -> Target {
    layer("Runtime", name, uses: uses, wrapsC: wrapsC)
}

func commandLine(_ name: String, uses: [Target.Dependency]) -> Target { layer("CommandLine", name, uses: uses) }

func tests(of name: String, uses: [Target.Dependency] = [], excluding: [String] = []) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: [.target(name: name), "TestSupport"] + uses, path: "Tests/\(name)Tests",
        exclude: excluding, swiftSettings: strict)
}

let package = Package(
    name: "symbolon",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [
        .executable(name: "symbolon", targets: ["symbolon"]),
        .library(name: "Tuvali", targets: ["Tuvali", "TuvaliRuntime", "Radio", "VirtualRadio"]),
        .library(name: "JSON", targets: ["JSON"]),
        .library(name: "DIDComm", targets: ["DIDComm"]),
        .library(name: "Aries", targets: ["Aries"]),
        .library(name: "Herald", targets: ["Herald", "HeraldRuntime", "Radio", "VirtualRadio"]),
        .library(name: "BlueZRadio", targets: ["BlueZRadio"]),
        .library(name: "WebTransport", targets: ["WebTransport", "WebAddressing"]),
        .library(name: "Vault", targets: ["Vault"]),
        .library(name: "CloudAgent", targets: ["CloudAgent"]),
        .library(name: "SymbolonCommand", targets: ["Commands", "TransferSimulation"]),
    ],
    traits: [
        .default(enabledTraits: ["PostgreSQL"]),
        .trait(name: "PostgreSQL", description: "The cloud agent can keep its store in PostgreSQL, by libpq."),
    ],
    targets: [
        // Foundations: no protocol, no I/O.
        library("CSodium", pkgConfig: "libsodium", package: "libsodium-dev"),
        library("COpenSSL", pkgConfig: "libcrypto", package: "libssl-dev"),
        library("CZlib", pkgConfig: "zlib", package: "zlib1g-dev"),
        library("CQREncode", pkgConfig: "libqrencode", package: "libqrencode-dev"),
        library("CSQLite", pkgConfig: "sqlite3", package: "libsqlite3-dev"),
        library("CPostgres", pkgConfig: "libpq", package: "libpq-dev"),
        library("CWebSockets", pkgConfig: "libwebsockets", package: "libwebsockets-dev"),
        library("CSystemd", pkgConfig: "libsystemd", package: "libsystemd-dev"),
        foundation("ByteCoding"),
        foundation("CodedErrors"),
        foundation("Determinism"),
        foundation("WebAddressing", uses: ["CodedErrors"]),
        foundation("CryptoSuite", uses: ["CSodium", "COpenSSL", "CodedErrors", "Determinism"], wrapsC: true),
        foundation("Compression", uses: ["CZlib", "CodedErrors"], wrapsC: true),
        foundation("JSON", uses: ["ByteCoding", "CodedErrors"]),
        foundation("QRCode", uses: ["CQREncode", "Compression", "ByteCoding", "CodedErrors"], wrapsC: true),

        // Protocols: sans-IO cores, values in, values out.
        protocolCore("Bluetooth", uses: ["ByteCoding", "CodedErrors", "Determinism"]),
        protocolCore(
            "Tuvali", uses: ["Bluetooth", "ByteCoding", "CodedErrors", "Determinism", "CryptoSuite", "Compression"]),
        protocolCore("Herald", uses: ["Bluetooth", "ByteCoding", "CodedErrors", "Determinism", "CryptoSuite"]),
        protocolCore(
            "DIDComm", uses: ["WebAddressing", "JSON", "ByteCoding", "CodedErrors", "Determinism", "CryptoSuite"]),
        protocolCore(
            "Aries",
            uses: ["DIDComm", "JSON", "WebAddressing", "ByteCoding", "CodedErrors", "Determinism", "CryptoSuite"]),

        // Simulation: virtual time, seeded randomness, an air.
        simulation("Simulation", uses: ["Bluetooth", "ByteCoding", "Determinism", "CryptoSuite"]),
        simulation(
            "TransferSimulation", uses: ["Simulation", "Tuvali", "Bluetooth", "ByteCoding", "Determinism"]),
        simulation(
            "StockPeers",
            uses: ["Simulation", "Bluetooth", "ByteCoding", "Determinism", "CryptoSuite", "Compression"]),

        simulation(
            "ProximitySimulation",
            uses: ["Simulation", "StockPeers", "Herald", "Bluetooth", "ByteCoding", "Determinism"]),

        // Radio: the seam and its back ends.
        radio("Radio", uses: ["Bluetooth", "CodedErrors", "Determinism"]),
        radio("VirtualRadio", uses: ["Radio", "Simulation", "Bluetooth", "ByteCoding", "Determinism"]),
        .target(
            name: "BlueZRadio",
            dependencies: ["Radio", "Bluetooth", "ByteCoding", "Determinism", "CSystemd"],
            path: "Sources/Radio/BlueZRadio", swiftSettings: strict + [.strictMemorySafety()]),

        // Runtime: drivers that connect a core to a radio.
        runtime(
            "TuvaliRuntime",
            uses: ["Tuvali", "Radio", "Bluetooth", "ByteCoding", "Determinism", "CryptoSuite"]),
        runtime("SQLiteEngine", uses: ["CSQLite"], wrapsC: true),
        runtime(
            "Vault", uses: ["SQLiteEngine", "CryptoSuite", "ByteCoding", "CodedErrors", "Determinism"], wrapsC: true),
        runtime(
            "WebTransport",
            uses: [
                "CWebSockets", "COpenSSL", "CryptoSuite", "WebAddressing", "ByteCoding", "CodedErrors", "Determinism",
            ], wrapsC: true),
        .target(name: "CAssets", path: "Sources/Runtime/CAssets", exclude: ["Files"]),
        runtime("WebAssets", uses: ["CAssets", "WebTransport", "CryptoSuite", "ByteCoding"], wrapsC: true),
        runtime(
            "AriesRuntime",
            uses: [
                "Aries", "DIDComm", "Vault", "WebTransport", "JSON", "WebAddressing", "ByteCoding", "CodedErrors",
                "Determinism", "CryptoSuite",
            ]),
        // Empty without the trait, so that libpq is not needed then.
        .target(
            name: "PostgresEngine",
            dependencies: [.target(name: "CPostgres", condition: .when(traits: ["PostgreSQL"]))],
            path: "Sources/Runtime/PostgresEngine", swiftSettings: strict + [.strictMemorySafety()]),
        runtime(
            "CloudAgent",
            uses: [
                "SQLiteEngine", "PostgresEngine", "AriesRuntime", "WebTransport", "Aries", "DIDComm", "JSON",
                "WebAddressing", "CryptoSuite", "ByteCoding", "CodedErrors", "Determinism",
            ]),
        runtime("HeraldRuntime", uses: ["Herald", "Radio", "Bluetooth", "ByteCoding", "Determinism", "CryptoSuite"]),

        // CommandLine.
        commandLine("Terminal", uses: ["QRCode", "CodedErrors", "Determinism"]),
        commandLine(
            "Commands",
            uses: [
                "Terminal", "TuvaliRuntime", "Tuvali", "Radio", "VirtualRadio", "BlueZRadio", "Simulation",
                "TransferSimulation", "ProximitySimulation",
                "StockPeers", "Vault", "WebTransport", "WebAddressing", "Bluetooth", "Compression", "Herald", "DIDComm",
                "Aries", "AriesRuntime", "JSON", "ByteCoding", "Determinism", "CryptoSuite", "QRCode", "HeraldRuntime",
                "CloudAgent", "CodedErrors",
            ]),
        .executableTarget(
            name: "symbolon", dependencies: ["Commands"], path: "Sources/CommandLine/symbolon",
            swiftSettings: strict),

        // Tests.
        .target(
            name: "TestSupport", dependencies: ["ByteCoding", "Determinism"], path: "Tests/TestSupport",
            swiftSettings: strict),
        tests(of: "ByteCoding"),
        tests(of: "Determinism"),
        tests(of: "WebAddressing"),
        tests(of: "CryptoSuite", uses: ["ByteCoding", "Determinism"]),
        tests(of: "Compression"),
        tests(of: "QRCode"),
        tests(of: "JSON", uses: ["ByteCoding"]),
        tests(of: "Bluetooth", uses: ["ByteCoding", "Determinism"]),
        tests(of: "Tuvali", uses: ["Bluetooth", "ByteCoding", "Determinism", "CryptoSuite", "Compression"]),
        tests(of: "Simulation", uses: ["Bluetooth", "ByteCoding", "Determinism"]),
        tests(
            of: "TransferSimulation",
            uses: ["Simulation", "Tuvali", "Bluetooth", "ByteCoding", "Determinism", "CryptoSuite", "Compression"]),
        tests(
            of: "StockPeers",
            uses: [
                "TransferSimulation", "Tuvali", "Simulation", "Bluetooth", "ByteCoding", "Determinism", "CryptoSuite",
                "Compression",
            ]),
        tests(
            of: "ProximitySimulation",
            uses: ["StockPeers", "Herald", "Simulation", "Bluetooth", "ByteCoding", "Determinism"]),
        .target(
            name: "RadioConformance", dependencies: ["Radio", "Bluetooth", "Determinism"],
            path: "Tests/RadioConformance", swiftSettings: strict),
        tests(of: "VirtualRadio", uses: ["RadioConformance", "Radio", "Simulation", "Bluetooth", "Determinism"]),
        tests(
            of: "TuvaliRuntime",
            uses: ["Tuvali", "Radio", "VirtualRadio", "Simulation", "Bluetooth", "Determinism", "CryptoSuite"]),
        tests(of: "Herald", uses: ["Bluetooth", "ByteCoding", "Determinism", "CryptoSuite", "Compression"]),
        tests(
            of: "HeraldRuntime",
            uses: ["Herald", "Radio", "VirtualRadio", "Bluetooth", "ByteCoding", "Determinism", "CryptoSuite"]),
        tests(of: "DIDComm", uses: ["JSON", "ByteCoding", "Determinism", "CryptoSuite"]),
        tests(of: "Aries", uses: ["DIDComm", "JSON", "WebAddressing", "ByteCoding", "Determinism", "CryptoSuite"]),
        tests(
            of: "BlueZRadio",
            uses: ["RadioConformance", "Radio", "Bluetooth", "ByteCoding", "Determinism", "CSystemd"]),
        tests(of: "WebAssets", uses: ["WebTransport", "CryptoSuite", "ByteCoding"]),
        .target(
            name: "VaultConformance", dependencies: ["Vault", "Determinism"], path: "Tests/VaultConformance",
            swiftSettings: strict),
        .executableTarget(
            name: "vault-worker", dependencies: ["Vault"], path: "Tests/vault-worker", swiftSettings: strict),
        .target(name: "FaultVFS", dependencies: ["CSQLite"], path: "Tests/FaultVFS"),
        .target(name: "FaultLayer", dependencies: ["FaultVFS"], path: "Tests/FaultLayer", swiftSettings: strict),
        tests(
            of: "Vault",
            uses: [
                "VaultConformance", "FaultLayer", "vault-worker", "SQLiteEngine", "CSQLite", "CryptoSuite",
                "ByteCoding", "Determinism",
            ]),
        .target(
            name: "CloudAgentConformance", dependencies: ["CloudAgent", "Aries", "Determinism"],
            path: "Tests/CloudAgentConformance", swiftSettings: strict),
        .executableTarget(
            name: "cloud-worker",
            dependencies: [
                "CloudAgent", "AriesRuntime", "WebTransport", "WebAddressing", "CryptoSuite", "Determinism",
            ], path: "Tests/cloud-worker", swiftSettings: strict),
        .executableTarget(
            name: "agent-simulation",
            dependencies: [
                "CloudAgent", "AriesRuntime", "Aries", "DIDComm", "WebTransport", "JSON", "CryptoSuite", "CSodium",
                "Determinism", "Simulation", "FaultLayer",
            ], path: "Tests/agent-simulation", swiftSettings: strict),
        tests(
            of: "CloudAgent",
            uses: [
                "CloudAgentConformance", "FaultLayer", "cloud-worker", "agent-simulation", "AriesRuntime", "Aries",
                "DIDComm", "Vault", "WebTransport", "SQLiteEngine",
                "WebAddressing", "JSON", "CryptoSuite", "ByteCoding", "Determinism",
            ], excluding: ["Fixtures"]),
        tests(of: "WebTransport", uses: ["CryptoSuite", "WebAddressing", "ByteCoding", "Determinism"]),
        tests(
            of: "AriesRuntime",
            uses: [
                "Aries", "DIDComm", "Vault", "WebTransport", "JSON", "WebAddressing", "ByteCoding", "CodedErrors",
                "Determinism", "CryptoSuite",
            ]),
        tests(of: "Terminal", uses: ["Determinism", "QRCode"]),
        tests(
            of: "Commands",
            uses: [
                "Terminal", "Tuvali", "Bluetooth", "ByteCoding", "Compression", "CryptoSuite", "Determinism", "Radio",
                "Herald", "HeraldRuntime", "VirtualRadio", "BlueZRadio", "Simulation", "TransferSimulation",
                "ProximitySimulation", "TuvaliRuntime",
                "Vault", "WebTransport", "WebAddressing", "Aries", "AriesRuntime", "DIDComm", "JSON", "CloudAgent",
                "CodedErrors",
            ], excluding: ["Recordings"]),
        .executableTarget(
            name: "web-peer", dependencies: ["WebTransport", "WebAddressing", "Determinism"],
            path: "Tests/web-peer", swiftSettings: strict),
        .target(name: "AllocationCounter", path: "Tests/AllocationCounter"),
        .executableTarget(
            name: "allocations",
            dependencies: ["AllocationCounter", "TransferSimulation", "Tuvali"], path: "Tests/allocations",
            swiftSettings: strict),
        .testTarget(name: "TidyTests", dependencies: ["TestSupport"], path: "Tests/TidyTests", swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .gnu2x
)

// SYMBOLON_TARGETS="VaultTests WebTransportTests" leaves these targets and what they need: SwiftPM builds the tests of all
// targets to run those of one.
if let wanted = Context.environment["SYMBOLON_TARGETS"] {
    var kept = Set<String>()
    var left = wanted.split(separator: " ").map(String.init)
    while let name = left.popLast() {
        guard kept.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else {
            continue
        }
        // Products are other packages', of which there are none.
        left += target.dependencies.compactMap { dependency in
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): name
            default: nil
            }
        }
    }
    package.targets.removeAll { !kept.contains($0.name) }
    package.products = []
}
