public import DIDComm

/// The inputs, outputs and limits of `MediatorSession`.
extension MediatorSession {
    /// The most client messages in the queue of a session.
    public static let maximumWaiting = 16

    /// The most identifiers in one acknowledgement.
    public static let maximumIDs = 1000

    /// An input of the mediator session: a fact, a command of the caller, or the passing of time.
    public enum Input: Hashable, Sendable {
        /// A message arrived on the channel for the account's mediator key.
        case received(ReceivedMessage)
        /// The store answers the oldest pending command.
        case answered(MediatorStoreAnswer)
        /// The channel or transport sent the message or envelope with this identifier.
        case sent(id: String)
        /// The message or the envelope with this identifier could not be sent.
        case sendFailed(id: String)
        /// A message may have come into the queue.
        case mailArrived
        /// The queue was reset to an earlier state.
        case queueWentBack
        /// The time given by `nextDeadline` is reached.
        case timeReached
        /// The stored connection, for a session that had released it.
        case resumed(Connection)
        /// The channel ended: nothing more is delivered or answered.
        ///
        /// Messages that it has taken are still deleted.
        case channelEnded
    }

    /// An output of the mediator session: an action or an event.
    ///
    /// The caller handles outputs in their order.
    public enum Output: Hashable, Sendable {
        /// Give this command to the store of the account, then give `answered`.
        case command(MediatorStoreCommand)
        /// Send this message by this route, never `nowhere`; then give `sent` or `sendFailed` with its `@id`.
        case send(OutgoingMessage, ReplyRoute)
        /// Send this envelope unchanged on the channel; then give `sent` or `sendFailed` with its identifier.
        case handOver(QueuedMessage)
        /// Start giving `mailArrived` (true), or stop it (false).
        case watch(Bool)
        /// The account is deleted.
        case ended
        /// A message was ignored, for this reason.
        case ignored(AriesError)
    }

    /// The limits of one delivery and of the window of live delivery.
    public struct Limits: Hashable, Sendable {
        /// The most messages in one delivery.
        package var deliveryCount = 50
        /// The bytes of envelopes in one delivery, unless a single one is larger.
        package static let deliveryBytes = 512 << 10
        /// The most live messages without acknowledgement.
        package var windowCount = 100
        /// The most bytes of live messages without acknowledgement.
        package var windowBytes = 4 << 20
        /// The interval at which a queue is checked without an event about new messages.
        package static let lookInterval = Duration.seconds(30)
        /// The idle time on a persistent channel after which the session releases the connection's documents.
        package var restInterval = Duration.seconds(1)

        /// Makes mediator session limits with the default values.
        public init() {}
    }

    /// The protocols and roles that the mediator discloses as its features.
    public static let features = FeatureList([
        .init(.mediation10, roles: ["mediator"]), .init(.pickup10, roles: ["mediator"]),
        .init(.pickup20, roles: ["mediator"]), .init(.routing10, roles: ["mediator"]),
        .init(.shortenURL10, roles: ["url-shortener"]),
        .init(.trustPing10, roles: ["sender", "receiver"]),
        .init(.discoverFeatures10, roles: ["requester", "responder"]),
        .init(.discoverFeatures20, roles: ["requester", "responder"]),
    ])

    /// The feature that is added when clients can set a webhook.
    static let wakeFeature = FeatureList.Feature(.pushWebhook10, roles: ["notification-sender"])

    /// The reason for the pending command, which decides the handling of its answer.
    enum PendingCommand: Hashable, Sendable {
        case grant(Verkey?)
        case update([RequestedKeylistUpdate])
        case list(offset: Int)
        case status(Verkey?)
        case live
        case delivery(Verkey?)
        case acknowledgement([String])
        case oldStatus
        case batch
        case chosen
        /// Fetch an envelope to return with the client's own request (implicit pickup).
        case carrier
        case push
        case forgetting
        /// Ask the store to allow unrequested delivery on this channel.
        case delivering(LiveDelivery.Mode)
        indirect case keeping([OutgoingMessage], Connection)
        case wake
        case shortLink
        case ending

        /// True when the client waits for an answer to its message.
        ///
        /// Messages that were fetched unasked are fetched again at the next deadline.
        var isAnswered: Bool {
            switch self {
            case .push, .forgetting, .carrier: false
            case .grant, .update, .list, .status, .live, .delivery, .acknowledgement, .oldStatus, .batch, .chosen,
                .delivering, .keeping, .wake, .shortLink, .ending:
                true
            }
        }

        /// Returns true when the command fetches or deletes messages that are delivered at most once.
        ///
        /// - Parameter isImplicit: true when envelopes go out without a request for each.
        func handsOverOnce(isImplicit: Bool) -> Bool {
            switch self {
            case .batch, .chosen, .carrier, .forgetting: true
            case .push: isImplicit
            case .grant, .update, .list, .status, .live, .delivery, .acknowledgement, .oldStatus, .delivering, .keeping,
                .wake, .shortLink, .ending:
                false
            }
        }
    }
}

extension MessageProtocol {
    /// The protocol routing 1.0 of RFC 0094.
    public static let routing10 = MessageProtocol("routing", 1, 0)
}
