/// Decides when the radio scans: all the time, or in windows, with pauses for connects where a radio cannot do both.
struct ScanSchedule: Sendable {
    private var isOn = false
    /// The time at which the scan began or ended.
    private var since: UInt64 = 0
    /// The time at which `expire` is due; `.max` while it waits for a connect to end.
    private var due: UInt64 = .max

    /// The next time at which the scan schedule acts without an input, in nanoseconds; `.max` for never.
    var nextDeadline: UInt64 { due }

    /// Whether a connect that begins now ends a scan.
    func isEndedByConnect(_ settings: NodeSettings) -> Bool { !settings.platform.scansWhileConnecting && isOn }

    /// Whether a scan that was due waits for the end of a connect that is under way.
    private var isOwed: Bool { !isOn && due == .max }

    /// Begins a scan unless one is on; the radio is on.
    mutating func start(_ settings: NodeSettings, at now: UInt64, into outputs: inout [HeraldNode.Output]) {
        guard !isOn else { return }
        isOn = true
        since = now
        due = settings.timing.$scanPause > 0 ? now &+ settings.timing.$scanWindow : .max
        outputs.append(.startScanning(services: HeraldServices.scanned(settings.configuration)))
    }

    /// Ends a scan that is on, because everything ends.
    mutating func stop(into outputs: inout [HeraldNode.Output]) {
        if isOn { outputs.append(.stopScanning) }
        self = ScanSchedule()
    }

    private mutating func pause(until due: UInt64, at now: UInt64, into outputs: inout [HeraldNode.Output]) {
        isOn = false
        since = now
        self.due = due
        outputs.append(.stopScanning)
    }

    /// Begins or ends the scan when that is due.
    ///
    /// - Parameter isConnecting: whether a connect is under way.
    mutating func expire(
        isConnecting: Bool, _ settings: NodeSettings, at now: UInt64, into outputs: inout [HeraldNode.Output]
    ) {
        guard due <= now else { return }
        due = .max
        if !isOn {
            // A radio that hears nothing while it connects scans when the connect has ended, before the next begins.
            if settings.platform.scansWhileConnecting || !isConnecting { start(settings, at: now, into: &outputs) }
        } else if settings.timing.$scanPause > 0 {
            pause(
                until: now &+ min(settings.timing.$scanPause, settings.timing.$maximumScanGap), at: now, into: &outputs)
        }
    }

    /// Ends the scan for a connect where the radio cannot do both; false when the scan must go on or begin first
    /// (HP-38).
    mutating func yieldToConnect(
        _ settings: NodeSettings, at now: UInt64, into outputs: inout [HeraldNode.Output]
    ) -> Bool {
        guard !settings.platform.scansWhileConnecting else { return true }
        let timing = settings.timing
        if isOn {
            guard now - min(since, now) >= timing.$scanWindow else {
                due = min(due, since &+ timing.$scanWindow)
                return false
            }
            pause(until: now &+ timing.$maximumScanGap, at: now, into: &outputs)
            return true
        }
        return !isOwed && now &+ timing.$connectTimeout <= since &+ timing.$maximumScanGap
    }

    /// Scans again after a connect where the radio cannot do both.
    mutating func resume(
        isConnecting: Bool, _ settings: NodeSettings, at now: UInt64, into outputs: inout [HeraldNode.Output]
    ) {
        guard !settings.platform.scansWhileConnecting, !isOn, settings.timing.$scanPause == 0 || isOwed, !isConnecting
        else { return }
        start(settings, at: now, into: &outputs)
    }
}
