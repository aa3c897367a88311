import Air
import Determinism

/// Many seeds, one after the other.
package struct MobileCampaign: Sendable {
    /// The number of sessions.
    package private(set) var sessions = 0
    /// The number of plans.
    package private(set) var plans = 0
    /// The number of plans in which each session of ours completed.
    package private(set) var completed = 0
    /// The number of plans that broke a rule.
    package private(set) var failures = 0

    private var visits: [String: Int] = [:]
    private var outcomes = SimulationTrace(capacity: 0)

    /// Makes a campaign that has seen nothing.
    package init() {}

    /// Changes with any outcome of any seed: 16 hexadecimal digits.
    package var digest: String { outcomes.digest }

    /// The words of plans that no seed had.
    package var unvisited: [String] { MobileTrialPlan.allWords.filter { visits[$0] == nil } }

    /// Runs the plan of one seed, counts it, and returns its verdict; throws the errors of making sessions.
    @discardableResult
    package mutating func run(seed: UInt64) throws -> MobileTrialVerdict {
        var trial = MobileTrial(MobileTrialPlan(seed: seed))
        let verdict = try trial.run()
        plans += 1
        sessions += verdict.sessions
        if verdict.outcomes.allSatisfy({ $0.hasSuffix("=completed") }) { completed += 1 }
        if !verdict.broken.isEmpty { failures += 1 }
        for word in verdict.plan.words { visits[word, default: 0] += 1 }
        outcomes.record(at: .zero, "seed", "\(verdict.plan) \(verdict.outcomes) \(verdict.digest)")
        return verdict
    }
}
