public import Air
import Determinism
public import Tuvali

/// The verdict on one plan.
public struct HandOverVerdict: Sendable {
    /// The plan of faults of the hand-over.
    public let plan: FaultPlan
    /// The broken rules; empty when none was broken.
    public internal(set) var violations: [HandOverViolation] = []
    /// The end of the first attempt at the wallet, in one word or a code.
    public internal(set) var wallet = ""
    /// The end of the first attempt at the verifier, in one word or a code.
    public internal(set) var verifier = ""
    /// The virtual time that all attempts took together.
    public internal(set) var elapsed: Duration = .zero
    /// Names of the wallet's stages that were visited.
    public internal(set) var walletStages: [String] = []
    /// Names of the verifier's stages that were visited.
    public internal(set) var verifierStages: [String] = []
    /// The codes that were reported.
    public internal(set) var codes: [TuvaliError.Code] = []
    /// The kinds of faults that struck.
    public internal(set) var struck: [FaultKind] = []
    /// The recorded trace, if one was recorded.
    public internal(set) var trace: SimulationTrace?

    init(plan: FaultPlan) { self.plan = plan }

    /// True when no rule was broken.
    public var isRight: Bool { violations.isEmpty }

    /// One line: the endings, the time, the broken rules.
    public var outcome: String {
        let time = "wallet=\(wallet) verifier=\(verifier) elapsed=\(elapsed.wholeNanoseconds / 1000)us"
        return ([time] + violations.map { "broken=\($0.rule.rawValue)" }).joined(separator: " ")
    }

    static func text(_ endings: [SessionEnding]) -> String {
        switch endings.first {
        case nil: "none"
        case .completed(let status): "\(status)"
        case .disconnected(let error), .failed(let error): error.code.rawValue
        case .cancelled: "cancelled"
        }
    }
}
