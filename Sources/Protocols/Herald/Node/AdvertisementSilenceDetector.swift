import Determinism

/// Detects when a radio that is on receives no advertisement of any device for a long time.
///
/// Either no device is near, or the Bluetooth stack has stopped without a word, as phones' stacks do; the one looks
/// like the other from here, so it is reported once for each silence.
struct AdvertisementSilenceDetector: Hashable, Sendable {
    /// The length of a silence that is reported, in nanoseconds.
    static let limit: UInt64 = 120_000_000_000

    private var lastHeard: UInt64?
    private var isReported = false

    /// The time at which the silence is reported; `.max` while the radio is off and after the report.
    var nextDeadline: UInt64 { lastHeard.map { isReported ? .max : $0 &+ Self.limit } ?? .max }

    /// Starts watching for silence, because the radio is on.
    mutating func start(at now: UInt64) { (lastHeard, isReported) = (now, false) }

    /// Stops watching for silence, because the radio is off.
    mutating func stop() { lastHeard = nil }

    /// Records an advertisement; returns true when it ends a silence that was reported.
    mutating func heard(at now: UInt64) -> Bool {
        lastHeard = now
        guard isReported else { return false }
        isReported = false
        return true
    }

    /// Returns true once for each silence that has become too long.
    mutating func isDue(at now: UInt64) -> Bool {
        guard nextDeadline <= now else { return false }
        isReported = true
        return true
    }
}
