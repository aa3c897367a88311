import Determinism

/// A signal strength reading taken at a known distance.
public struct DistanceReading: Hashable, Sendable {
    /// The time of the reading in seconds from any origin; readings come in order.
    public var seconds: Double
    /// The signal strength in dBm.
    public var rssi: Double
    /// The true distance in metres.
    public var metres: Double

    /// Makes a distance reading from its parts.
    public init(seconds: Double, rssi: Double, metres: Double) {
        self.seconds = seconds
        self.rssi = rssi
        self.metres = metres
    }
}

/// A window of signal strength readings at a known distance.
public struct DistanceWindow: Hashable, Sendable {
    /// The number of readings in the window.
    public var readings: Int
    /// The strongest reading of the window, in dBm.
    public var strongest: Double
    /// The true distance, as the mean over its readings.
    public var metres: Double

    /// Makes a distance window from its parts.
    public init(readings: Int, strongest: Double, metres: Double) {
        self.readings = readings
        self.strongest = strongest
        self.metres = metres
    }
}

/// The predictions of each distance model for one window.
public struct DistancePrediction: Hashable, Sendable {
    /// The true distance and the window's readings.
    public var window: DistanceWindow
    /// The estimate of the package's own model; nil when it gives none.
    public var estimate: DistanceEstimate?
    /// The distance that `FowlerBasic` gives for the window, in metres.
    public var fowlerBasic: Double?
    /// The distance that `SmoothedLinearModel` gives for the minute up to the window's end, in metres.
    public var smoothedLinear: Double?
    /// The distance that one straight line for all phones gives, in metres.
    public var straightLine: Double?
}

/// Runs the distance models over a measurement whose distances are known.
///
/// A window begins with a reading and lasts 30 s, as on the air; the models see what a device sees and nothing of the
/// distances.
public enum DistanceTrial {
    /// The length of the reference model's smoothing window, in seconds.
    private static let smoothing = 60.0

    /// Divides readings into windows.
    public static func windows(of readings: [DistanceReading]) -> [DistanceWindow] {
        ranges(of: readings).compactMap { window(of: readings[$0]) }
    }

    /// Returns the predictions of every model at the end of each window with at least three readings.
    public static func answers(
        to readings: [DistanceReading], pair: PhoneSystemPair, model: DistanceModel = .shipped
    ) -> [DistancePrediction] {
        var estimator = DistanceEstimator(pair: pair, model: model)
        var answers: [DistancePrediction] = []
        for range in ranges(of: readings) {
            guard let window = window(of: readings[range]), let first = readings[range].first else { continue }
            for reading in readings[range] { estimator.take(rssi: reading.rssi, at: instant(reading.seconds)) }
            let estimate = estimator.advance(to: instant(first.seconds) + DistanceEstimator.window)
            guard window.readings >= DistanceEstimator.fullReadings else { continue }
            let levels = readings[range].map(\.rssi)
            answers.append(
                DistancePrediction(
                    window: window, estimate: estimate, fowlerBasic: ReferenceDistanceModel.fowlerBasic(levels),
                    smoothedLinear: smoothed(readings, upTo: range.upperBound, start: first.seconds),
                    straightLine: ReferenceDistanceModel.straightLine(levels)))
        }
        return answers
    }

    private static func instant(_ seconds: Double) -> MonotonicInstant {
        .zero + .nanoseconds(Int64(min(max(0, seconds), 1e9) * 1e9))
    }

    /// Returns the ranges of readings that form the windows.
    private static func ranges(of readings: [DistanceReading]) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var begin = 0
        for index in readings.indices
        where instant(readings[index].seconds) >= instant(readings[begin].seconds) + DistanceEstimator.window {
            ranges.append(begin..<index)
            begin = index
        }
        return readings.isEmpty ? [] : ranges + [begin..<readings.count]
    }

    private static func window(of readings: ArraySlice<DistanceReading>) -> DistanceWindow? {
        let valid = readings.filter { DistanceEstimator.plausible.contains($0.rssi) }
        guard let strongest = valid.map(\.rssi).max() else { return nil }
        let metres = readings.reduce(0) { $0 + $1.metres } / Double(readings.count)
        return DistanceWindow(readings: valid.count, strongest: strongest, metres: metres)
    }

    /// Returns the reference model's smoothed answer; nil until the history covers a minute.
    private static func smoothed(_ readings: [DistanceReading], upTo end: Int, start: Double) -> Double? {
        guard let first = readings.first, end > 0 else { return nil }
        let from = readings[end - 1].seconds - smoothing
        guard first.seconds <= from else { return nil }
        let levels = readings[..<end].reversed().prefix { $0.seconds >= from }.map(\.rssi)
        return ReferenceDistanceModel.smoothedLinear(levels)
    }
}
