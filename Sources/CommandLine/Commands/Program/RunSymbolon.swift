import BlueZRadio
import CryptoSuite
import Determinism
import Radio
import Terminal
import VirtualRadio

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

#if canImport(Darwin)
    import Foundation
#else
    import FoundationEssentials
#endif

/// Runs `symbolon` with the process's own arguments, streams and signals, and returns its exit status.
public func runSymbolon() async -> Int32 {
    var made = CommandEnvironment.process()
    made.rereads = { HangUps.stream() }
    let environment = made
    return await Interruption.withCancellation { await runSymbolon(in: environment) }
}

/// Runs `symbolon` in `environment` and returns its exit status.
///
/// Cancelling the task interrupts the command, which then ends with status 130.
public func runSymbolon(in environment: CommandEnvironment) async -> Int32 {
    await Program.run(environment)
}

extension CommandEnvironment {
    /// The world of this process: its streams, its terminal, the system's clock and entropy, airs as `VirtualAir` makes
    /// them.
    static func process() -> CommandEnvironment {
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
        return CommandEnvironment(
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
    }
}
