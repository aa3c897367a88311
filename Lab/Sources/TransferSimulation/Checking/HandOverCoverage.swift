public import Tuvali

/// The stages, codes and kinds of faults that many hand-overs have reached: a generator that leaves one out is a defect
/// of its own.
public struct HandOverCoverage: Sendable {
    /// The number of plans that were counted.
    public private(set) var runs = 0
    /// The number of plans that visited each stage of the wallet.
    public private(set) var walletStages: [WalletSession.Stage: Int] = [:]
    /// The number of plans that visited each stage of the verifier.
    public private(set) var verifierStages: [VerifierSession.Stage: Int] = [:]
    /// The number of reports of each code.
    public private(set) var codes: [TuvaliError.Code: Int] = [:]
    /// The number of strikes of each kind of fault.
    public private(set) var kinds: [FaultKind: Int] = [:]
    /// The number of first attempts that completed at the wallet.
    public private(set) var completed = 0

    /// Makes an empty count.
    public init() {}

    /// Counts the stages, codes and faults of one plan.
    public mutating func add(_ verdict: HandOverVerdict) {
        runs += 1
        if verdict.wallet == "\(VerificationStatus.accepted)" || verdict.wallet == "\(VerificationStatus.rejected)" {
            completed += 1
        }
        for stage in WalletSession.Stage.allCases where verdict.walletStages.contains(stage.rawValue) {
            walletStages[stage, default: 0] += 1
        }
        for stage in VerifierSession.Stage.allCases where verdict.verifierStages.contains(stage.rawValue) {
            verifierStages[stage, default: 0] += 1
        }
        for code in TuvaliError.Code.allCases where verdict.codes.contains(code) { codes[code, default: 0] += 1 }
        for kind in FaultKind.allCases where verdict.struck.contains(kind) { kinds[kind, default: 0] += 1 }
    }

    /// The codes that the air and honest peers cannot bring about, each with the reason.
    public static let outOfReach: [(code: TuvaliError.Code, because: String)] = [
        (.uriNotTuvali, "a code is read before a session begins"), (.uriMalformed, "as before"),
        (.uriMissingName, "as before"), (.uriBadName, "as before"), (.uriMissingKey, "as before"),
        (.uriBadKey, "as before"), (.sessionMisused, "the simulated users do as they may"),
        (.sessionInternal, "no library fails here"), (.walletLowOrderKey, "a verifier of ours has no such key"),
        (.verifierLowOrderKey, "chance does not find one of the few such keys"),
        (.walletPayloadTooLarge, "payloads are small"), (.verifierTooManyReports, "a wallet of ours asks less often"),
        (.verifierNotGzip, "what is authentic was zipped by our wallet"),
        (.verifierPayloadTooLarge, "as before, and it is small"),
        (.walletRequestWithheld, "only faults that strike one read bring it about, and few plans have a request"),
        (.walletRequestUnanswered, "as before"), (.walletRequestTimeout, "as before"),
        (.walletRequestReadFailed, "as before"), (.walletRequestTooLarge, "requests are small"),
        (.walletRequestMalformed, "a verifier of ours hands it out whole"),
        (.walletRequestNotAuthentic, "as before"), (.verifierRequestUnread, "a wallet of ours reads it"),
        (.verifierTooManyReads, "a wallet of ours reads it once"),
    ]

    /// The names of those that should have been reached and were not, in the order of the declarations.
    public var unvisited: [String] {
        let exempt = Self.outOfReach.map(\.code)
        return WalletSession.Stage.allCases.filter { walletStages[$0] == nil }.map { "wallet stage \($0.rawValue)" }
            + VerifierSession.Stage.allCases.filter { verifierStages[$0] == nil }.map {
                "verifier stage \($0.rawValue)"
            }
            + TuvaliError.Code.allCases.filter { codes[$0] == nil && !exempt.contains($0) }.map {
                "code \($0.rawValue)"
            }
            + FaultKind.allCases.filter { kinds[$0] == nil }.map { "fault \($0.rawValue)" }
    }

    /// All stages, codes and kinds with their counts, in the order of the declarations.
    public var table: [(name: String, count: Int)] {
        WalletSession.Stage.allCases.map { ("wallet stage \($0.rawValue)", walletStages[$0] ?? 0) }
            + VerifierSession.Stage.allCases.map { ("verifier stage \($0.rawValue)", verifierStages[$0] ?? 0) }
            + TuvaliError.Code.allCases.map { ("code \($0.rawValue)", codes[$0] ?? 0) }
            + FaultKind.allCases.map { ("fault \($0.rawValue)", kinds[$0] ?? 0) }
    }
}
