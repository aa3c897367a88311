/// An event that the agent reports about the mediator it uses.
public enum MediationClientEvent: Hashable, Sendable {
    /// The mediation reached another stage.
    case stage(connection: String, MediatorUse.Stage)
    /// Another process of the wallet has ended the use of the mediator.
    case left
    /// An operation failed, with the code and the sentence of the reason.
    ///
    /// It is tried again after `retryIn`; nil for never.
    case problem(code: String, reason: String, retryIn: Duration?)
    /// The WebSocket to the mediator was opened or has ended.
    case socket(isOpen: Bool)
    /// All messages were fetched except `remaining` that cannot be read.
    case caughtUp(remaining: Int)
    /// A message could not be decrypted and was quarantined.
    case quarantined(code: String, reason: String)
}
