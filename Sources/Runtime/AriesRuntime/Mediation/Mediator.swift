public import Aries
public import DIDComm

/// What an agent does with the mediator that its store names.
public enum MediatorUse: String, Hashable, Sendable, CaseIterable {
    /// New connections are reached through it, and what it keeps for us is fetched.
    case full
    /// What it keeps for us is fetched; new connections are told our own address.
    case fetchOnly = "fetch-only"
    /// New connections are told its address as long as it knows free keys; nothing is sent to it.
    case offline
    /// Nothing is sent to it, and new connections are told our own address.
    case none
}

/// The mediator in use, as it is shown.
public struct MediatorSummary: Hashable, Sendable {
    /// How far we are with a mediator.
    public enum Stage: String, Hashable, Sendable, CaseIterable {
        /// The connection with it is being made.
        case connecting
        /// It is asked for the service.
        case asking
        /// It takes messages for us.
        case granted
        /// It does not want to.
        case denied
    }

    /// The connection with it.
    public let connection: String
    /// What it calls itself: untrusted text.
    public let label: String?
    /// How far we are.
    public let stage: Stage
    /// Where messages for us are sent; nil before it was granted.
    public let endpoint: ServiceEndpoint?
    /// The keys that messages for us are wrapped for, nearest to us first.
    public let routingKeys: [Verkey]
    /// Where it is reached by WebSocket; nil when it names no such address.
    public let socket: ServiceEndpoint?
    /// By which protocol messages are fetched.
    public let flavour: PickupClient.Flavour
    /// Whether a WebSocket to it is open now.
    public let isLive: Bool
    /// How many keys it knows that are free for new connections.
    public let freeKeys: Int
    /// How many keys of connections and invitations it is to know.
    public let usedKeys: Int
    /// How many messages are kept aside because they cannot be opened.
    public let quarantined: Int
    /// Why the connection with it was not made.
    public let failure: AriesError?
}

/// What happens with a mediator.
public enum MediatorEvent: Hashable, Sendable {
    /// It went on.
    case stage(connection: String, MediatorSummary.Stage)
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
