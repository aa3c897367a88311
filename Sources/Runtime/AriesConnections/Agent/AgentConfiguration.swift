public import Aries
public import DIDComm

/// The settings of an agent that an application decides; waits and limits that no application changes are constants.
public struct AgentConfiguration: Sendable {
    /// Our label in invitations and requests.
    public var label: String

    /// The address for messages to us, of an application that listens; `queue` when we only fetch.
    public var endpoint = ServiceEndpoint.queue

    /// True when connections that we open request answers, although we have an address.
    ///
    /// Another process on the same store listens at the address.
    public var asksForAnswers = false

    /// The transports by which messages are sent: of a document's addresses the first that one of them reaches is used.
    ///
    /// A message to a side that has none is refused with `agent.delivery.transport`. Without WebSockets none is kept
    /// open to the mediator. An application whose network lets only one of them out names that one.
    public var outboundTransports = ServiceEndpoint.Transport.ofHTTP.union(ServiceEndpoint.Transport.ofWebSocket)

    /// The form of an invitee's DID, for inviters that read only one; nil for the usual one of the protocol.
    public var form: DIDForm?

    /// The handlers of an application's own requests, which the agent itself does not answer; the first one that fits
    /// counts.
    public var requestHandlers: [any RequestHandler] = []

    /// The documents that an application knows, beside those that DIDs hold themselves.
    public var resolver = StaticDIDResolver()

    /// Finds the documents of all other DIDs; nil for none, so that invitations with such DIDs are refused.
    public var didResolver: (any DIDResolver)?

    /// The use of the mediator of the store.
    public var mediator = MediatorUse.Configuration()

    /// The most jobs that may wait.
    package var maximumWaiting = 1024

    /// The most handshakes under way.
    package var maximumHandshakes = 1000

    /// The wait before each retry of a message; after the last one it waits for a restart.
    ///
    /// The first five end within half a minute, the time that a server's failover takes.
    package var retryAfter: [Duration] = [1, 2, 4, 8, 12, 30, 120, 600].map(Duration.seconds)

    /// The longest wait of a new connection or invitation for a confirmed key of the mediator.
    package var mediatorWait = Duration.seconds(30)

    /// Waits and resends of handshakes; an invitee waits for seven days at most, an inviter for an hour.
    package var policy = HandshakePolicy(giveUpAfter: HandshakePolicy.longestWait)

    /// The longest wait for `didResolver` to find one document; `WebDIDResolver` has shorter deadlines of its own.
    static let resolverWait = Duration.seconds(30)

    /// The most connections on which messages are sent at a time.
    static let maximumDeliveries = 16

    /// Makes a configuration with the usual values.
    public init(label: String) { self.label = label }

    /// The service of a document that messages are sent to; the first one where no transport reaches any.
    func service(of document: PeerDocument) throws(DIDCommError) -> PeerService {
        if let service = try? document.service(reachedBy: outboundTransports) { return service }
        return try document.service()
    }

    /// True when a transport that messages are sent by reaches a service.
    func reaches(_ service: PeerService) -> Bool { outboundTransports.contains(service.endpoint.transport) }

    /// The disclosed features: the usual ones, and those of the handlers.
    var disclosedFeatures: FeatureList {
        FeatureList(FeatureList.usual.features + requestHandlers.flatMap(\.features))
    }
}
