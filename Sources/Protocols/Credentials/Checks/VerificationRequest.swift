public import Determinism

/// The input of a verification beside the credential: policy, trust store, time and session.
public struct VerificationRequest: Sendable {
    /// The verifier's requirements for the credential.
    public var policy: VerificationPolicy
    /// The trust store: trusted issuers, with offline documents, contexts and status lists.
    public var trust: TrustStore
    /// The time for which the credential is judged.
    public var time: WallTime
    /// The session in which a mobile document was received; nil for a document without one.
    ///
    /// Without a session the device's proof cannot be checked.
    public var session: MobileDocumentSession?

    /// Makes a verification request from its parts.
    public init(policy: VerificationPolicy = VerificationPolicy(), trust: TrustStore, at time: WallTime) {
        self.policy = policy
        self.trust = trust
        self.time = time
    }

    /// The time of the request in seconds since 1970-01-01T00:00:00Z.
    public var seconds: Double { Double(time.millisecondsSinceEpoch) / 1000 }
}
