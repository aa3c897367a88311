import Air
import Determinism
public import Tuvali

/// Many seeds, one after the other.
public struct HandOverCampaign: Sendable {
    /// The stages, codes and kinds of faults that the hand-overs have reached.
    public private(set) var coverage = HandOverCoverage()
    /// The plans that broke a rule, the first ones.
    public private(set) var failures: [HandOverVerdict] = []
    /// The number of plans that broke a rule.
    public private(set) var failureCount = 0

    private var outcomes = SimulationTrace(capacity: 0)

    /// The most failures that are kept.
    public static let failureLimit = 100

    /// Makes a campaign that has seen nothing.
    public init() {}

    /// Changes with any outcome of any seed: 16 hexadecimal digits.
    public var digest: String { outcomes.digest }

    /// Runs the plan of one seed, counts it, and returns its verdict.
    ///
    /// - Throws: what the sessions throw when they cannot be made, which with random keys does not happen.
    @discardableResult
    public mutating func run(seed: UInt64) throws(TuvaliError) -> HandOverVerdict {
        var trial = HandOverTrial(FaultPlan(generatedFrom: seed))
        let verdict = try trial.run()
        add(verdict)
        return verdict
    }

    /// Counts the verdict of a plan.
    public mutating func add(_ verdict: HandOverVerdict) {
        coverage.add(verdict)
        outcomes.record(at: .zero, "seed", "\(verdict.plan) \(verdict.outcome)")
        guard !verdict.isRight else { return }
        failureCount += 1
        if failures.count < Self.failureLimit { failures.append(verdict) }
    }
}
