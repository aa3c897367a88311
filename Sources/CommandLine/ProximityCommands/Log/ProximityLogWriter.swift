import CommandProgram
import Determinism
import Herald
import Terminal

/// Writes the log of a run into a folder: `run.json` at once and again at the end, the other files event by event.
///
/// Use: `put` each event, and `finish` with the duration. Records must name devices by texts that
/// `ProximityLog.isIdentifier` takes; other names are a mistake of the caller and trap.
final class ProximityLogWriter: Sendable {
    private let folder: String
    private let run: ProximityRun
    private let events: AppendedLineFile
    private let truth: AppendedLineFile?

    /// Begins a log in `folder`, which is made when only its last part is missing and must hold no log yet.
    ///
    /// - Parameter isZipped: zips events and truth, of which a killed run loses its last 64 KiB.
    /// - Throws: `output.not-writable`, `prox.log-exists`.
    init(folder: String, run: ProximityRun, isZipped: Bool = false) throws(CommandError) {
        precondition(
            run.devices.allSatisfy { ProximityLog.isIdentifier($0.id) }, "devices are named so that files can be")
        self.folder = folder
        self.run = run
        try ReceivedFileWriter.makeFolder(folder)
        let runFile = POSIXFile.join(folder, ProximityLog.runFile)
        guard !POSIXFile.exists(runFile) else {
            throw CommandError(.proximityLogExists, "\(TerminalText.sanitised(folder)) holds a log already.")
        }
        events = try AppendedLineFile(POSIXFile.join(folder, ProximityLog.eventsFile), isZipped: isZipped)
        truth =
            run.isSimulated
            ? try AppendedLineFile(POSIXFile.join(folder, ProximityLog.truthFile), isZipped: isZipped) : nil
        try ReceivedFileWriter.replace(runFile, with: Array((run.line + "\n").utf8))
    }

    /// Writes an event of a device, which must not be earlier than the one before.
    ///
    /// - Throws: `output.not-writable`.
    func put(_ record: ProximityRecord) throws(CommandError) {
        precondition(ProximityLog.isIdentifier(record.device), "devices are named so that files can be")
        try events.put { record.append(to: &$0) }
    }

    /// Writes a true position; does nothing in the log of a run that is no simulation.
    ///
    /// - Throws: `output.not-writable`.
    func put(_ truth: TruePositions) throws(CommandError) {
        try self.truth?.put { truth.append(to: &$0) }
    }

    /// Writes the buffers, so that a killed run loses only its last moment.
    ///
    /// - Throws: `output.not-writable`.
    func flush() throws(CommandError) {
        try events.flush()
        try truth?.flush()
    }

    /// Writes the run's duration to `run.json` and closes the log.
    ///
    /// - Throws: `output.not-writable`.
    func finish(durationMilliseconds: Int) throws(CommandError) {
        try flush()
        var run = run
        run.durationMilliseconds = durationMilliseconds
        try ReceivedFileWriter.replace(
            POSIXFile.join(folder, ProximityLog.runFile), with: Array((run.line + "\n").utf8))
    }
}
