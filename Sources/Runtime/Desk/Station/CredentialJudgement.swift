public import Credentials

/// The verdict on a credential that arrived, as far as the station must know it.
public struct CredentialJudgement: Hashable, Sendable {
    /// The result of verifying: genuine, refused or not checked.
    public let result: CredentialReport.CredentialVerdict
    /// The decision of the desk's policy.
    public let rule: DecisionPolicy.PolicyDecision

    /// Makes a judgement.
    public init(_ result: CredentialReport.CredentialVerdict, rule: DecisionPolicy.PolicyDecision = .ask) {
        self.result = result
        self.rule = rule
    }
}

/// The number of hand-overs of a station, and of each ending; the only record of them without the day's list.
public struct StationCounts: Hashable, Sendable {
    /// Credentials that arrived whole.
    public internal(set) var arrived = 0
    /// Credentials that are genuine.
    public internal(set) var genuine = 0
    /// Credentials that are refused, because a check failed.
    public internal(set) var refused = 0
    /// Credentials of which a check could not be done.
    public internal(set) var notChecked = 0
    /// Credentials that were accepted.
    public internal(set) var accepted = 0
    /// Credentials that were rejected.
    public internal(set) var rejected = 0
    /// Hand-overs that ended without a decision.
    public internal(set) var failed = 0

    mutating func count(_ result: CredentialReport.CredentialVerdict) {
        arrived += 1
        switch result {
        case .genuine: genuine += 1
        case .refused: refused += 1
        case .notChecked: notChecked += 1
        }
    }
}
