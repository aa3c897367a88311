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

/// The parts outside the process that a command uses, so that tests can replace them.
public struct CommandEnvironment: Sendable {
    /// The virtual air (simulated radio medium) that a command requests.
    public enum VirtualAirRequest: Hashable, Sendable {
        /// A virtual air for this run only; `seed` decides its losses.
        case `private`(seed: UInt64)
        /// A virtual air that processes share: at this path, or at the default location.
        case shared(path: String?)
    }

    /// The command line after the program's name.
    public var arguments: [String]

    /// Standard output and error, the window, the environment variables, and the user's answers.
    public var surroundings: Console.Environment

    /// The standard input of the command.
    public var input: any ByteSource

    /// True when standard input is a terminal.
    public var inputIsTerminal: Bool

    /// The clock that commands measure time with.
    public var clock: any MonotonicClock

    /// Returns the time of day.
    public var wallTime: @Sendable () -> WallTime = { WallClock.now() }

    /// The time-out of fetching an invitation from a link.
    public var fetchDeadline: Duration = .seconds(10)

    /// Yields each time that files are to be read again, such as at SIGHUP; the default never does.
    public var rereads: @Sendable () -> AsyncStream<Void> = { AsyncStream { $0.finish() } }

    /// Has the system's allocator overwrite all memory that is freed from now on; the default does nothing.
    public var wipeFreedMemory: @Sendable () -> Void = {}

    /// Ends the process of an interrupted run that does not end; the default does nothing.
    public var forcedEnd = ForcedExit { _ in }

    /// Makes a source of random values.
    public var makeRandom: @Sendable () -> any RandomSource

    /// Opens the virtual air that a command requests.
    public var openAir: @Sendable (VirtualAirRequest) async throws(RadioError) -> VirtualAir

    /// Opens a real Bluetooth adapter.
    public var openAdapter: @Sendable (BlueZRadio.Configuration) async throws(RadioError) -> any ClosableRadio

    /// Examines the Bluetooth of the machine.
    public var examineBluetooth: @Sendable () async -> BluetoothFacts

    /// Makes an environment; by default it has no real adapters.
    public init(
        arguments: [String], surroundings: Console.Environment, input: any ByteSource, inputIsTerminal: Bool = false,
        clock: any MonotonicClock = SystemMonotonicClock(), makeRandom: @escaping @Sendable () -> any RandomSource,
        openAir: @escaping @Sendable (VirtualAirRequest) async throws(RadioError) -> VirtualAir,
        openAdapter: @escaping @Sendable (BlueZRadio.Configuration) async throws(RadioError) -> any ClosableRadio = {
            (_) async throws(RadioError) in throw RadioError(.unavailable, "There are no real adapters here.")
        },
        examineBluetooth: @escaping @Sendable () async -> BluetoothFacts = { BluetoothFacts() }
    ) {
        self.arguments = arguments
        self.surroundings = surroundings
        self.input = input
        self.inputIsTerminal = inputIsTerminal
        self.clock = clock
        self.makeRandom = makeRandom
        self.openAir = openAir
        self.openAdapter = openAdapter
        self.examineBluetooth = examineBluetooth
    }
}

extension CommandEnvironment {
    /// The environment of this process: its streams, its terminal, the system's clock and entropy, airs as `VirtualAir`
    /// makes them.
    package static func process() -> CommandEnvironment {
        let variables = ProcessInfo.processInfo.environment
        let inputIsTerminal = isatty(STDIN_FILENO) == 1
        let talkIsTerminal = isatty(STDERR_FILENO) == 1
        let answers: (any LineSource)? =
            !talkIsTerminal
            ? nil
            : inputIsTerminal ? DescriptorLineSource(STDIN_FILENO) : DescriptorLineSource.controllingTerminal()
        let surroundings = Console.Environment(
            output: DescriptorSink(STDOUT_FILENO), talk: DescriptorSink(STDERR_FILENO),
            outputIsTerminal: isatty(STDOUT_FILENO) == 1, talkIsTerminal: talkIsTerminal, answers: answers,
            window: { WindowSize(ofTerminal: STDERR_FILENO) ?? WindowSize(ofTerminal: STDOUT_FILENO) },
            variables: variables)
        var environment = CommandEnvironment(
            arguments: Array(CommandLine.arguments.dropFirst()), surroundings: surroundings,
            input: DescriptorSource(STDIN_FILENO), inputIsTerminal: inputIsTerminal,
            clock: SystemMonotonicClock(), makeRandom: { SystemRandom() },
            openAir: { (request) async throws(RadioError) in
                switch request {
                case .private(let seed): VirtualAir.private(seed: seed)
                case .shared(let path): try await VirtualAir.shared(path: path)
                }
            },
            openAdapter: { (configuration) async throws(RadioError) in try await BlueZRadio.open(configuration) },
            examineBluetooth: { await BlueZRadio.examine() })
        environment.rereads = { HangUpSignals.stream() }
        environment.wipeFreedMemory = { FreedMemoryWiping.wipe() }
        environment.forcedEnd = ForcedExit { _exit($0) }
        return environment
    }
}
