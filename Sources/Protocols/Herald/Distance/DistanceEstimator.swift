public import Determinism

/// The estimated distance of a device, with the interval in which it probably lies.
public struct DistanceEstimate: Hashable, Sendable {
    /// The end of the window of readings that the estimate was made from.
    public var at: MonotonicInstant
    /// The estimated distance: the median of the distribution, in metres, 0 to 3.6.
    public var metres: Double
    /// The interval in metres that contains the distance with a probability of 80 %.
    public var interval: ClosedRange<Double>
    /// The number of readings in the window of the estimate.
    public var readings: Int

    /// Makes a distance estimate from its parts.
    public init(at: MonotonicInstant, metres: Double, interval: ClosedRange<Double>, readings: Int) {
        self.at = at
        self.metres = metres
        self.interval = interval
        self.readings = readings
    }
}

/// Estimates a device's distance from the readings of its signal strength, window by window.
///
/// A window begins with a reading and lasts 30 s; what counts of it is its strongest reading, because reflections
/// weaken a signal far more often than they strengthen it. It holds a few kilobytes, whatever comes.
public struct DistanceEstimator: Sendable {
    /// The duration of a window of readings: 30 s.
    public static let window = Duration.seconds(30)
    /// The number of readings from which a window has full weight: 3.
    public static let fullReadings = 3
    /// The plausible signal strengths in dBm; readings outside are ignored.
    public static let plausible = -120.0...20.0

    private var belief: DistanceBelief
    private var start: MonotonicInstant?
    private var strongest = -Double.infinity
    private var readings = 0

    /// The estimate at the end of the last window; nil before the first one has ended.
    public private(set) var latest: DistanceEstimate?

    /// Makes an estimator for a device without readings.
    public init(pair: PhoneSystemPair, model: DistanceModel = .shipped) {
        belief = DistanceBelief(model: model, pair: pair)
    }

    /// The end of the open window; nil when none is open.
    public var nextDeadline: MonotonicInstant? { start.map { $0 + Self.window } }

    /// Adds a reading in dBm, and returns the estimate of a window that ended before it.
    ///
    /// A reading that no radio reports is ignored. Time must not go back.
    @discardableResult
    public mutating func take(rssi: Double, at now: MonotonicInstant) -> DistanceEstimate? {
        let ended = advance(to: now)
        guard Self.plausible.contains(rssi) else { return ended }
        if start == nil { start = now }
        readings += 1
        strongest = max(strongest, rssi)
        return ended
    }

    /// Ends the open window if its time has passed, and returns its estimate.
    @discardableResult
    public mutating func advance(to now: MonotonicInstant) -> DistanceEstimate? {
        guard let start, now >= start + Self.window else { return nil }
        belief.take(level: strongest, share: min(1, Double(readings) / Double(Self.fullReadings)))
        let (low, middle, high) = belief.quantiles()
        let estimate = DistanceEstimate(
            at: start + Self.window, metres: middle, interval: low...high, readings: readings)
        latest = estimate
        self.start = nil
        strongest = -.infinity
        readings = 0
        return estimate
    }
}
