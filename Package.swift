// swift-tools-version: 6.2

import PackageDescription

// Each module is a row: its folder, which ends with its name, and the modules that it imports. A layer depends only on
// those above it in this list; TidyTests check that, and that a row names what its sources import and no more.

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func lastName(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

func words(_ text: String) -> [String] { text.split { $0 == " " || $0 == "\n" }.map(String.init) }

/// A module in the folder `path` that imports the modules that `uses` names.
///
/// A module that calls C has strict memory safety. What `onLinux` names exists on Debian alone; on Apple's systems the module uses
/// what these have.
func module(
    _ path: String, _ uses: String = "", onLinux: String = "", others: [Target.Dependency] = [], callsC: Bool = false,
    settings: [SwiftSetting] = [], linking: [LinkerSetting] = []
) -> Target {
    .target(
        name: lastName(path),
        dependencies: words(onLinux).map { .target(name: $0, condition: .when(platforms: [.linux])) }
            + words(uses).map { .init(stringLiteral: $0) } + others,
        path: path, swiftSettings: strict + (callsC ? [.strictMemorySafety()] : []) + settings, linkerSettings: linking)
}

/// A program, which calls a module.
func program(_ path: String, _ uses: String) -> Target {
    .executableTarget(
        name: lastName(path), dependencies: words(uses).map { .init(stringLiteral: $0) }, path: path,
        swiftSettings: strict)
}

/// The tests of the module that the folder is named after; they import it, TestSupport and what `uses` names.
func tests(_ path: String, _ uses: String = "", excluding: [String] = []) -> Target {
    let name = lastName(path)
    let module = name == "TidyTests" ? [] : [String(name.dropLast("Tests".count))]
    return .testTarget(
        name: name, dependencies: (module + ["TestSupport"] + words(uses)).map { .init(stringLiteral: $0) }, path: path,
        exclude: excluding, swiftSettings: strict)
}

/// A system library of Debian, found by pkg-config.
func library(_ name: String, pkgConfig: String, package: String) -> Target {
    .systemLibrary(
        name: name, path: "Sources/Foundations/\(name)", pkgConfig: pkgConfig, providers: [.apt([package])])
}

/// The C library of mathematics, which the rounding of a number calls and a program without Foundation does not link.
let mathematics: [LinkerSetting] = [.linkedLibrary("m", .when(platforms: [.linux]))]

/// The tests of CryptoSuite that need Debian's libraries: of operations that nothing on Apple's systems needs.
#if os(macOS)
    let testsOfDebianLibraries = [
        "BoxTests.swift", "Certificates", "Curve448AndBrainpoolTests.swift", "ECDSATests.swift",
        "PassphraseTests.swift", "PublishedPrimitivesTests.swift", "RSATests.swift",
        "WycheproofSignatureTests.swift", "XChaChaTests.swift",
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

let package = Package(
    name: "symbolon",
    // For hand-over and proximity, whose modules need nothing of Debian there; the rest is for Linux.
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [
        .executable(name: "symbolon", targets: ["symbolon"]),
        .executable(name: "symbolon-lab", targets: ["symbolon-lab"]),
        // A library for each job. The module of its name re-exports what its public interface needs; a radio is imported by name.
        .library(name: "TuvaliHandover", targets: ["TuvaliHandover", "VirtualRadio", "CoreBluetoothRadio"]),
        .library(name: "HeraldProximity", targets: ["HeraldProximity", "VirtualRadio", "CoreBluetoothRadio"]),
        .library(name: "AriesConnections", targets: ["AriesConnections"]),
        .library(name: "CloudAgent", targets: ["CloudAgent"]),
        .library(name: "Credentials", targets: ["Credentials", "Presentations", "Codes", "CodeReader"]),
        .library(name: "MobileDocuments", targets: ["MobileDocuments", "VirtualRadio"]),
        .library(name: "BlueZRadio", targets: ["BlueZRadio"]),
        .library(name: "CoreBluetoothRadio", targets: ["CoreBluetoothRadio"]),
        .library(name: "RadioConformance", targets: ["RadioConformance"]),
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
        // Open zxing-cpp and libturbojpeg at run time.
        .target(name: "CZXing", path: "Sources/Foundations/CZXing"),
        .target(name: "CTurboJPEG", path: "Sources/Foundations/CTurboJPEG"),
        library("CTLS", pkgConfig: "libssl", package: "libssl-dev"),
        // The kernel's interface, which the C library declares.
        .systemLibrary(name: "CLinux", path: "Sources/Foundations/CLinux"),
        library("CSystemd", pkgConfig: "libsystemd", package: "libsystemd-dev"),
        // The commit that `--version` prints; Scripts/environment.sh sets the variable.
        .target(
            name: "CBuild", path: "Sources/Foundations/CBuild",
            cSettings: Context.environment["SYMBOLON_COMMIT"].map { [.define("SYMBOLON_COMMIT", to: "\"\($0)\"")] }
                ?? []),
        module("Sources/Foundations/ByteCoding"),
        module("Sources/Foundations/CodedErrors"),
        module("Sources/Foundations/Determinism"),
        module("Sources/Foundations/DataStructures", "Determinism"),
        module("Sources/Foundations/WebAddressing", "ByteCoding CodedErrors"),
        module(
            "Sources/Foundations/CryptoSuite",
            """
            ByteCoding CodedErrors Determinism
            """, onLinux: "CSodium COpenSSL", callsC: true, settings: [debianLibraries]),
        module("Sources/Foundations/Compression", "CZlib CodedErrors", callsC: true),
        module("Sources/Foundations/JSON", "CodedErrors", linking: mathematics),
        module("Sources/Foundations/CBOR", "ByteCoding CodedErrors", linking: mathematics),
        module("Sources/Foundations/COSE", "CBOR CryptoSuite Determinism"),
        module("Sources/Foundations/QRCode", "CQREncode Compression ByteCoding CodedErrors", callsC: true),
        module("Sources/Foundations/CodeReader", "CZXing CTurboJPEG Compression ByteCoding CodedErrors", callsC: true),

        // Protocols: sans-IO cores, values in, values out.
        module("Sources/Protocols/Bluetooth", "ByteCoding CodedErrors Determinism"),
        module("Sources/Protocols/Tuvali", "Bluetooth ByteCoding CodedErrors Determinism CryptoSuite Compression"),
        module("Sources/Protocols/Herald", "Bluetooth ByteCoding CodedErrors Determinism CryptoSuite DataStructures"),
        module(
            "Sources/Protocols/DIDComm",
            "WebAddressing JSON ByteCoding CodedErrors Determinism CryptoSuite DataStructures"),
        module("Sources/Protocols/Aries", "DIDComm JSON WebAddressing ByteCoding CodedErrors Determinism CryptoSuite"),
        module("Sources/Protocols/LinkedData", "JSON CryptoSuite CodedErrors"),
        module(
            "Sources/Protocols/Credentials",
            "LinkedData CBOR COSE JSON WebAddressing ByteCoding Compression CryptoSuite CodedErrors Determinism"),
        module(
            "Sources/Protocols/Codes",
            "Credentials CBOR COSE JSON ByteCoding Compression CryptoSuite Determinism"),
        module("Sources/Protocols/Presentations", "Credentials JSON ByteCoding CryptoSuite CodedErrors Determinism"),
        module(
            "Sources/Protocols/MobileSession",
            "Credentials Bluetooth COSE CBOR JSON ByteCoding CryptoSuite CodedErrors Determinism"),
        module("Sources/Protocols/HTTP1", "WebAddressing ByteCoding CryptoSuite", callsC: true),

        // Simulation: virtual time, seeded randomness, an air.
        module("Sources/Radio/Air", "Bluetooth ByteCoding DataStructures Determinism"),
        module("Lab/Sources/TransferSimulation", "Air Tuvali Bluetooth ByteCoding Determinism"),
        module(
            "Lab/Sources/MobileSessionSimulation",
            "Air MobileSession Credentials Bluetooth COSE CBOR ByteCoding CryptoSuite Determinism"),
        module("Lab/Sources/StockPeers", "Air Bluetooth ByteCoding Determinism CryptoSuite Compression"),
        module("Sources/Simulation/StockHeralds", "Air Bluetooth ByteCoding Determinism"),
        module(
            "Sources/Simulation/ProximitySimulation",
            "Air StockHeralds Herald Bluetooth ByteCoding DataStructures Determinism"),

        // Radio: the seam and its back ends.
        module("Sources/Radio/Radio", "Bluetooth CodedErrors Determinism"),
        module("Sources/Radio/VirtualRadio", "Radio Air Bluetooth ByteCoding Determinism CodedErrors DataStructures"),
        module("Sources/Radio/BlueZRadio", "Radio Bluetooth ByteCoding Determinism CSystemd CodedErrors", callsC: true),
        // Its decisions compile everywhere.
        module(
            "Sources/Radio/CoreBluetoothRadio", "Radio Bluetooth ByteCoding Determinism CodedErrors",
            settings: [coreBluetooth]),

        // Runtime: drivers that connect a core to a radio.
        module(
            "Sources/Runtime/TuvaliHandover", "Tuvali Radio Bluetooth Determinism CryptoSuite CodedErrors Compression"),
        module(
            "Sources/Runtime/MobileDocuments",
            "MobileSession Credentials Vault Radio Bluetooth COSE CBOR Determinism CryptoSuite CodedErrors"),
        module("Sources/Runtime/AtomicFiles"),
        module("Sources/Runtime/SQLiteEngine", "CSQLite CodedErrors", callsC: true),
        module(
            "Sources/Runtime/Vault", "SQLiteEngine AtomicFiles CryptoSuite ByteCoding CodedErrors Determinism",
            callsC: true),
        module(
            "Sources/Runtime/WebTransport",
            "HTTP1 CLinux CTLS WebAddressing ByteCoding CodedErrors Determinism DataStructures", callsC: true),
        .target(name: "CAssets", path: "Sources/Runtime/CAssets", exclude: ["Files"]),
        module("Sources/Runtime/WebAssets", "CAssets WebTransport WebAddressing CryptoSuite ByteCoding", callsC: true),
        // Its helpers run on the actor that owns them.
        module(
            "Sources/Runtime/AriesConnections",
            """
            Aries DIDComm Vault WebTransport JSON WebAddressing ByteCoding CodedErrors Determinism CryptoSuite
            DataStructures
            """, settings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
        // Empty without the trait.
        module(
            "Sources/Runtime/PostgresEngine",
            """
            Determinism
            """, others: [.target(name: "CPostgres", condition: .when(traits: ["PostgreSQL"]))], callsC: true),
        module(
            "Sources/Runtime/CloudAgent",
            """
            SQLiteEngine PostgresEngine AriesConnections WebTransport Aries DIDComm JSON WebAddressing CryptoSuite
            ByteCoding CodedErrors Determinism DataStructures WebAssets QRCode
            """),
        module(
            "Sources/Runtime/Desk",
            """
            TuvaliHandover MobileDocuments MobileSession Vault WebAssets WebTransport Radio Tuvali Credentials Presentations Codes CodeReader Aries
            QRCode JSON WebAddressing CryptoSuite ByteCoding CodedErrors Determinism
            """),
        module(
            "Sources/Runtime/HeraldProximity",
            "Herald AtomicFiles Radio Bluetooth ByteCoding Determinism CryptoSuite CodedErrors"),

        // CommandLine.
        module("Sources/CommandLine/Terminal", "QRCode ByteCoding CodedErrors Determinism"),
        // The module that every command needs, a module for the commands of each job, and the programs made of them.
        module(
            "Sources/CommandLine/CommandProgram",
            """
            CBuild Terminal AtomicFiles Tuvali Aries DIDComm WebAddressing Radio VirtualRadio BlueZRadio Air
            Bluetooth CodeReader Codes Credentials MobileSession Presentations QRCode ByteCoding CodedErrors Compression Determinism CryptoSuite
            JSON Vault
            """),
        module(
            "Sources/CommandLine/CredentialCommands",
            "CommandProgram Terminal Codes Credentials MobileDocuments Vault QRCode Determinism ByteCoding CryptoSuite"),
        module(
            "Sources/CommandLine/HandoverCommands",
            """
            CommandProgram Terminal TuvaliHandover MobileDocuments CBOR Codes Tuvali Radio VirtualRadio Bluetooth Credentials Presentations
            JSON ByteCoding Determinism CryptoSuite CodedErrors Desk WebTransport Vault
            """),
        module(
            "Sources/CommandLine/ProximityCommands",
            """
            CommandProgram Terminal HeraldProximity Herald ProximitySimulation Radio Bluetooth JSON Compression
            ByteCoding Determinism CryptoSuite CodedErrors
            """),
        module(
            "Sources/CommandLine/ConnectionCommands",
            """
            CommandProgram Terminal AriesConnections Aries DIDComm Vault WebTransport WebAddressing JSON ByteCoding
            CodedErrors Determinism CryptoSuite
            """),
        module(
            "Sources/CommandLine/CloudAgentCommands",
            """
            CommandProgram Terminal CloudAgent AriesConnections Aries DIDComm Vault WebTransport WebAddressing JSON
            Determinism CryptoSuite CodedErrors
            """),
        module(
            "Sources/CommandLine/Commands",
            """
            HandoverCommands CredentialCommands ProximityCommands ConnectionCommands CloudAgentCommands Desk
            CommandProgram Terminal Aries AriesConnections Bluetooth CBOR CloudAgent CodedErrors Codes Compression
            Credentials CryptoSuite DIDComm Herald JSON LinkedData MobileSession Presentations QRCode Radio Tuvali Vault
            WebAddressing WebTransport BlueZRadio ByteCoding CodeReader Determinism
            """),
        program("Sources/CommandLine/symbolon", "Commands"),

        // The lab: measuring and simulating; no package for users delivers it.
        module("Lab/Sources/BareSodium", "CSodium CryptoSuite", callsC: true),
        module(
            "Lab/Sources/LabCommands",
            """
            BareSodium ConnectionCommands HandoverCommands CommandProgram Terminal CloudAgent AriesConnections Aries
            Codes CodedErrors Credentials DIDComm Presentations Vault WebTransport WebAddressing Tuvali TransferSimulation
            MobileSession MobileSessionSimulation StockPeers Air Herald Bluetooth Compression JSON ByteCoding Determinism CryptoSuite
            """),
        program("Lab/Sources/symbolon-lab", "LabCommands"),

        // Tests. Those that start a program do not depend on it, so that both are compiled at once.
        module("Tests/TestSupport", "Determinism"),
        tests("Tests/ByteCodingTests"),
        tests("Tests/DeterminismTests"),
        tests("Tests/DataStructuresTests", "Determinism"),
        tests("Tests/WebAddressingTests"),
        tests("Tests/CryptoSuiteTests", "ByteCoding Determinism", excluding: testsOfDebianLibraries),
        tests("Tests/CompressionTests"),
        tests("Tests/QRCodeTests"),
        tests("Tests/CodeReaderTests", "QRCode Compression ByteCoding"),
        tests("Tests/JSONTests", "ByteCoding"),
        tests("Tests/CBORTests", "ByteCoding CodedErrors"),
        tests("Tests/LinkedDataTests", "CryptoSuite Determinism JSON"),
        tests(
            "Tests/CredentialsTests",
            "ByteCoding CBOR COSE CodedErrors Codes Compression CryptoSuite Determinism JSON LinkedData"),
        tests(
            "Tests/CodesTests", "Credentials ByteCoding CBOR Compression CryptoSuite Determinism JSON"),
        tests("Tests/COSETests", "CBOR CryptoSuite Determinism"),
        tests(
            "Tests/MobileSessionTests", "Credentials Bluetooth COSE CBOR ByteCoding CryptoSuite Determinism JSON"),
        tests("Tests/BluetoothTests", "ByteCoding Determinism"),
        tests("Tests/PresentationsTests", "Credentials JSON ByteCoding CryptoSuite Determinism"),
        tests("Tests/TuvaliTests", "Bluetooth ByteCoding Determinism CryptoSuite Compression JSON"),
        tests("Tests/AirTests", "Bluetooth Determinism"),
        tests(
            "Lab/Tests/TransferSimulationTests",
            "Air Tuvali Presentations Credentials Bluetooth ByteCoding Compression Determinism CryptoSuite JSON"),
        tests("Lab/Tests/MobileSessionSimulationTests", "MobileSession COSE CBOR Determinism"),
        tests(
            "Lab/Tests/StockPeersTests", "TransferSimulation Tuvali Air Bluetooth ByteCoding Determinism CryptoSuite"),
        tests("Tests/ProximitySimulationTests", "StockHeralds Herald Air Bluetooth Determinism"),
        module("Tests/RadioConformance", "Radio Bluetooth CodedErrors Determinism"),
        tests("Tests/VirtualRadioTests", "RadioConformance Radio Air Bluetooth Determinism"),
        tests("Tests/CoreBluetoothRadioTests", "Radio Bluetooth Determinism"),
        tests(
            "Tests/MobileDocumentsTests",
            "MobileSession Credentials VirtualRadio Radio Air Vault Bluetooth COSE CBOR CryptoSuite Determinism"),
        tests("Tests/TuvaliHandoverTests", "Tuvali Radio VirtualRadio Air Bluetooth Determinism"),
        tests("Tests/HeraldTests", "Bluetooth ByteCoding Determinism CryptoSuite Compression DataStructures"),
        tests("Tests/HeraldProximityTests", "Herald Radio VirtualRadio Bluetooth Determinism CryptoSuite"),
        tests("Tests/DIDCommTests", "WebAddressing JSON ByteCoding Determinism CryptoSuite"),
        tests("Tests/AriesTests", "DIDComm JSON ByteCoding Determinism CryptoSuite"),
        tests("Tests/HTTP1Tests"),
        tests("Tests/BlueZRadioTests", "RadioConformance Radio Bluetooth Determinism CSystemd"),
        tests(
            "Tests/DeskTests",
            """
            CodedErrors CodeReader Codes Credentials CryptoSuite Determinism JSON MobileDocuments Presentations QRCode Tuvali
            TuvaliHandover Vault VirtualRadio WebAddressing WebAssets WebTransport
            """),
        tests("Tests/WebAssetsTests", "WebTransport CryptoSuite ByteCoding"),
        module("Tests/VaultConformance", "Vault Determinism"),
        program("Tests/vault-worker", "Vault"),
        .target(name: "FaultVFS", dependencies: ["CSQLite"], path: "Tests/FaultVFS"),
        module("Tests/FaultLayer", "FaultVFS"),
        tests(
            "Tests/VaultTests", "VaultConformance FaultLayer SQLiteEngine CSQLite CryptoSuite Determinism"),
        module("Tests/CloudAgentConformance", "CloudAgent Aries Determinism"),
        program("Tests/cloud-worker", "CloudAgent AriesConnections WebTransport WebAddressing CryptoSuite Determinism"),
        .target(name: "TaskEnqueueHook", path: "Tests/TaskEnqueueHook"),
        program(
            "Tests/agent-simulation",
            """
            TaskEnqueueHook CloudAgent AriesConnections Aries DIDComm WebTransport JSON CryptoSuite CSodium
            Determinism Air FaultLayer
            """),
        tests(
            "Tests/CloudAgentTests",
            """
            CloudAgentConformance FaultLayer AriesConnections Aries DIDComm Vault WebAssets WebTransport SQLiteEngine
            PostgresEngine WebAddressing JSON CryptoSuite ByteCoding Determinism
            """, excluding: ["Fixtures"]),
        tests("Tests/WebTransportTests", "HTTP1 WebAddressing Determinism"),
        tests(
            "Tests/AriesConnectionsTests",
            "Aries DIDComm Vault WebTransport JSON WebAddressing ByteCoding Determinism CryptoSuite"),
        tests("Tests/AtomicFilesTests"),
        tests("Tests/TerminalTests", "Determinism QRCode"),
        tests("Lab/Tests/BareSodiumTests"),
        module(
            "Tests/CommandTestSupport",
            """
            Aries AriesConnections BlueZRadio Bluetooth ByteCoding CommandProgram Commands ConnectionCommands
            CryptoSuite DIDComm Determinism Herald LabCommands Radio Terminal TestSupport Tuvali Vault VirtualRadio
            WebAddressing WebTransport
            """),
        tests(
            "Tests/CommandProgramTests",
            "Aries CommandTestSupport Compression CryptoSuite Determinism Radio Terminal Tuvali CodedErrors JSON"),
        tests(
            "Tests/HandoverCommandsTests",
            """
            BlueZRadio Bluetooth ByteCoding CommandProgram CommandTestSupport CryptoSuite Determinism JSON Presentations
            Radio Terminal Tuvali TuvaliHandover VirtualRadio WebAddressing WebTransport
            """),
        tests("Tests/CredentialCommandsTests", "CodeReader CommandTestSupport CryptoSuite ByteCoding JSON"),
        tests(
            "Tests/ProximityCommandsTests",
            """
            Bluetooth ByteCoding CommandProgram CommandTestSupport Commands Compression CryptoSuite Determinism
            Herald HeraldProximity JSON ProximitySimulation Radio Air StockHeralds Terminal
            """, excluding: ["Fixtures"]),
        tests(
            "Tests/ConnectionCommandsTests",
            """
            Aries AriesConnections ByteCoding CommandProgram CommandTestSupport CryptoSuite DIDComm Determinism JSON
            Terminal Vault WebAddressing WebTransport
            """),
        tests(
            "Tests/CloudAgentCommandsTests",
            """
            Aries CloudAgent CommandProgram CommandTestSupport Commands Determinism Terminal WebAddressing
            WebTransport
            """),
        tests(
            "Lab/Tests/LabCommandsTests",
            """
            Bluetooth ByteCoding CommandProgram CommandTestSupport Compression CryptoSuite Determinism Air
            TransferSimulation Tuvali WebTransport
            """, excluding: ["Recordings"]),
        tests(
            "Tests/CommandsTests",
            """
            Aries AriesConnections Bluetooth ByteCoding CloudAgent CommandProgram CommandTestSupport
            ConnectionCommands CryptoSuite Determinism LabCommands ProximityCommands Radio Terminal Tuvali
            VirtualRadio WebAddressing WebTransport CodedErrors BlueZRadio CBOR COSE JSON MobileSession
            """),
        program("Tests/web-peer", "WebTransport WebAddressing Determinism"),
        .target(name: "AllocationCounter", path: "Tests/AllocationCounter"),
        program("Tests/allocations", "AllocationCounter TransferSimulation Tuvali"),
        tests("Tests/TidyTests"),
        // The targets of the fuzzer, which is a package of its own, with their seeds.
        .testTarget(
            name: "FuzzTargetsTests",
            dependencies: words(
                """
                Air Aries Bluetooth BlueZRadio ByteCoding CBOR COSE CloudAgent CloudAgentCommands CodeReader Codes
                CommandProgram Commands Compression Credentials CryptoSuite DIDComm Determinism HTTP1 Herald JSON
                LabCommands LinkedData MobileSession Presentations ProximityCommands QRCode Terminal TransferSimulation
                Tuvali Vault VirtualRadio WebAddressing WebTransport
                """
            ).map { .init(stringLiteral: $0) },
            path: "Fuzz", exclude: ["Corpora", "Package.swift", "Sources/FuzzDriver"],
            sources: ["Sources/FuzzTargets", "Tests"], swiftSettings: [.treatAllWarnings(as: .error)]),
    ],
    swiftLanguageModes: [.v6],
    cLanguageStandard: .gnu2x,
    cxxLanguageStandard: .cxx17
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

// SYMBOLON_FUZZ=1 adds a product of the modules that the fuzz targets, a package of their own, call from within.
if Context.environment["SYMBOLON_FUZZ"] != nil {
    package.products.append(
        .library(
            name: "FuzzedModules",
            targets: [
                "Aries", "BlueZRadio", "CBOR", "CloudAgent", "CloudAgentCommands", "CommandProgram", "Commands",
                "CodeReader", "Codes", "Credentials", "DIDComm",
                "HTTP1", "Herald", "JSON", "LabCommands", "LinkedData", "MobileSession", "Presentations",
                "ProximityCommands",
                "TransferSimulation",
                "Tuvali", "Vault", "VirtualRadio", "WebTransport",
            ]))
}
