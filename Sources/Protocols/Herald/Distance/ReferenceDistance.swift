/// The distance models of the reference libraries, and two answers that know nothing, for comparison.
///
/// Formulas and constants as in the published analysis code of the Herald project.
public enum ReferenceDistance {
    /// Readings that the reference models take, in dBm.
    public static let validReadings = -99.0 ... -10.0

    /// `FowlerBasic` with its documented constants: logarithmic, of the readings within two deviations of the mode.
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
        return Logarithms.power((level - intercept) / coefficient)
    }

    /// `SmoothedLinearModel` with its default constants: a straight line of the median.
    ///
    /// - Returns: Metres; nil with fewer than five readings, or where the line is negative.
    public static func smoothedLinear(
        _ readings: [Double], intercept: Double = -17.102080, coefficient: Double = -0.266793
    ) -> Double? {
        guard readings.count >= 5, let median = median(of: readings) else { return nil }
        let metres = intercept + coefficient * median
        return metres < 0 ? nil : metres
    }

    /// The median of the given distances: the constant answer with the least error.
    public static let constantMetres = 1.4

    /// One straight line for all phones, of the median reading, fitted on all published measurements.
    public static func straightLine(_ readings: [Double]) -> Double? {
        median(of: readings).map { -0.441 - 0.02963 * $0 }
    }

    /// The middle value; the upper one of two.
    static func median(of readings: [Double]) -> Double? {
        let sorted = readings.sorted()
        guard !sorted.isEmpty else { return nil }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// The most frequent value; of several the strongest.
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
