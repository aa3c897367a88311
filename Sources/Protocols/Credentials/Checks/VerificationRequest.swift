public import Determinism

/// The input of a verifier beside the credential's bytes: its demands, its trust and the time.
public struct VerificationRequest: Sendable {
    /// The demands on the credential.
    public var policy: VerificationPolicy
    /// The trusted issuers, with documents, contexts and status lists at hand.
    public var trust: TrustStore
    /// The time at which the credential is judged.
    public var time: WallTime
    /// The session in which a mobile document came; nil for a document without one, whose device's proof cannot be
    /// checked.
    public var session: MobileDocumentSession?

    /// Makes the input of a verifier.
    public init(policy: VerificationPolicy = VerificationPolicy(), trust: TrustStore, at time: WallTime) {
        self.policy = policy
        self.trust = trust
        self.time = time
    }

    /// The time in seconds since 1970-01-01T00:00:00Z.
    public var seconds: Double { Double(time.millisecondsSinceEpoch) / 1000 }
}
