public import CommandProgram
import Terminal

extension Program {
    /// The program `symbolon-lab`.
    package static let lab = Program(
        "symbolon-lab", "Measures and simulates what symbolon is made of; for its developers.",
        examples: [
            .init("symbolon-lab bench transfer", "Measures hand-overs in virtual time."),
            .init("symbolon-lab sim run --seed 7", "Hands over in a simulation under faults."),
        ],
        groups: [
            "tuvali": "Works with the Tuvali protocol itself.",
            "bench": "Measures, and writes a line for each measurement.",
            "sim": "Puts simulated hand-overs under faults.",
        ],
        ownForms: ["tuvali", "bench", "sim"],
        commands: [
            .init("tuvali replay", ReplayCommand.declaration, ReplayCommand.run),
            .init("bench transfer", TransferBenchCommand.declaration, TransferBenchCommand.run),
            .init("bench phone", PhoneBenchCommand.declaration, PhoneBenchCommand.run),
            .init("bench pipeline", PipelineBenchCommand.declaration, PipelineBenchCommand.run),
            .init("bench didcomm", DIDCommBenchCommand.declaration, DIDCommBenchCommand.run),
            .init("bench credentials", CredentialBenchCommand.declaration, CredentialBenchCommand.run),
            .init("bench herald", HeraldBenchCommand.declaration, HeraldBenchCommand.run),
            .init("sim run", SimulationRunCommand.declaration, SimulationRunCommand.run),
            .init("sim replay", SimulationReplayCommand.declaration, SimulationReplayCommand.run),
            .init("sim phone", SimulationPhoneCommand.declaration, SimulationPhoneCommand.run),
            .init("sim requests", SimulationRequestsCommand.declaration, SimulationRequestsCommand.run),
            .init("sim shrink", SimulationShrinkCommand.declaration, SimulationShrinkCommand.run),
            .init("bench vault", VaultBenchCommand.declaration, VaultBenchCommand.run),
            .init("bench connections", ConnectionsBenchCommand.declaration, ConnectionsBenchCommand.run),
            .init("bench agent", CloudAgentBenchCommand.declaration, CloudAgentBenchCommand.run),
            .init("bench agent-soak", CloudAgentSoakCommand.declaration, CloudAgentSoakCommand.run),
            .init(
                "desk", AcceleratedStationCommand.declaration, AcceleratedStationCommand.run, endsByInterruption: true),
            .init("completion", CompletionCommand.declaration, CompletionCommand.run),
        ])
}

/// Runs `symbolon-lab` with the process's own arguments, streams and signals, and returns its exit status.
public func runLab() async -> Int32 {
    let environment = CommandEnvironment.process()
    return await InterruptionSignals.withCancellation { await runLab(in: environment) }
}

/// Runs `symbolon-lab` in `environment` and returns its exit status.
///
/// Cancelling the task interrupts the command, which then ends with status 130.
public func runLab(in environment: CommandEnvironment) async -> Int32 {
    await Program.lab.run(environment)
}
