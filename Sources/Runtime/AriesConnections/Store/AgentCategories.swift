/// The categories of an agent's records; the names are part of the store's format and never change.
enum AgentCategories {
    /// Our keys, each by its base 58 form.
    static let keys = "aries.key"
    /// Connections, complete or under way.
    static let connections = "aries.connection"
    /// Invitations that we issued.
    static let invitations = "aries.invitation"
    /// Messages of the stored outbox.
    static let outbox = "aries.outbox"
    /// Identifiers of recent messages of each connection, so that none is processed twice.
    static let inboxes = "aries.inbox"
    /// Questions about connection reuse.
    static let reuses = "aries.reuse"
    /// Questions that wait for their answer, such as pings.
    static let questions = "aries.question"
    /// Requests that came with invitations.
    static let requests = "aries.request"
    /// The mediator that takes messages for us.
    static let mediators = "aries.mediator"
    /// Envelopes from a mediator that could not be processed: to be retried, or quarantined.
    static let arrivals = "aries.arrival"
    /// Answers of the mediator to requests of another process on the store.
    static let mediatorAnswers = "aries.mediator-answer"
    /// Messages for people and applications, received and sent.
    static let messages = "aries.message"
}
