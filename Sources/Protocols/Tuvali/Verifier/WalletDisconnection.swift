/// The point of a session at which a device disconnected while the session goes on.
public enum WalletDisconnection: String, Hashable, Sendable, CaseIterable {
    /// No wallet had identified itself on the link; the verifier goes on advertising.
    case beforeIdentify = "before-identify"
    /// The payload had been delivered; the decision is pending, and does not reach the wallet.
    case beforeDecision = "before-decision"
}
