extension VerifierSession {
    /// The name of a verifier session's phase without its values.
    ///
    /// For logs, and for counting the phases that a simulation has reached.
    public enum Stage: String, Hashable, Sendable, CaseIterable {
        /// The session waits for the input `start`.
        case idle
        /// Any device may connect; the first wallet that identifies itself gets the session.
        case advertising
        /// The session belongs to a wallet, which has not announced its payload's length yet.
        case awaitingSize = "awaiting-size"
        /// Chunks of the payload are being received.
        case receiving
        /// The payload was delivered; the verifier waits for the user's decision.
        case deciding
        /// The decision is being sent; the wallet has to disconnect.
        case concluding
        /// Every central has been asked to disconnect.
        case parting
        /// Every central is being disconnected.
        case closing
        /// The session has ended.
        case closed
    }

    /// True once the session has ended, after its output `finished`.
    public var isFinished: Bool {
        stage == .closed
    }

    /// True while the session waits for the user's decision.
    public var isDeciding: Bool { stage == .deciding }

    /// True while the session still holds its keys or parts of a sealed payload.
    package var holdsSecrets: Bool {
        switch stage {
        case .idle, .advertising, .awaitingSize, .receiving: true
        case .deciding, .concluding, .parting, .closing, .closed: false
        }
    }
}
