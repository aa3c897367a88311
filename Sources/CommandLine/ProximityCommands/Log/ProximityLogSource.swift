/// The source of a report: the log of a run, or the logs of several phones.
protocol ProximityLogSource: Sendable {
    /// The run that is reported.
    var run: ProximityRun { get }
    /// True when every ordered pair of the devices is judged over the whole run.
    ///
    /// The devices of the run then logged each for itself at one place, and `share` records name the device whose
    /// payload was shared.
    var judgesAllPairs: Bool { get }
    /// The pairs that are not judged, with the reason.
    var leftOut: [FieldStudy.ExcludedPhonePair] { get }
    /// The ignored or doubtful parts of the log, as sentences.
    var remarks: [String] { get }
    /// The intervals between readings that the devices state themselves: their number, and their mean in seconds.
    var statedIntervals: (count: Double, mean: Double)? { get }

    /// The losses of the devices' batteries, of those that logged them.
    var batteries: [FieldStudy.BatteryFigure] { get }

    /// Estimates the number of lines.
    func survey() -> ProximityLogReader.LogSizeEstimate
    /// Calls `take` with each record, for each pair in the order of time.
    func eachRecord(_ take: (ProximityRecord) throws -> Void) throws
    /// Calls `take` with each true position.
    func eachTruth(_ take: (TruePositions) throws -> Void) throws
}

/// The defaults for the log of one run.
extension ProximityLogSource {
    var judgesAllPairs: Bool { false }
    var leftOut: [FieldStudy.ExcludedPhonePair] { [] }
    var remarks: [String] { [] }
    var statedIntervals: (count: Double, mean: Double)? { nil }
    var batteries: [FieldStudy.BatteryFigure] { [] }
}
