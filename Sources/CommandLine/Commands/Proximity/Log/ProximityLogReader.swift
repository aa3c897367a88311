import Herald
import Terminal

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
