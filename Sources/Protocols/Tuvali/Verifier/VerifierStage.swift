extension VerifierSession {
    /// Where a session is, by name alone: for logs, for displays, and to count what a simulation has visited.
    public enum Stage: String, Hashable, Sendable, CaseIterable {
        /// Nothing has begun.
        case idle
        /// Anyone may connect; the first wallet that identifies itself gets the session.
        case advertising
        /// The session belongs to a wallet; the length is owed.
        case awaitingSize = "awaiting-size"
        /// Chunks come in.
        case receiving
        /// The payload was delivered; a decision is owed by the user.
        case deciding
        /// The decision is on its way; the wallet owes the disconnection.
        case concluding
        /// Whoever is connected has been asked to go.
        case parting
        /// Whoever is connected has been cut off.
        case closing
        /// The session has ended.
        case closed
    }

    /// Where the session is now.
    public var stage: Stage {
        switch phase {
        case .idle: .idle
        case .advertising: .advertising
        case .awaitingSize: .awaitingSize
        case .receiving: .receiving
        case .deciding: .deciding
        case .concluding: .concluding
        case .parting: .parting
        case .closing: .closing
        case .closed: .closed
        }
    }

    /// Whether keys of the session, or parts of a payload that they sealed, are still held.
    package var holdsSecrets: Bool { privateKey != nil || keys != nil || assembler != nil }
}
