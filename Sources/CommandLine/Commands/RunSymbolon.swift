public import CommandProgram
import Terminal

/// Runs `symbolon` with the process's own arguments, streams and signals, and returns its exit status.
public func runSymbolon() async -> Int32 {
    let environment = CommandEnvironment.process()
    return await InterruptionSignals.withCancellation { await runSymbolon(in: environment) }
}

/// Runs `symbolon` in `environment` and returns its exit status.
///
/// Cancelling the task interrupts the command, which then ends with status 130.
public func runSymbolon(in environment: CommandEnvironment) async -> Int32 {
    await Program.symbolon.run(environment)
}
