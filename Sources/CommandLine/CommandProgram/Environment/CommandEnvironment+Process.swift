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
