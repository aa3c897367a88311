/// Decides when the radio scans: always, or in windows, with pauses for connects on radios that cannot do both.
///
/// Times are nanoseconds of the node's clock. `nextDeadline` is `.max` for never, because a node takes the least of its
/// parts' deadlines as plain numbers.
struct ScanSchedule: Sendable {
    private enum ScanState: Sendable {
        /// The radio does not scan, because the node or the radio is off.
        case off
        /// A scan is on; at `due` its window ends, or is long enough for a connect to end it.
        ///
        /// Nil where neither is awaited.
        case scanning(since: UInt64, due: UInt64?)
        /// The scan ended at `since`, and the next one begins at `until`.
        case paused(since: UInt64, until: UInt64)
        /// The scan ended at `since`, and the next one begins after the connect in progress.
        case waitingForConnect(since: UInt64)
    }

    private var state = ScanState.off
    private var silence = AdvertisementSilenceDetector()

    /// The next time at which the scan schedule acts without an input, in nanoseconds; `.max` for never.
    var nextDeadline: UInt64 { min(scanDeadline, silence.nextDeadline) }

    private var scanDeadline: UInt64 {
        switch state {
        case .off, .waitingForConnect, .scanning(_, due: nil): .max
        case .scanning(_, due: .some(let due)): due
        case .paused(_, let until): until
        }
    }

    private var isScanning: Bool { if case .scanning = state { true } else { false } }

    /// Returns true when a connect that begins now ends the scan.
    func isEndedByConnect(_ settings: NodeSettings) -> Bool { !settings.platform.scansWhileConnecting && isScanning }

    /// Records an advertisement; returns true when `nextDeadline` has changed.
    mutating func heard(at now: UInt64) -> Bool { silence.heard(at: now) }

    /// Begins a scan unless one is on.
    mutating func start(_ settings: NodeSettings, at now: UInt64, into outputs: inout [HeraldNode.Output]) {
        guard !isScanning else { return }
        if case .off = state { silence.start(at: now) }
        state = .scanning(
            since: now, due: settings.timing.$scanPause > 0 ? now &+ settings.timing.$scanWindow : nil)
        outputs.append(.startScanning(services: HeraldServices.scanned(settings.configuration)))
    }

    /// Ends the scan, because the node stops.
    mutating func stop(into outputs: inout [HeraldNode.Output]) {
        if isScanning { outputs.append(.stopScanning) }
        state = .off
        silence.stop()
    }

    private mutating func pause(until: UInt64, at now: UInt64, into outputs: inout [HeraldNode.Output]) {
        state = .paused(since: now, until: until)
        outputs.append(.stopScanning)
    }

    /// Begins or ends a scan that is due, and reports a silence that has become too long.
    ///
    /// - Parameter isConnecting: true while a connect is under way.
    mutating func expire(
        isConnecting: Bool, _ settings: NodeSettings, at now: UInt64, into outputs: inout [HeraldNode.Output]
    ) {
        if silence.isDue(at: now) {
            let seconds = AdvertisementSilenceDetector.limit / 1_000_000_000
            let reason = "Nothing was heard for \(seconds) s: no device is near, or Bluetooth has stopped."
            outputs.append(.event(.trouble(HeraldError(.radioSilent, reason), nil)))
        }
        guard scanDeadline <= now else { return }
        switch state {
        case .off, .waitingForConnect: break
        case .scanning(let since, _):
            guard settings.timing.$scanPause > 0 else {
                state = .scanning(since: since, due: nil)
                return
            }
            pause(
                until: now &+ min(settings.timing.$scanPause, settings.parameters.$maximumScanGap), at: now,
                into: &outputs)
        case .paused(let since, _):
            // A radio that hears nothing while it connects scans when the connect has ended, before the next begins.
            if settings.platform.scansWhileConnecting || !isConnecting {
                start(settings, at: now, into: &outputs)
            } else {
                state = .waitingForConnect(since: since)
            }
        }
    }

    /// Ends the scan for a connect, on radios that cannot do both; false when the scan comes first (HP-38).
    ///
    /// It must go on or begin first.
    mutating func yieldToConnect(
        _ settings: NodeSettings, at now: UInt64, into outputs: inout [HeraldNode.Output]
    ) -> Bool {
        guard !settings.platform.scansWhileConnecting else { return true }
        let (timing, parameters) = (settings.timing, settings.parameters)
        switch state {
        case .off: preconditionFailure("a node connects only while it scans or pauses")
        case .scanning(let since, let due):
            guard now - min(since, now) >= timing.$scanWindow else {
                let end = since &+ timing.$scanWindow
                state = .scanning(since: since, due: due.map { min($0, end) } ?? end)
                return false
            }
            pause(until: now &+ parameters.$maximumScanGap, at: now, into: &outputs)
            return true
        case .paused(let since, _): return now &+ timing.$connectTimeout <= since &+ parameters.$maximumScanGap
        case .waitingForConnect: return false
        }
    }

    /// Scans again after a connect, on radios that cannot do both.
    mutating func resume(
        isConnecting: Bool, _ settings: NodeSettings, at now: UInt64, into outputs: inout [HeraldNode.Output]
    ) {
        guard !settings.platform.scansWhileConnecting, !isConnecting else { return }
        switch state {
        case .off: preconditionFailure("a node connects only while it scans or pauses")
        case .scanning: break
        case .paused:
            if settings.timing.$scanPause == 0 { start(settings, at: now, into: &outputs) }
        case .waitingForConnect: start(settings, at: now, into: &outputs)
        }
    }
}
