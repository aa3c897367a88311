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
    _ folder: String, _ name: String, uses: [Target.Dependency] = [], wrapsC: Bool = false,
    linking: [LinkerSetting] = []
) -> Target {
    .target(
        name: name, dependencies: uses, path: "Sources/\(folder)/\(name)",
        swiftSettings: strict + (wrapsC ? [.strictMemorySafety()] : []), linkerSettings: linking)
}

func foundation(
    _ name: String, uses: [Target.Dependency] = [], wrapsC: Bool = false, linking: [LinkerSetting] = []
) -> Target {
    layer("Foundations", name, uses: uses, wrapsC: wrapsC, linking: linking)
}

/// The C library of mathematics, which the rounding of a number calls and a program without Foundation does not link.
let mathematics: [LinkerSetting] = [.linkedLibrary("m", .when(platforms: [.linux]))]

/// A dependency that exists on Debian alone; on Apple's systems the module that names it uses what these have.
func debian(_ name: String) -> Target.Dependency { .target(name: name, condition: .when(platforms: [.linux])) }

/// The tests of CryptoSuite that need Debian's libraries: of operations that nothing on Apple's systems needs.
#if os(macOS)
    let testsOfDebianLibraries = [
        "BoxTests.swift", "Certificates", "ECDSATests.swift", "PassphraseTests.swift", "PublishedPrimitivesTests.swift",
        "RSATests.swift", "WycheproofSignatureTests.swift", "XChaChaTests.swift",
    ]
#else
    let testsOfDebianLibraries: [String] = []
#endif

/// Compiles what calls Core Bluetooth, on Apple's systems that have both of its roles.
let coreBluetooth = SwiftSetting.define(
    "CORE_BLUETOOTH", .when(platforms: [.iOS, .macOS, .macCatalyst]))

/// Compiles the back ends for Debian's libraries where those are, and elsewhere the ones for CryptoKit.
///
/// Chosen by operating system, never by the presence of a module of some name.
let debianLibraries = SwiftSetting.define("DEBIAN_LIBRARIES", .when(platforms: [.linux]))

func protocolCore(_ name: String, uses: [Target.Dependency], checksMemory: Bool = false) -> Target {
    layer("Protocols", name, uses: uses, wrapsC: checksMemory)
}

func simulation(_ name: String, uses: [Target.Dependency]) -> Target { layer("Simulation", name, uses: uses) }

func radio(_ name: String, uses: [Target.Dependency]) -> Target { layer("Radio", name, uses: uses) }

func runtime(_ name: String, uses: [Target.Dependency] = [], wrapsC: Bool = false) -> Target {
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
    // For hand-over and proximity, whose modules need nothing of Debian there; the rest is for Linux.
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [
        .executable(name: "symbolon", targets: ["symbolon"]),
        .executable(name: "symbolon-lab", targets: ["symbolon-lab"]),
        // One product for each job, with every module that its public interface needs.
        .library(
            name: "TuvaliHandover",
            targets: [
                "TuvaliRuntime", "Tuvali", "CoreBluetoothRadio", "VirtualRadio", "Simulation", "Radio", "Bluetooth",
                "CryptoSuite", "Compression", "DataStructures", "Determinism", "CodedErrors",
            ]),
        .library(
            name: "HeraldProximity",
            targets: [
                "HeraldRuntime", "Herald", "CoreBluetoothRadio", "VirtualRadio", "Simulation", "Radio", "Bluetooth",
                "CryptoSuite",
                "DataStructures", "Determinism", "CodedErrors",
            ]),
        // The calls of Tuvali's and Herald's own libraries, for applications that move.
        .library(
            name: "TuvaliCompatibility",
            targets: [
                "TuvaliCompatibility", "Tuvali", "VirtualRadio", "Simulation", "Radio", "Bluetooth", "CryptoSuite",
                "Compression", "DataStructures", "Determinism", "CodedErrors",
            ]),
        .library(
            name: "HeraldCompatibility",
            targets: [
                "HeraldCompatibility", "VirtualRadio", "Simulation", "Radio", "Bluetooth", "DataStructures",
                "Determinism", "CodedErrors",
            ]),
        .library(
            name: "AriesConnections",
            targets: [
                "AriesRuntime", "Aries", "DIDComm", "Vault", "WebTransport", "WebAddressing", "JSON", "CryptoSuite",
                "Determinism", "CodedErrors",
            ]),
        .library(
            name: "CloudAgent",
            targets: [
                "CloudAgent", "AriesRuntime", "Aries", "DIDComm", "Vault", "WebTransport", "WebAddressing", "JSON",
                "CryptoSuite", "Determinism", "CodedErrors",
            ]),
        .library(
            name: "RadioConformance", targets: ["RadioConformance", "Radio", "Bluetooth", "Determinism", "CodedErrors"]),
        // Cores and seams, for those who bring their own runtime or radio.
        .library(
            name: "DIDComm",
            targets: ["DIDComm", "JSON", "WebAddressing", "CryptoSuite", "Determinism", "CodedErrors"]),
        .library(name: "JSON", targets: ["JSON", "CodedErrors"]),
        .library(
            name: "Credentials",
            targets: [
                "Credentials", "CBOR", "LinkedData", "JSON", "CryptoSuite", "WebAddressing", "Determinism",
                "CodedErrors",
            ]),
        .library(name: "CBOR", targets: ["CBOR", "CodedErrors"]),
        .library(name: "HTTP1", targets: ["HTTP1"]),
        .library(
            name: "BlueZRadio", targets: ["BlueZRadio", "Radio", "Bluetooth", "Determinism", "CodedErrors"]),
        .library(
            name: "CoreBluetoothRadio",
            targets: ["CoreBluetoothRadio", "Radio", "Bluetooth", "Determinism", "CodedErrors"]),
        .library(name: "WebTransport", targets: ["WebTransport", "WebAddressing", "Determinism", "CodedErrors"]),
        .library(name: "Vault", targets: ["Vault", "CryptoSuite", "Determinism", "CodedErrors"]),
        // Cores, under the names that these products had before; they stay for one release.
        .library(
            name: "Tuvali",
            targets: [
                "Tuvali", "TuvaliRuntime", "VirtualRadio", "Simulation", "Radio", "Bluetooth", "CryptoSuite",
                "Compression",
                "DataStructures", "Determinism", "CodedErrors",
            ]),
        .library(
            name: "Herald",
            targets: [
                "Herald", "HeraldRuntime", "VirtualRadio", "Simulation", "Radio", "Bluetooth", "CryptoSuite",
                "DataStructures", "Determinism", "CodedErrors",
            ]),
        .library(
            name: "Aries",
            targets: ["Aries", "DIDComm", "JSON", "WebAddressing", "CryptoSuite", "Determinism", "CodedErrors"]),
        .library(
            name: "SymbolonCommand",
            targets: [
                "Commands", "CommandProgram", "HandoverCommands", "CredentialCommands", "ProximityCommands",
                "ConnectionCommands", "CloudAgentCommands", "DiagnosticCommands",
            ]),
        // For the fuzz targets, which are a package of their own.
        .library(name: "SymbolonLab", targets: ["LabCommands", "TransferSimulation"]),
    ],
    traits: [
        .default(enabledTraits: ["PostgreSQL"]),
        .trait(name: "PostgreSQL", description: "The cloud agent can keep its store in PostgreSQL, by libpq."),
    ],
    targets: [
        // Foundations: no protocol, no I/O.
        library("CSodium", pkgConfig: "libsodium", package: "libsodium-dev"),
        library("COpenSSL", pkgConfig: "libcrypto", package: "libssl-dev"),
        // Its header and library are where every compiler looks, on Debian and on Apple's systems.
        .systemLibrary(name: "CZlib", path: "Sources/Foundations/CZlib", providers: [.apt(["zlib1g-dev"])]),
        library("CQREncode", pkgConfig: "libqrencode", package: "libqrencode-dev"),
        library("CSQLite", pkgConfig: "sqlite3", package: "libsqlite3-dev"),
        // Opens libpq at run time.
        .target(name: "CPostgres", path: "Sources/Foundations/CPostgres"),
        library("CTLS", pkgConfig: "libssl", package: "libssl-dev"),
        // The kernel's interface, which the C library declares.
        .systemLibrary(name: "CLinux", path: "Sources/Foundations/CLinux"),
        library("CSystemd", pkgConfig: "libsystemd", package: "libsystemd-dev"),
        // The commit that `--version` prints; Scripts/environment.sh sets the variable.
        .target(
            name: "CBuild", path: "Sources/Foundations/CBuild",
            cSettings: Context.environment["SYMBOLON_COMMIT"].map { [.define("SYMBOLON_COMMIT", to: "\"\($0)\"")] }
                ?? []),
        foundation("ByteCoding"),
        foundation("CodedErrors"),
        foundation("Determinism"),
        foundation("DataStructures", uses: ["Determinism"]),
        foundation("WebAddressing", uses: ["ByteCoding", "CodedErrors"]),
        .target(
            name: "CryptoSuite",
            dependencies: [debian("CSodium"), debian("COpenSSL"), "ByteCoding", "CodedErrors", "Determinism"],
            path: "Sources/Foundations/CryptoSuite", swiftSettings: strict + [.strictMemorySafety(), debianLibraries]),
        foundation("Compression", uses: ["CZlib", "CodedErrors"], wrapsC: true),
        foundation("JSON", uses: ["CodedErrors"], linking: mathematics),
        foundation("CBOR", uses: ["ByteCoding", "CodedErrors"], linking: mathematics),
        foundation("QRCode", uses: ["CQREncode", "Compression", "ByteCoding", "CodedErrors"], wrapsC: true),

        // Protocols: sans-IO cores, values in, values out.
        protocolCore("Bluetooth", uses: ["ByteCoding", "CodedErrors", "Determinism"]),
        protocolCore(
            "Tuvali", uses: ["Bluetooth", "ByteCoding", "CodedErrors", "Determinism", "CryptoSuite", "Compression"]),
        protocolCore(
            "Herald", uses: ["Bluetooth", "ByteCoding", "CodedErrors", "Determinism", "CryptoSuite", "DataStructures"]),
        protocolCore(
            "DIDComm",
            uses: [
                "WebAddressing", "JSON", "ByteCoding", "CodedErrors", "Determinism", "CryptoSuite", "DataStructures",
            ]),
        protocolCore(
            "Aries",
            uses: ["DIDComm", "JSON", "WebAddressing", "ByteCoding", "CodedErrors", "Determinism", "CryptoSuite"]),
        protocolCore("LinkedData", uses: ["JSON", "CryptoSuite", "CodedErrors"]),
        protocolCore(
            "Credentials",
            uses: [
                "LinkedData", "CBOR", "JSON", "WebAddressing", "ByteCoding", "Compression", "CryptoSuite",
                "CodedErrors",
                "Determinism",
            ]),
        protocolCore(
            "Presentations",
            uses: ["Credentials", "JSON", "ByteCoding", "CryptoSuite", "CodedErrors", "Determinism"]),
        protocolCore("HTTP1", uses: ["WebAddressing", "ByteCoding", "CryptoSuite"], checksMemory: true),

        // Simulation: virtual time, seeded randomness, an air.
        simulation("Simulation", uses: ["Bluetooth", "ByteCoding", "DataStructures", "Determinism"]),
        simulation(
            "TransferSimulation", uses: ["Simulation", "Tuvali", "Bluetooth", "ByteCoding", "Determinism"]),
        simulation(
            "StockPeers",
            uses: ["Simulation", "Bluetooth", "ByteCoding", "Determinism", "CryptoSuite", "Compression"]),
        simulation("StockHeralds", uses: ["Simulation", "Bluetooth", "ByteCoding", "Determinism"]),
        simulation(
            "ProximitySimulation",
            uses: [
                "Simulation", "StockHeralds", "Herald", "Bluetooth", "ByteCoding", "DataStructures", "Determinism",
            ]),

        // Radio: the seam and its back ends.
        radio("Radio", uses: ["Bluetooth", "CodedErrors", "Determinism"]),
        radio("VirtualRadio", uses: ["Radio", "Simulation", "Bluetooth", "ByteCoding", "Determinism"]),
        .target(
            name: "BlueZRadio",
            dependencies: ["Radio", "Bluetooth", "ByteCoding", "Determinism", "CSystemd"],
            path: "Sources/Radio/BlueZRadio", swiftSettings: strict + [.strictMemorySafety()]),
        // Its decisions compile everywhere.
        .target(
            name: "CoreBluetoothRadio", dependencies: ["Radio", "Bluetooth", "ByteCoding", "Determinism"],
            path: "Sources/Radio/CoreBluetoothRadio", swiftSettings: strict + [coreBluetooth]),

        // Runtime: drivers that connect a core to a radio.
        runtime(
            "TuvaliRuntime",
            uses: ["Tuvali", "Radio", "Bluetooth", "Determinism", "CryptoSuite"]),
        runtime("TuvaliCompatibility", uses: ["TuvaliRuntime", "Tuvali", "Radio", "Determinism"]),
        runtime("HeraldCompatibility", uses: ["HeraldRuntime", "Herald", "Radio", "Bluetooth", "Determinism"]),
        runtime("AtomicFiles"),
        runtime("SQLiteEngine", uses: ["CSQLite", "CodedErrors"], wrapsC: true),
        runtime(
            "Vault", uses: ["SQLiteEngine", "AtomicFiles", "CryptoSuite", "ByteCoding", "CodedErrors", "Determinism"],
            wrapsC: true),
        runtime(
            "WebTransport",
            uses: [
                "HTTP1", "CLinux", "CTLS", "WebAddressing", "ByteCoding", "CodedErrors", "Determinism",
                "DataStructures",
            ], wrapsC: true),
        .target(name: "CAssets", path: "Sources/Runtime/CAssets", exclude: ["Files"]),
        runtime(
            "WebAssets", uses: ["CAssets", "WebTransport", "WebAddressing", "CryptoSuite", "ByteCoding"], wrapsC: true),
        // Its helpers run on the actor that owns them.
        .target(
            name: "AriesRuntime",
            dependencies: [
                "Aries", "DIDComm", "Vault", "WebTransport", "JSON", "WebAddressing", "ByteCoding",
                "CodedErrors", "Determinism", "CryptoSuite", "DataStructures",
            ],
            path: "Sources/Runtime/AriesRuntime",
            swiftSettings: strict + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
        // Empty without the trait.
        .target(
            name: "PostgresEngine",
            dependencies: [.target(name: "CPostgres", condition: .when(traits: ["PostgreSQL"])), "Determinism"],
            path: "Sources/Runtime/PostgresEngine", swiftSettings: strict + [.strictMemorySafety()]),
        runtime(
            "CloudAgent",
            uses: [
                "SQLiteEngine", "PostgresEngine", "AriesRuntime", "WebTransport", "Aries", "DIDComm",
                "JSON", "WebAddressing", "CryptoSuite", "ByteCoding", "CodedErrors", "Determinism",
                "DataStructures", "WebAssets", "QRCode",
            ]),
        runtime(
            "Desk",
            uses: [
                "TuvaliRuntime", "Vault", "WebAssets", "WebTransport", "Radio", "Tuvali", "Credentials",
                "Presentations", "Aries", "QRCode", "JSON", "WebAddressing", "CryptoSuite", "ByteCoding", "CodedErrors",
                "Determinism",
            ]),
        runtime(
            "HeraldRuntime",
            uses: ["Herald", "AtomicFiles", "Radio", "Bluetooth", "ByteCoding", "Determinism", "CryptoSuite"]),

        // CommandLine.
        commandLine("Terminal", uses: ["QRCode", "ByteCoding", "CodedErrors", "Determinism"]),
        // The module that every command needs, a module for the commands of each job, and the programs made of them.
        commandLine(
            "CommandProgram",
            uses: [
                "CBuild", "Terminal", "AtomicFiles", "Tuvali", "Aries", "DIDComm", "WebAddressing",
                "Radio", "VirtualRadio", "BlueZRadio", "Simulation", "Bluetooth", "Credentials", "Presentations",
                "QRCode", "ByteCoding", "CodedErrors", "Compression", "Determinism", "CryptoSuite", "JSON",
            ]),
        commandLine(
            "CredentialCommands",
            uses: ["CommandProgram", "Terminal", "Credentials", "Determinism", "ByteCoding", "CryptoSuite"]),
        commandLine(
            "HandoverCommands",
            uses: [
                "CommandProgram", "Terminal", "TuvaliRuntime", "Tuvali", "Radio", "VirtualRadio", "Bluetooth",
                "Credentials", "Presentations", "JSON", "ByteCoding", "Determinism", "CryptoSuite", "CodedErrors",
            ]),
        commandLine(
            "DeskCommands",
            uses: [
                "VaultCommands", "CommandProgram", "Terminal", "Desk", "WebTransport", "Vault", "Tuvali", "Radio",
                "CodedErrors", "Credentials", "Presentations", "Determinism",
            ]),
        commandLine(
            "ProximityCommands",
            uses: [
                "CommandProgram", "Terminal", "HeraldRuntime", "Herald", "ProximitySimulation", "Radio", "Bluetooth",
                "JSON", "Compression", "ByteCoding", "Determinism", "CryptoSuite", "CodedErrors",
            ]),
        commandLine(
            "VaultCommands", uses: ["CommandProgram", "Terminal", "Vault", "ByteCoding", "Determinism", "CryptoSuite"]),
        commandLine(
            "ConnectionCommands",
            uses: [
                "VaultCommands", "CommandProgram", "Terminal", "AriesRuntime", "Aries", "DIDComm", "Vault",
                "WebTransport", "WebAddressing", "JSON", "ByteCoding", "CodedErrors", "Determinism", "CryptoSuite",
            ]),
        commandLine(
            "CloudAgentCommands",
            uses: [
                "CommandProgram", "Terminal", "CloudAgent", "AriesRuntime", "Aries", "DIDComm", "Vault",
                "WebTransport", "WebAddressing", "JSON", "Determinism", "CryptoSuite", "CodedErrors",
            ]),
        commandLine(
            "DiagnosticCommands",
            uses: [
                "CommandProgram", "Terminal", "Tuvali", "Herald", "Radio", "BlueZRadio", "Bluetooth", "Credentials",
                "Presentations", "JSON", "ByteCoding", "Determinism",
            ]),
        commandLine(
            "Commands",
            uses: [
                "HandoverCommands", "DeskCommands", "CredentialCommands", "ProximityCommands", "VaultCommands",
                "ConnectionCommands", "CloudAgentCommands", "Desk", "DiagnosticCommands", "CommandProgram", "Terminal",
                "Aries",
                "AriesRuntime", "Bluetooth", "CBOR", "CloudAgent", "CodedErrors", "Compression", "Credentials",
                "CryptoSuite", "DIDComm", "Herald", "JSON", "LinkedData", "Presentations", "QRCode", "Radio", "Tuvali",
                "Vault",
                "WebAddressing",
                "WebTransport",
            ]),
        .executableTarget(
            name: "symbolon", dependencies: ["Commands"], path: "Sources/CommandLine/symbolon",
            swiftSettings: strict),
        // The lab: measuring and simulating; no package for users delivers it.
        .target(
            name: "BareSodium", dependencies: ["CSodium", "CryptoSuite"], path: "Sources/CommandLine/BareSodium",
            swiftSettings: strict + [.strictMemorySafety()]),
        commandLine(
            "LabCommands",
            uses: [
                "BareSodium", "ConnectionCommands", "DeskCommands", "CommandProgram", "Terminal", "CloudAgent",
                "AriesRuntime", "Aries", "CodedErrors", "Credentials", "DIDComm", "Presentations",
                "Vault", "WebTransport", "WebAddressing", "Tuvali", "TransferSimulation", "StockPeers", "Simulation",
                "Herald", "Bluetooth", "Compression", "JSON", "ByteCoding", "Determinism", "CryptoSuite",
            ]),
        .executableTarget(
            name: "symbolon-lab", dependencies: ["LabCommands"], path: "Sources/CommandLine/symbolon-lab",
            swiftSettings: strict),

        // Tests.
        .target(
            name: "TestSupport", dependencies: ["Determinism"], path: "Tests/TestSupport",
            swiftSettings: strict),
        tests(of: "ByteCoding"),
        tests(of: "Determinism"),
        tests(of: "DataStructures", uses: ["Determinism"]),
        tests(of: "WebAddressing"),
        tests(of: "CryptoSuite", uses: ["ByteCoding", "Determinism"], excluding: testsOfDebianLibraries),
        tests(of: "Compression"),
        tests(of: "QRCode"),
        tests(of: "JSON", uses: ["ByteCoding"]),
        tests(of: "CBOR", uses: ["ByteCoding", "CodedErrors"]),
        tests(of: "LinkedData", uses: ["CryptoSuite", "Determinism", "JSON"]),
        tests(
            of: "Credentials",
            uses: [
                "ByteCoding", "CBOR", "CodedErrors", "Compression", "CryptoSuite", "Determinism", "JSON", "LinkedData",
            ]),
        tests(of: "Bluetooth", uses: ["ByteCoding", "Determinism"]),
        tests(
            of: "Presentations", uses: ["Credentials", "JSON", "ByteCoding", "CryptoSuite", "Determinism"]),
        tests(
            of: "Tuvali", uses: ["Bluetooth", "ByteCoding", "Determinism", "CryptoSuite", "Compression", "JSON"]),
        tests(of: "Simulation", uses: ["Bluetooth", "Determinism"]),
        tests(
            of: "TransferSimulation",
            uses: [
                "Simulation", "Tuvali", "Presentations", "Credentials", "Bluetooth", "ByteCoding", "Compression",
                "Determinism", "CryptoSuite", "JSON",
            ]),
        tests(
            of: "StockPeers",
            uses: [
                "TransferSimulation", "Tuvali", "Simulation", "Bluetooth", "ByteCoding", "Determinism",
                "CryptoSuite",
            ]),
        tests(
            of: "ProximitySimulation",
            uses: ["StockHeralds", "Herald", "Simulation", "Bluetooth", "Determinism"]),
        .target(
            name: "RadioConformance", dependencies: ["Radio", "Bluetooth"],
            path: "Tests/RadioConformance", swiftSettings: strict),
        tests(of: "VirtualRadio", uses: ["RadioConformance", "Radio", "Simulation", "Bluetooth", "Determinism"]),
        tests(of: "CoreBluetoothRadio", uses: ["Radio", "Bluetooth", "Determinism"]),
        tests(
            of: "TuvaliRuntime",
            uses: ["Tuvali", "Radio", "VirtualRadio", "Simulation", "Bluetooth", "Determinism"]),
        tests(
            of: "Herald",
            uses: ["Bluetooth", "ByteCoding", "Determinism", "CryptoSuite", "Compression", "DataStructures"]),
        tests(
            of: "HeraldRuntime",
            uses: ["Herald", "Radio", "VirtualRadio", "Bluetooth", "Determinism", "CryptoSuite"]),
        tests(of: "TuvaliCompatibility", uses: ["Tuvali", "VirtualRadio", "Determinism"]),
        tests(of: "HeraldCompatibility", uses: ["Herald", "VirtualRadio", "Bluetooth", "Determinism"]),
        tests(of: "DIDComm", uses: ["WebAddressing", "JSON", "ByteCoding", "Determinism", "CryptoSuite"]),
        tests(of: "Aries", uses: ["DIDComm", "JSON", "ByteCoding", "Determinism", "CryptoSuite"]),
        tests(of: "HTTP1"),
        tests(
            of: "BlueZRadio",
            uses: ["RadioConformance", "Radio", "Bluetooth", "Determinism", "CSystemd"]),
        tests(
            of: "Desk",
            uses: [
                "CodedErrors", "Credentials", "CryptoSuite", "Determinism", "JSON", "Presentations", "Tuvali",
                "TuvaliRuntime", "Vault", "VirtualRadio", "WebAddressing", "WebAssets", "WebTransport",
            ]),
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
                "VaultConformance", "FaultLayer", "vault-worker", "SQLiteEngine", "CSQLite",
                "CryptoSuite", "Determinism",
            ]),
        .target(
            name: "CloudAgentConformance", dependencies: ["CloudAgent", "Aries", "Determinism"],
            path: "Tests/CloudAgentConformance", swiftSettings: strict),
        .executableTarget(
            name: "cloud-worker",
            dependencies: [
                "CloudAgent", "AriesRuntime", "WebTransport", "WebAddressing", "CryptoSuite", "Determinism",
            ], path: "Tests/cloud-worker", swiftSettings: strict),
        .target(name: "TaskEnqueueHook", path: "Tests/TaskEnqueueHook"),
        .executableTarget(
            name: "agent-simulation",
            dependencies: [
                "TaskEnqueueHook", "CloudAgent", "AriesRuntime", "Aries", "DIDComm", "WebTransport", "JSON",
                "CryptoSuite", "CSodium",
                "Determinism", "Simulation", "FaultLayer",
            ], path: "Tests/agent-simulation", swiftSettings: strict),
        tests(
            of: "CloudAgent",
            uses: [
                "CloudAgentConformance", "FaultLayer", "cloud-worker", "agent-simulation", "AriesRuntime", "Aries",
                "DIDComm", "Vault", "WebAssets", "WebTransport", "SQLiteEngine", "PostgresEngine",
                "WebAddressing", "JSON", "CryptoSuite", "ByteCoding", "Determinism",
            ], excluding: ["Fixtures"]),
        tests(of: "WebTransport", uses: ["HTTP1", "WebAddressing", "Determinism"]),
        tests(
            of: "AriesRuntime",
            uses: [
                "Aries", "DIDComm", "Vault", "WebTransport", "JSON", "WebAddressing", "ByteCoding",
                "Determinism", "CryptoSuite",
            ]),
        tests(of: "AtomicFiles"),
        tests(of: "Terminal", uses: ["Determinism", "QRCode"]),
        tests(of: "BareSodium"),
        .target(
            name: "CommandTestSupport",
            dependencies: [
                "Aries", "AriesRuntime", "BlueZRadio", "Bluetooth", "ByteCoding", "CommandProgram",
                "Commands", "ConnectionCommands", "CryptoSuite", "DIDComm", "Determinism", "Herald",
                "LabCommands", "Radio", "Terminal", "TestSupport", "Tuvali", "Vault", "VirtualRadio",
                "WebAddressing", "WebTransport",
            ], path: "Tests/CommandTestSupport", swiftSettings: strict),
        tests(
            of: "CommandProgram",
            uses: [
                "Aries", "CommandTestSupport", "Compression", "CryptoSuite", "Determinism", "Radio", "Terminal",
                "Tuvali", "CodedErrors", "JSON",
            ]),
        tests(
            of: "HandoverCommands",
            uses: [
                "Bluetooth", "ByteCoding", "CommandProgram", "CommandTestSupport", "CryptoSuite",
                "Determinism", "JSON", "Presentations", "Radio", "Terminal", "Tuvali", "TuvaliRuntime", "VirtualRadio",
            ]),
        tests(
            of: "DeskCommands",
            uses: ["CommandTestSupport", "JSON", "Terminal", "WebAddressing", "WebTransport"]),
        tests(
            of: "CredentialCommands",
            uses: ["CommandTestSupport", "CryptoSuite", "ByteCoding", "JSON"]),
        tests(
            of: "ProximityCommands",
            uses: [
                "Bluetooth", "ByteCoding", "CommandProgram", "CommandTestSupport", "Commands", "Compression",
                "CryptoSuite", "Determinism", "Herald", "HeraldRuntime", "JSON", "ProximitySimulation", "Radio",
                "Simulation", "StockHeralds", "Terminal",
            ]),
        tests(
            of: "VaultCommands",
            uses: [
                "CommandTestSupport", "CryptoSuite", "Vault",
            ]),
        tests(
            of: "ConnectionCommands",
            uses: [
                "Aries", "AriesRuntime", "ByteCoding", "CommandProgram", "CommandTestSupport", "CryptoSuite", "DIDComm",
                "Determinism", "JSON", "Terminal", "Vault", "WebAddressing", "WebTransport",
            ]),
        tests(
            of: "CloudAgentCommands",
            uses: [
                "Aries", "CloudAgent", "CommandProgram", "CommandTestSupport", "Commands",
                "Determinism", "Terminal", "WebAddressing", "WebTransport",
            ]),
        tests(
            of: "DiagnosticCommands",
            uses: [
                "BlueZRadio", "Bluetooth", "ByteCoding", "CommandProgram", "CommandTestSupport",
                "Determinism", "Terminal", "Tuvali", "VirtualRadio",
            ]),
        tests(
            of: "LabCommands",
            uses: [
                "Bluetooth", "ByteCoding", "CommandProgram", "CommandTestSupport", "Compression",
                "CryptoSuite", "Determinism", "Simulation", "TransferSimulation", "Tuvali",
                "WebTransport",
            ], excluding: ["Recordings"]),
        tests(
            of: "Commands",
            uses: [
                "Aries", "AriesRuntime", "Bluetooth", "ByteCoding", "CloudAgent", "CommandProgram",
                "CommandTestSupport", "ConnectionCommands", "CryptoSuite", "Determinism", "LabCommands",
                "ProximityCommands", "Radio", "Terminal", "Tuvali", "VirtualRadio", "WebAddressing",
                "WebTransport", "CodedErrors",
            ]),
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
