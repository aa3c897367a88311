/// Fits a `DistanceModel` on windows of known distance.
///
/// Weighted least squares of the strongest readings: every run counts alike however long it is, and has a lasting
/// offset of its own that is drawn towards zero, so that one pair of phones does not decide for all.
public struct DistanceFit: Sendable {
    /// The most runs that one fit takes.
    public static let maximumRuns = 1000
    /// The regularisation weights that pull a run's offset and the system raises (iOS or not) towards zero.
    private static let draw = (run: 0.15, system: 0.01)

    /// The windows of one measurement run.
    public struct DistanceMeasurementRun: Hashable, Sendable {
        /// The operating systems of receiver and sender; a run with unknown systems is ignored.
        public var pair: PhoneSystemPair
        /// The windows of the run; those with fewer than three readings are ignored.
        public var windows: [DistanceWindow]

        /// Makes a run for the fit from its parts.
        public init(pair: PhoneSystemPair, windows: [DistanceWindow]) {
            self.pair = pair
            self.windows = windows
        }
    }

    /// Fits a model to `runs`; nil when they do not determine the parameters.
    public static func fit(_ runs: [DistanceMeasurementRun]) -> DistanceModel? {
        let usable = runs.prefix(maximumRuns).compactMap { run -> (DistanceMeasurementRun, [DistanceWindow])? in
            let windows = run.windows.filter { $0.readings >= DistanceEstimator.fullReadings }
            return run.pair.own == nil || run.pair.peer == nil || windows.isEmpty ? nil : (run, windows)
        }
        var equations = NormalEquations(unknowns: 4 + usable.count)
        for (index, (run, windows)) in usable.enumerated() {
            for window in windows {
                let decade = CLibraryMath.decimal(window.metres + DistanceModel.nearness)
                equations.add(
                    [
                        (0, 1), (1, decade), (2, run.pair.own == .iOS ? 1 : 0), (3, run.pair.peer == .iOS ? 1 : 0),
                        (4 + index, 1),
                    ], equals: window.strongest, weight: 1 / Double(windows.count))
            }
            equations.draw(4 + index, by: draw.run)
        }
        for unknown in 2...3 { equations.draw(unknown, by: draw.system) }
        guard let solution = equations.solved() else { return nil }
        return DistanceModel(level: solution[0], slope: solution[1], ownIOS: solution[2], peerIOS: solution[3])
    }
}

/// The normal equations of a least-squares fit.
private struct NormalEquations {
    private var matrix: [[Double]]
    private var right: [Double]

    init(unknowns: Int) {
        matrix = [[Double]](repeating: [Double](repeating: 0, count: unknowns), count: unknowns)
        right = [Double](repeating: 0, count: unknowns)
    }

    mutating func add(_ terms: [(unknown: Int, factor: Double)], equals value: Double, weight: Double) {
        for (row, one) in terms {
            for (column, other) in terms { matrix[row][column] += weight * one * other }
            right[row] += weight * one * value
        }
    }

    /// Adds a regularisation weight that pulls an unknown towards zero.
    mutating func draw(_ unknown: Int, by weight: Double) { matrix[unknown][unknown] += weight }

    /// Solves the equations by Gaussian elimination with partial pivoting; nil when they are singular.
    func solved() -> [Double]? {
        var rows = matrix.indices.map { matrix[$0] + [right[$0]] }
        let count = rows.count
        for column in 0..<count {
            guard let pivot = (column..<count).max(by: { abs(rows[$0][column]) < abs(rows[$1][column]) }),
                abs(rows[pivot][column]) > 1e-9
            else { return nil }
            rows.swapAt(column, pivot)
            for row in 0..<count where row != column {
                let factor = rows[row][column] / rows[column][column]
                guard factor != 0 else { continue }
                for index in column...count { rows[row][index] -= factor * rows[column][index] }
            }
        }
        return (0..<count).map { rows[$0][count] / rows[$0][$0] }
    }
}
