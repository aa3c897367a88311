/// Where an agent keeps what in its store; the names are part of the store's format and never change.
enum AgentCategories {
    /// Our keys, each by its base 58 form.
    static let keys = "aries.key"
    /// Connections, those that are being made among them.
    static let connections = "aries.connection"
    /// Invitations of ours.
    static let invitations = "aries.invitation"
    /// Messages that are to be sent.
    static let outbox = "aries.outbox"
    /// What was received of each connection, so that nothing is processed twice.
    static let received = "aries.received"
    /// Messages of applications that were received.
    static let messages = "aries.message"
}
