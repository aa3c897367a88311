public import BlueZRadio
import CryptoSuite
public import Determinism
public import Radio
public import Terminal
public import VirtualRadio

#if canImport(Darwin)
    import Darwin
    import Foundation
#else
    import FoundationEssentials
    import Glibc
#endif

/// All of the world that a command may touch, so that tests can put another in its place.
public struct CommandEnvironment: Sendable {
    /// Where a command asks to find its radio.
    public enum AirRequest: Hashable, Sendable {
        /// An air of this run alone, whose luck `seed` decides.
        case `private`(seed: UInt64)
        /// The air that processes share: at this path, or at the default place.
        case shared(path: String?)
    }

    /// The command line after the program's name.
    public var arguments: [String]

    /// Standard output and error, the window, the environment variables, and the user's answers.
    public var surroundings: Console.Surroundings

    /// Standard input.
    public var input: any ByteSource

    /// Whether standard input is a terminal.
    public var inputIsTerminal: Bool

    /// The clock.
    public var timekeeper: any Timekeeper

    /// The time of day.
    public var wallTime: @Sendable () -> WallTime = { WallClock.now() }

    /// How long a link that leads to an invitation may take.
    public var fetchDeadline: Duration = .seconds(10)

    /// Tells each time that files are to be read again, such as at SIGHUP; never unless it is said otherwise.
    public var rereads: @Sendable () -> AsyncStream<Void> = { AsyncStream { $0.finish() } }

    /// A fresh source of entropy.
    public var makeRandom: @Sendable () -> any RandomSource

    /// Opens an air.
    public var openAir: @Sendable (AirRequest) async throws(RadioError) -> VirtualAir

    /// Opens a real adapter.
    public var openAdapter: @Sendable (BlueZRadio.Configuration) async throws(RadioError) -> any ClosableRadio

    /// Looks at the Bluetooth of the machine.
    public var examineBluetooth: @Sendable () async -> BluetoothFacts

    /// Makes an environment; unless told otherwise it has no real adapters.
    public init(
        arguments: [String], surroundings: Console.Surroundings, input: any ByteSource, inputIsTerminal: Bool,
        timekeeper: any Timekeeper, makeRandom: @escaping @Sendable () -> any RandomSource,
        openAir: @escaping @Sendable (AirRequest) async throws(RadioError) -> VirtualAir,
        openAdapter: @escaping @Sendable (BlueZRadio.Configuration) async throws(RadioError) -> any ClosableRadio = {
            (_) async throws(RadioError) in throw RadioError(.unavailable, "There are no real adapters here.")
        },
        examineBluetooth: @escaping @Sendable () async -> BluetoothFacts = { BluetoothFacts() }
    ) {
        self.arguments = arguments
        self.surroundings = surroundings
        self.input = input
        self.inputIsTerminal = inputIsTerminal
        self.timekeeper = timekeeper
        self.makeRandom = makeRandom
        self.openAir = openAir
        self.openAdapter = openAdapter
        self.examineBluetooth = examineBluetooth
    }
}

extension CommandEnvironment {
    /// The world of this process: its streams, its terminal, the system's clock and entropy, airs as `VirtualAir` makes
    /// them.
    package static func process() -> CommandEnvironment {
        let variables = ProcessInfo.processInfo.environment
        let inputIsTerminal = isatty(STDIN_FILENO) == 1
        let talkIsTerminal = isatty(STDERR_FILENO) == 1
        let answers: (any LineSource)? =
            !talkIsTerminal
            ? nil
            : inputIsTerminal ? DescriptorLineSource(STDIN_FILENO) : DescriptorLineSource.controllingTerminal()
        let surroundings = Console.Surroundings(
            output: DescriptorSink(STDOUT_FILENO), talk: DescriptorSink(STDERR_FILENO),
            outputIsTerminal: isatty(STDOUT_FILENO) == 1, talkIsTerminal: talkIsTerminal, answers: answers,
            window: { WindowSize(ofTerminal: STDERR_FILENO) ?? WindowSize(ofTerminal: STDOUT_FILENO) },
            variables: variables)
        var environment = CommandEnvironment(
            arguments: Array(CommandLine.arguments.dropFirst()), surroundings: surroundings,
            input: DescriptorSource(STDIN_FILENO), inputIsTerminal: inputIsTerminal,
            timekeeper: SystemTimekeeper(), makeRandom: { SystemRandom() },
            openAir: { (request) async throws(RadioError) in
                switch request {
                case .private(let seed): VirtualAir.private(seed: seed)
                case .shared(let path): try await VirtualAir.shared(path: path)
                }
            },
            openAdapter: { (configuration) async throws(RadioError) in try await BlueZRadio.open(configuration) },
            examineBluetooth: { await BlueZRadio.examine() })
        environment.rereads = { HangUps.stream() }
        return environment
    }
}
