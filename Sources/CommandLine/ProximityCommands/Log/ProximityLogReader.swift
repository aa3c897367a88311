import CommandProgram
import Herald
import Terminal

/// Reads the log of a run, line by line.
struct ProximityLogReader: ProximityLogSource {
    private let folder: String
    /// The run that the log records.
    let run: ProximityRun
    /// The bytes of each part that a survey reads: enough for a second of a large crowd, with all kinds of lines.
    var surveyPartBytes = 512 << 10

    /// Opens the log in `folder`.
    ///
    /// - Throws: `input.not-found`, `input.not-readable`, `input.too-large`, `prox.log-malformed`.
    init(folder: String) throws(CommandError) {
        self.folder = folder
        let file = POSIXFile.join(folder, ProximityLog.runFile)
        try LineFileReader.check(file)
        run = try ProximityRun(parsing: BoundedFile.read(file, limit: ProximityLog.maximumRunBytes))
    }

    /// True when the log has the true positions.
    var hasTruth: Bool {
        let path = POSIXFile.join(folder, ProximityLog.truthFile)
        return POSIXFile.exists(path) || POSIXFile.exists(path + AppendedLineFile.zippedEnding)
    }

    /// Calls `take` with each record, in the order of time.
    ///
    /// The last line of a killed run may be cut off, and is then ignored.
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

    /// Calls `take` with each true position; with none where the log has none.
    ///
    /// - Throws: as `eachRecord`.
    func eachTruth(_ take: (TruePositions) throws -> Void) throws {
        guard hasTruth else { return }
        try each(in: ProximityLog.truthFile, TruePositions.init(parsing:)) { truth, _ in try take(truth) }
    }

    private func each<Line>(
        in file: String, _ parse: ([UInt8]) -> Line?, _ take: (Line, (String) -> CommandError) throws -> Void
    ) throws {
        var lines = try LineFileReader(POSIXFile.join(folder, file), maximumLineBytes: ProximityLog.maximumLineBytes)
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

    // MARK: - Survey

    /// Estimates how many lines of each kind a log has, from parts of it; zero for files so short that this saves no
    /// time.
    struct LogSizeEstimate: Hashable, Sendable {
        /// The estimated number of lines with events.
        var lines = 0
        /// The estimated number of lines with distances.
        var estimates = 0
        /// The estimated number of lines with true positions.
        var truths = 0
    }

    /// The number of parts of a file that are read.
    static let surveyParts = 64

    /// Reads parts of both files, evenly over their length; errors are reported when the whole file is read.
    func survey() -> LogSizeEstimate {
        let events = look(into: ProximityLog.eventsFile) { ProximityLogFields($0)?.kind == .distance }
        let truth = look(into: ProximityLog.truthFile) { _ in false }
        return LogSizeEstimate(lines: events.lines, estimates: events.counted, truths: truth.lines)
    }

    private func look(into file: String, counts: ([UInt8]) -> Bool) -> (lines: Int, counted: Int) {
        guard
            var reader = try? LineFileReader(
                POSIXFile.join(folder, file), maximumLineBytes: ProximityLog.maximumLineBytes),
            let size = reader.byteCount, size > Self.surveyParts * surveyPartBytes
        else { return (0, 0) }
        var (bytes, lines, counted) = (0, 0, 0)
        for part in 0..<Self.surveyParts {
            guard reader.skip(behind: size / Self.surveyParts * part) else { return (0, 0) }
            let end = bytes + surveyPartBytes
            while bytes < end, let line = try? reader.next() {
                bytes += line.count + 1
                lines += 1
                if counts(line) { counted += 1 }
            }
        }
        let share = Double(size) / Double(max(1, bytes))
        return (Int(Double(lines) * share), Int(Double(counted) * share))
    }
}
