public import Aries
public import DIDComm

/// How an agent presents itself, and what it allows.
public struct AgentConfiguration: Sendable {
    /// What we call ourselves in invitations and requests.
    public var label: String

    /// Where messages for us are sent; `queue` when we only ask.
    public var endpoint = ServiceEndpoint.queue

    /// Whether answers are asked for on the connections that we open, although we have an address: another process on
    /// the same store listens there.
    public var asksForAnswers = false

    /// The keys of our mediators, nearest to us first.
    public var routingKeys: [Verkey] = []

    /// Waits and resends of handshakes; an invitee waits for seven days at most, an inviter for an hour.
    public var policy = HandshakePolicy(giveUpAfter: HandshakePolicy.longestWait)

    /// What counts as the same inviter.
    public var identity = InviterIdentity.Policy()

    /// In which form invitees say who they are; nil for what fits the protocol best.
    public var form: DIDForm?

    /// How long to wait for an inviter to agree that a connection is used again.
    public var reuseWait = ReuseRequester.usualWait

    /// What may be told of what we can do.
    public var features = FeatureList.usual

    /// The documents that are known beside those that DIDs hold themselves.
    public var resolver = StaticDIDResolver()

    /// How much may wait to be done.
    public var maximumWaiting = 1024

    /// How many handshakes may be under way.
    public var maximumHandshakes = 1000

    /// To how many connections messages are sent at a time.
    public var maximumDeliveries = 16

    /// How long to wait before a message is sent again, once for each time; what then fails again waits for a restart.
    public var retryAfter: [Duration] = [.seconds(1), .seconds(5), .seconds(30), .seconds(120), .seconds(600)]

    /// What is done with the mediator that the store names.
    public var mediatorUse = MediatorUse.Mode.full

    /// By which protocol messages are fetched from the mediator, by asking alone; nil for the newest that it understands, and
    /// by WebSocket where it has one, so that it sends unasked.
    public var pickup: PickupClient.Flavour?

    /// How many keys are made known to the mediator ahead of their use.
    public var spareKeys = 4

    /// How long a new connection or invitation waits for a key that the mediator knows.
    public var mediatorWait = Duration.seconds(30)

    /// How long to wait before a mediator that failed is tried again, once for each failure in a row; the last for all that
    /// follow.
    public var mediatorRetryAfter: [Duration] = [.seconds(1), .seconds(5), .seconds(30), .seconds(120), .seconds(600)]

    /// Whether a WebSocket to the mediator is kept open, where it has one; otherwise it is asked now and then.
    ///
    /// Of two programs with one vault one alone should: a cloud agent lets the older line go.
    public var keepsSocket = true

    /// How often a mediator is asked for messages where it cannot send them unasked.
    public var pollEvery = Duration.seconds(15)

    /// As `pollEvery`, while answers are expected.
    public var hurriedPoll = Duration.seconds(1)

    /// Makes a configuration with what is usual.
    public init(label: String) { self.label = label }
}
