public import Aries
public import DIDComm

/// The mediator in use, for display.
public struct MediationClientSummary: Hashable, Sendable {
    /// The identifier of the connection with the mediator.
    public let connection: String
    /// The mediator's label: untrusted text.
    public let label: String?
    /// The stage of mediation.
    public let stage: MediatorUse.Stage
    /// The address for messages to us; nil before the grant.
    public let endpoint: ServiceEndpoint?
    /// The routing keys, nearest to us first.
    public let routingKeys: [Verkey]
    /// The mediator's WebSocket address; nil when it names none.
    public let socket: ServiceEndpoint?
    /// The protocol by which messages are fetched.
    public let flavour: PickupClient.PickupProtocol
    /// True while a WebSocket to the mediator is open.
    public let isLive: Bool
    /// The number of confirmed keys that are free for new connections.
    public let freeKeys: Int
    /// The number of keys of connections and invitations that the mediator should know.
    public let usedKeys: Int
    /// The number of messages that are quarantined because they cannot be decrypted.
    public let quarantined: Int
    /// The reason why the connection with the mediator was not made; nil for none.
    public let failure: AriesError?
}
