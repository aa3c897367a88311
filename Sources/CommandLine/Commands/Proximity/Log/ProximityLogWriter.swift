import Determinism
import Herald
import Terminal

/// Writes the log of a run into a folder: `run.json` at once and again at the end, the other files as things happen.
///
/// Use: make it, `put` what happens, and `finish` with the duration. Records must name devices by texts that
/// `ProximityLog.isIdentifier` takes; anything else is a mistake of the caller and traps.
final class ProximityLogWriter: Sendable {
    private let folder: String
    private let run: ProximityRun
    private let events: LineFile
    private let truth: LineFile?

    /// Begins a log in `folder`, which is made when only its last part is missing and must hold no log yet.
    ///
    /// - Throws: `output.not-writable`.
    init(folder: String, run: ProximityRun) throws(CommandError) {
        precondition(
            run.devices.allSatisfy { ProximityLog.isIdentifier($0.id) }, "devices are named so that files can be")
        self.folder = folder
        self.run = run
        try ArrivingFile.makeFolder(folder)
        let runFile = POSIXFile.join(folder, ProximityLog.runFile)
        guard !POSIXFile.exists(runFile) else {
            throw CommandError(.outputNotWritable, "\(TerminalText.sanitised(folder)) holds a log already.")
        }
        events = try LineFile(POSIXFile.join(folder, ProximityLog.eventsFile))
        truth = run.isSimulated ? try LineFile(POSIXFile.join(folder, ProximityLog.truthFile)) : nil
        try ArrivingFile.replace(runFile, with: Array((run.line + "\n").utf8))
    }

    /// Adds what a device noticed; not earlier than what was added before.
    ///
    /// - Throws: `output.not-writable`.
    func put(_ record: ProximityRecord) throws(CommandError) {
        precondition(ProximityLog.isIdentifier(record.device), "devices are named so that files can be")
        try events.put { record.append(to: &$0) }
    }

    /// Adds where devices really were; nothing in the log of a run that is no simulation.
    ///
    /// - Throws: `output.not-writable`.
    func put(_ truth: ProximityTruth) throws(CommandError) {
        try self.truth?.put { truth.append(to: &$0) }
    }

    /// Writes what has gathered, so that a run that is killed loses no more than a moment.
    ///
    /// - Throws: `output.not-writable`.
    func flush() throws(CommandError) {
        try events.flush()
        try truth?.flush()
    }

    /// Ends the log.
    ///
    /// - Throws: `output.not-writable`.
    func finish(durationMilliseconds: Int) throws(CommandError) {
        try flush()
        var run = run
        run.durationMilliseconds = durationMilliseconds
        try ArrivingFile.replace(
            POSIXFile.join(folder, ProximityLog.runFile), with: Array((run.line + "\n").utf8))
    }
}

/// Reads the log of a run, line by line.
struct ProximityLogReader: Sendable {
    private let folder: String
    /// What ran.
    let run: ProximityRun

    /// Opens the log in `folder`.
    ///
    /// - Throws: `input.not-found`, `input.not-readable`, `input.too-large`, `prox.log-malformed`.
    init(folder: String) throws(CommandError) {
        self.folder = folder
        let file = POSIXFile.join(folder, ProximityLog.runFile)
        try LineReader.check(file)
        run = try ProximityRun(parsing: BoundedFile.read(file, limit: ProximityLog.maximumRunBytes))
    }

    /// Whether the log tells where devices really were.
    var hasTruth: Bool { POSIXFile.exists(POSIXFile.join(folder, ProximityLog.truthFile)) }

    /// Gives each record to `take`, in the order of time.
    ///
    /// The last line of a run that was killed may be cut short, and is passed over then.
    ///
    /// - Throws: `prox.log-malformed` with the number of the line, `input.not-found`, `input.not-readable`,
    ///   `input.too-large`; cancellation; what `take` throws.
    func eachRecord(_ take: (ProximityRecord) throws -> Void) throws {
        var last = 0
        try each(in: ProximityLog.eventsFile, ProximityRecord.init(parsing:)) { record, complain in
            guard record.at >= last else { throw complain("is earlier than the line before") }
            last = record.at
            try take(record)
        }
    }

    /// Gives each line of the truth to `take`; none where the log holds none.
    ///
    /// - Throws: as `eachRecord`.
    func eachTruth(_ take: (ProximityTruth) throws -> Void) throws {
        guard hasTruth else { return }
        try each(in: ProximityLog.truthFile, ProximityTruth.init(parsing:)) { truth, _ in try take(truth) }
    }

    private func each<Line>(
        in file: String, _ parse: ([UInt8]) -> Line?, _ take: (Line, (String) -> CommandError) throws -> Void
    ) throws {
        var lines = try LineReader(POSIXFile.join(folder, file), maximumLineBytes: ProximityLog.maximumLineBytes)
        while let line = try lines.next() {
            let number = lines.number
            let complain = { (complaint: String) in
                CommandError(.proximityLogMalformed, "Line \(number) of \(file) \(complaint).")
            }
            if number % 10_000 == 0 { try Task.checkCancellation() }
            guard number <= ProximityLog.maximumLines else {
                throw CommandError(.inputTooLarge, "\(file) has more than \(ProximityLog.maximumLines) lines.")
            }
            guard let value = parse(line) else {
                if lines.isTerminated { throw complain("is none of a proximity log") }
                return
            }
            try take(value, complain)
        }
    }
}
