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
    /// What came on each connection lately, so that nothing is processed twice.
    static let inboxes = "aries.inbox"
    /// Questions whether a connection is used again.
    static let reuses = "aries.reuse"
    /// Questions that wait for their answer, such as pings.
    static let questions = "aries.question"
    /// Requests that came with invitations.
    static let requests = "aries.request"
    /// The mediator that takes messages for us.
    static let mediators = "aries.mediator"
    /// Envelopes that a mediator handed over and that could not be dealt with: not yet, or not at all.
    static let arrivals = "aries.arrival"
    /// Messages for people and applications, received and sent.
    static let messages = "aries.message"
}
