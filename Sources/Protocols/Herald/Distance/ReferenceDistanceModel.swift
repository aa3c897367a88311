/// The distance models of the reference libraries, and two trivial estimates, for comparison.
///
/// Formulas and constants as in the published analysis code of the Herald project.
public enum ReferenceDistanceModel {
    /// The range of readings that the reference models accept, in dBm.
    public static let validReadings = -99.0 ... -10.0

    /// Estimates by `FowlerBasic` with documented constants: logarithmic, from readings near the mode.
    ///
    /// - Returns: Metres; nil without a valid reading.
    public static func fowlerBasic(_ readings: [Double], intercept: Double = -50, coefficient: Double = -24) -> Double?
    {
        let valid = readings.filter { validReadings.contains($0) }
        guard let mode = mode(of: valid) else { return nil }
        let mean = valid.reduce(0, +) / Double(valid.count)
        let variance = valid.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(max(1, valid.count - 1))
        let reach = 2 * variance.squareRoot()
        let kept = valid.filter { abs($0 - mode) <= reach }
        guard let level = self.mode(of: kept) else { return nil }
        return CLibraryMath.power((level - intercept) / coefficient)
    }

    /// Estimates by `SmoothedLinearModel` with its default constants: linear in the median.
    ///
    /// - Returns: Metres; nil with fewer than five readings, or where the line is negative.
    public static func smoothedLinear(
        _ readings: [Double], intercept: Double = -17.102080, coefficient: Double = -0.266793
    ) -> Double? {
        guard readings.count >= 5, let median = median(of: readings) else { return nil }
        let metres = intercept + coefficient * median
        return metres < 0 ? nil : metres
    }

    /// The constant estimate with the least error: the median of the given distances, in metres.
    public static let constantMetres = 1.4

    /// Estimates by one straight line for all phones, fitted to the median reading of all published measurements.
    public static func straightLine(_ readings: [Double]) -> Double? {
        median(of: readings).map { -0.441 - 0.02963 * $0 }
    }

    /// Returns the median; of two middle values the upper one.
    static func median(of readings: [Double]) -> Double? {
        let sorted = readings.sorted()
        guard !sorted.isEmpty else { return nil }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// Returns the most frequent value; of several the strongest.
    private static func mode(of readings: [Double]) -> Double? {
        var best: (value: Double, count: Int)?
        var current: (value: Double, count: Int)?
        for value in readings.sorted() {
            current = current?.value == value ? (value, (current?.count ?? 0) + 1) : (value, 1)
            if let candidate = current, candidate.count >= (best?.count ?? 0) { best = candidate }
        }
        return best?.value
    }
}
