/// The accuracy of a distance model over the windows of a trial.
public struct DistanceScore: Hashable, Sendable {
    /// The number of windows with at least three readings.
    public var windows: Int
    /// The share of the windows that have an estimate, 0 to 1.
    public var answered: Double
    /// The mean absolute error of the estimates, in metres; nil without an estimate.
    public var meanAbsoluteError: Double?
    /// The error that 95 % of the estimates do not exceed, in metres; nil without an estimate.
    public var percentile95: Double?
    /// The share of estimates whose interval contains the true distance, 0 to 1; nil for a model without intervals.
    public var covered80: Double?

    /// Scores the estimates of the package's own model.
    public init(estimatesOf answers: [DistancePrediction]) {
        self.init(answers) { $0.estimate?.metres }
        let estimates = answers.compactMap { answer in answer.estimate.map { (answer.window.metres, $0.interval) } }
        guard !estimates.isEmpty else { return }
        // The interval is known to half a cell of the belief's grid at either end.
        let slack = DistanceBelief.cellWidth / 2
        let covered = estimates.count { metres, interval in
            metres >= interval.lowerBound - slack && metres <= interval.upperBound + slack
        }
        covered80 = Double(covered) / Double(estimates.count)
    }

    /// Scores the distances that the closure `answer` returns for each window.
    public init(_ answers: [DistancePrediction], of answer: (DistancePrediction) -> Double?) {
        let errors = answers.compactMap { window in answer(window).map { abs($0 - window.window.metres) } }.sorted()
        windows = answers.count
        answered = answers.isEmpty ? 0 : Double(errors.count) / Double(answers.count)
        meanAbsoluteError = errors.isEmpty ? nil : errors.reduce(0, +) / Double(errors.count)
        percentile95 = errors.isEmpty ? nil : errors[min(errors.count - 1, errors.count * 95 / 100)]
    }
}
