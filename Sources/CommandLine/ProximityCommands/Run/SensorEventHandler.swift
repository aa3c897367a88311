import ByteCoding
import CommandProgram
import Determinism
import Herald
import HeraldProximity
import Radio
import Terminal

/// Handles the events of a sensor: keeps nearby devices, writes logs, and reports.
actor SensorEventHandler {
    /// The name of the device itself in logs.
    static let ownName = "self"

    private let context: CommandContext
    private let start: MonotonicInstant
    private let log: ProximityLogWriter?
    private var csv: HeraldFormatLogWriter?
    /// The time of the last record; no later record gets an earlier time.
    private var lastAt = 0
    private(set) var nearby = NearbyDevices()
    /// The first error of writing a log; it ends the run.
    private(set) var failure: (any Error)?
    /// True when readings and distances are reported too.
    private let reportsReadings: Bool

    init(
        _ context: CommandContext, log: ProximityLogWriter? = nil, csv: HeraldFormatLogWriter? = nil,
        reportsReadings: Bool = true
    ) {
        self.context = context
        self.log = log
        self.csv = csv
        self.reportsReadings = reportsReadings
        start = context.environment.clock.now()
    }

    /// The milliseconds since the start of the run.
    var elapsed: Int { milliseconds(context.environment.clock.now()) }

    /// The reason why the radio was not available when the run began; it ends the run.
    private(set) var absence: RadioError?
    /// The time after the start in which a failing radio ends the run, in milliseconds; later it is waited for.
    private static let beginningMilliseconds = 30_000
    private var reportedStates = 0

    private func watchRadio(_ event: HeraldEvent) {
        switch event {
        case .state: reportedStates += 1
        case .trouble(let error, nil) where error.code == .radioUnavailable:
            guard reportedStates <= 1, elapsed < Self.beginningMilliseconds else { return }
            absence = absence ?? RadioError(.unavailable, error.reason)
        default: break
        }
    }

    /// True once the sensor has reported an event, and so has a radio.
    private(set) var hasBegun = false

    /// Handles an event of the sensor.
    func take(_ event: SensorEvent) {
        hasBegun = true
        watchRadio(event.event)
        let records = ProximityRecord.records(
            of: event.event, at: max(0, milliseconds(event.at)), device: Self.ownName, milliseconds: milliseconds,
            name: Self.name(of:))
        for record in records { take(record) }
    }

    /// Writes the buffers of the logs to their files.
    func tick() {
        attempt { try log?.flush() }
        attempt { try csv?.flush() }
    }

    /// Writes the ends of the logs; throws the first failure of the run.
    func finish() throws {
        if let failure { throw failure }
        try csv?.finish(name: Self.ownName, system: "linux", version: Program.version)
        try log?.finish(durationMilliseconds: max(0, elapsed))
    }

    /// Handles one record; one with an earlier time than the last gets the time of the last.
    func take(_ record: ProximityRecord) {
        var record = record
        record.at = max(record.at, lastAt)
        lastAt = record.at
        nearby.take(record)
        attempt { try log?.put(record) }
        attempt { try csv?.put(record) }
        ProximityReporter(reporter: context.reporter, reportsReadings: reportsReadings).report(
            record, identity: record.peer.flatMap { nearby.identity(of: $0) })
    }

    private func attempt(_ write: () throws -> Void) {
        guard failure == nil else { return }
        do { try write() } catch { failure = error }
    }

    private func milliseconds(_ instant: MonotonicInstant) -> Int {
        let span = instant - start
        return Int(span.components.seconds) * 1000 + Int(span.components.attoseconds / 1_000_000_000_000_000)
    }

    /// The name of a device in logs and events, such as `d7`.
    static func name(of target: TargetID) -> String { "d\(target.number)" }
}
