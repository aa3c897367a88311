/// What happens with a mediator.
public enum MediatorEvent: Hashable, Sendable {
    /// It went on.
    case stage(connection: String, MediatorUse.Stage)
    /// Another process of the wallet has left it.
    case left
    /// Something did not work, with the code and the sentence of the reason; it is tried again after `retryIn`, nil for not.
    case problem(code: String, reason: String, retryIn: Duration?)
    /// The WebSocket to it was opened or has ended.
    case socket(isOpen: Bool)
    /// Everything that it had was fetched, but `remaining` messages that cannot be read.
    case caughtUp(remaining: Int)
    /// A message cannot be opened and is kept aside.
    case quarantined(code: String, reason: String)
}
