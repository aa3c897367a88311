public import Aries

/// An event that an agent reports.
public enum AgentEvent: Hashable, Sendable {
    /// The stage of a connection changed, by the invitation with that `@id`; an error when it failed.
    case stage(connection: String, HandshakeStage, AriesError?, invitation: String)
    /// The request of a handshake cannot be handed over now; the connection waits for the next attempt.
    case undeliverable(connection: String, HandshakeDeliveryFailure)
    /// A message came on a complete connection; one for people or applications is stored.
    case received(connection: String, ConnectionMessageHandler.Event)
    /// Both sides agreed to reuse a connection for an invitation.
    case reused(connection: String, invitationID: String)
    /// An invitation came with a request, which is stored until it is answered or declined.
    case requested(AttachedRequest)
    /// A message went out: the server of its address took it, or it went on a connection that the other side had
    /// opened, where nothing confirms that it arrived.
    case sent(connection: String, messageID: String)
    /// The transport did not take a message: one that is sent once is lost, another waits for the next start.
    case undelivered(connection: String, messageID: String)
    /// An event of the mediator.
    case mediator(MediationClientEvent)
    /// A message was ignored, with the code and the sentence of the reason.
    case passedOver(connection: String?, code: String, reason: String)
    /// The store failed; the agent does nothing more until it is started again.
    case stopped(reason: String)
}
