public import Aries
public import DIDComm

/// The settings of an agent.
public struct AgentConfiguration: Sendable {
    /// Our label in invitations and requests.
    public var label: String

    /// The address for messages to us; `queue` when we only fetch.
    public var endpoint = ServiceEndpoint.queue

    /// True when connections that we open request answers, although we have an address.
    ///
    /// Another process on the same store listens at the address.
    public var asksForAnswers = false

    /// The keys of our mediators, nearest to us first.
    public var routingKeys: [Verkey] = []

    /// The transports by which messages are sent: of a document's addresses the first that one of them reaches is used.
    ///
    /// A message to a side that has none is refused with `agent.delivery.transport`. Without WebSockets none is kept
    /// open to the mediator.
    public var outboundTransports = ServiceEndpoint.Transport.ofHTTP.union(ServiceEndpoint.Transport.ofWebSocket)

    /// Waits and resends of handshakes; an invitee waits for seven days at most, an inviter for an hour.
    public var policy = HandshakePolicy(giveUpAfter: HandshakePolicy.longestWait)

    /// The rule for comparing inviters.
    public var identity = InviterIdentity.Policy()

    /// The form of an invitee's DID; nil for the usual one of the protocol.
    public var form: DIDForm?

    /// The longest wait for an inviter to agree to connection reuse.
    public var reuseWait = ReuseRequester.usualWait

    /// The features that we disclose.
    public var features = FeatureList.usual

    /// The handlers of requests that the agent itself does not answer; the first one that fits counts.
    public var requestHandlers: [any RequestHandler] = []

    /// Known documents, beside those that DIDs hold themselves.
    public var resolver = StaticDIDResolver()

    /// Finds the documents of all other DIDs; nil for none, so that invitations with such DIDs are refused.
    public var didResolver: (any DIDResolver)?

    /// The longest wait for `didResolver` to find one document; `WebDIDResolver` has shorter deadlines of its own.
    public var resolverWait = Duration.seconds(30)

    /// The most jobs that may wait.
    public var maximumWaiting = 1024

    /// The most handshakes under way.
    public var maximumHandshakes = 1000

    /// The most connections on which messages are sent at a time.
    public var maximumDeliveries = 16

    /// The wait before each retry of a message; after the last one it waits for a restart.
    ///
    /// The first five end within half a minute, the time that a server's failover takes.
    public var retryAfter: [Duration] = [1, 2, 4, 8, 12, 30, 120, 600].map(Duration.seconds)

    /// The way in which the mediator of the store is used.
    public var mediatorUse = MediatorUse.Mode.full

    /// The protocol to fetch messages by, by polling alone; nil for the newest that the mediator supports, and for
    /// a WebSocket where it has one, on which it sends unasked.
    public var pickup: PickupClient.PickupProtocol?

    /// The number of keys that are registered at the mediator ahead of their use.
    public var spareKeys = 4

    /// The longest wait of a new connection or invitation for a confirmed key of the mediator.
    public var mediatorWait = Duration.seconds(30)

    /// The wait after each failure of the mediator in a row; the last one for all that follow.
    public var mediatorRetryAfter: [Duration] = [.seconds(1), .seconds(5), .seconds(30), .seconds(120), .seconds(600)]

    /// True when a WebSocket to the mediator is kept open, where it has one; otherwise the mediator is polled.
    ///
    /// Only one of two programs with one vault should: a cloud agent closes the older WebSocket.
    public var keepsSocket = true

    /// The polling interval of a mediator that cannot send unasked.
    public var pollEvery = Duration.seconds(15)

    /// The interval of polling, like `pollEvery`, while answers are expected.
    public var shortPollInterval = Duration.seconds(1)

    /// Makes a configuration with the usual values.
    public init(label: String) { self.label = label }

    /// The service of a document that messages are sent to; the first one where no transport reaches any.
    func service(of document: PeerDocument) throws(DIDCommError) -> PeerService {
        if let service = try? document.service(reachedBy: outboundTransports) { return service }
        return try document.service()
    }

    /// True when a transport that messages are sent by reaches a service.
    func reaches(_ service: PeerService) -> Bool { outboundTransports.contains(service.endpoint.transport) }

    /// The disclosed features: `features`, and those of the handlers.
    var disclosedFeatures: FeatureList {
        FeatureList(features.features + requestHandlers.flatMap(\.features))
    }
}
