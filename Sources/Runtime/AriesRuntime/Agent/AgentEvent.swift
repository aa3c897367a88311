public import Aries

/// What an agent tells about.
public enum AgentEvent: Hashable, Sendable {
    /// A connection went on, by the invitation with that `@id`; an error when it was abandoned.
    case stage(connection: String, HandshakeStage, AriesError?, invitation: String)
    /// The request of a handshake cannot be handed over now; the connection waits until it is tried again.
    case undeliverable(connection: String, DeliveryFailure)
    /// Something came on a complete connection; what is for people or applications is stored.
    case received(connection: String, ConnectionInbox.Event)
    /// Both sides agreed to use a connection again for an invitation.
    case reused(connection: String, invitationID: String)
    /// An invitation came with a request, which is stored until it is answered or declined.
    case requested(AttachedRequest)
    /// A message was handed over to the other side.
    case sent(connection: String, messageID: String)
    /// A message could not be handed over: one that is sent once is gone, another waits for the next start.
    case undelivered(connection: String, messageID: String)
    /// Something about the mediator that takes messages for us.
    case mediator(MediatorEvent)
    /// Something was passed over, with the code and the sentence of the reason.
    case passedOver(connection: String?, code: String, reason: String)
    /// The store failed; nothing more happens until the agent is started anew.
    case stopped(reason: String)
}
