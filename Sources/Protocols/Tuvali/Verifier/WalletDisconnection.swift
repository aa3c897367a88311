/// The point of a session at which a device disconnected while the session goes on.
public enum WalletDisconnection: String, Hashable, Sendable, CaseIterable {
    /// No wallet had identified itself on the link; the verifier goes on advertising.
    case beforeIdentify = "before-identify"
    /// The payload had been delivered; the decision is still owed, and the wallet does not learn it.
    case beforeDecision = "before-decision"
}
