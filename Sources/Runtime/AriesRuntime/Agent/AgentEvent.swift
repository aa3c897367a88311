public import Aries
public import DIDComm

/// What an agent tells about.
public enum AgentEvent: Hashable, Sendable {
    /// A connection went on; an error when it was abandoned.
    case stage(connection: String, HandshakeStage, AriesError?)
    /// A message of an application came on a complete connection, and is stored.
    case message(connection: String, Message)
    /// A message was handed over to the other side.
    case sent(connection: String, messageID: String)
    /// A message could not be handed over so often that it now waits for the next start.
    case undelivered(connection: String, messageID: String)
    /// Something was passed over, with the code and the sentence of the reason.
    case passedOver(connection: String?, code: String, reason: String)
    /// The store failed; nothing more happens until the agent is started anew.
    case stopped(reason: String)
}
