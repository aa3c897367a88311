public import Aries
public import DIDComm

/// The mediator in use, as it is shown.
public struct MediatorSummary: Hashable, Sendable {
    /// The connection with it.
    public let connection: String
    /// What it calls itself: untrusted text.
    public let label: String?
    /// How far we are.
    public let stage: MediatorUse.Stage
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
