public import BlueZRadio
public import Radio
import Terminal
public import VirtualRadio

/// A radio that can be closed.
public protocol ClosableRadio: CentralRadio, PeripheralRadio {
    /// Ends every link and releases the radio's resources.
    func close() async
}

extension VirtualRadio: ClosableRadio {}
extension BlueZRadio: ClosableRadio {}

/// The source of a command's radios: a simulated air, or an adapter of this machine.
package enum RadioSource: Sendable {
    /// The radio is attached to a simulated air.
    case air(VirtualAir)
    /// The radio is an adapter of this machine.
    case adapter(String?, @Sendable (BlueZRadio.Configuration) async throws(RadioError) -> any ClosableRadio)

    /// Opens the source that the options request, and reports which it is.
    ///
    /// - Throws: Errors of opening the air; `radio.unavailable` where no adapter is usable and no person permits the
    ///   simulated radio.
    package static func open(_ role: RadioChoice.RadioTask, _ setup: RadioSetup, _ context: CommandContext) async throws
        -> RadioSource
    {
        let arguments = context.arguments
        let environment = context.environment
        let choice = arguments[RadioChoice.option] ?? .auto
        let outcome = await choice.outcome(role, isAirNamed: arguments[Options.air] != nil || setup.namesLink) {
            BluetoothDiagnosis(await environment.examineBluetooth())
        }
        switch outcome {
        case .virtual(let cause):
            if let cause { try await permitSimulation(because: cause, context.console) }
            return .air(try await environment.openAir(.shared(path: arguments[Options.air])))
        case .real(let adapter, let warning):
            context.console.say("Radio: Bluetooth, \(adapter ?? "the first adapter that is on").")
            if let warning { context.console.say(warning) }
            return .adapter(adapter, environment.openAdapter)
        }
    }

    /// Asks a person whether the simulated radio will do where no adapter is usable.
    ///
    /// - Throws: `radio.unavailable` for a no, and where no person can be asked.
    private static func permitSimulation(because cause: String, _ console: Console) async throws {
        guard console.canAsk else { throw CommandFailure(RadioError(.unavailable, cause), nextStep: simulationStep) }
        console.say("There is no Bluetooth radio to use. \(cause)")
        let question = "Use the simulated radio, which reaches no phone?"
        guard let answer = await console.ask(question, fallback: false), answer else {
            try Task.checkCancellation()
            throw CommandFailure(RadioError(.unavailable, cause), nextStep: simulationStep)
        }
        console.say("Radio: virtual, not Bluetooth. symbolon doctor tells what to do.")
    }

    private static let simulationStep =
        "Run symbolon doctor, which tells what to do, or add --radio virtual to use the simulated radio."

    /// Opens a radio.
    ///
    /// - Throws: The failure of a radio that is not available or not permitted, with its next step.
    package func makeRadio(_ setup: RadioSetup) async throws(CommandFailure) -> any ClosableRadio {
        do throws(RadioError) {
            switch self {
            case .air(let air): return try await air.makeRadio(setup.configuration)
            case .adapter(let name, let open):
                return try await open(BlueZRadio.Configuration(adapter: name, tap: setup.capture))
            }
        } catch {
            switch self {
            case .air: throw CommandFailure(error)
            case .adapter: throw CommandFailure(ofAdapter: error)
            }
        }
    }

    /// Closes the air; an adapter has nothing to close.
    package func close() async {
        if case .air(let air) = self { await air.close() }
    }
}
