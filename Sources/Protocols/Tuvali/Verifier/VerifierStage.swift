extension VerifierSession {
    /// The name of a session's phase without the values that it holds; for logs, and for counting the phases that a
    /// simulation has reached.
    public enum Stage: String, Hashable, Sendable, CaseIterable {
        /// Before the input `start`.
        case idle
        /// Any device may connect; the first wallet that identifies itself gets the session.
        case advertising
        /// The session belongs to a wallet; the length is owed.
        case awaitingSize = "awaiting-size"
        /// Chunks are being received.
        case receiving
        /// The payload was delivered; a decision is owed by the user.
        case deciding
        /// The decision is on its way; the wallet owes the disconnection.
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

    /// True while the session still holds its keys, or parts of a payload that they sealed.
    package var holdsSecrets: Bool {
        switch stage {
        case .idle, .advertising, .awaitingSize, .receiving: true
        case .deciding, .concluding, .parting, .closing, .closed: false
        }
    }
}
