public import DIDComm

/// What happens to a `MediatorSession`, what it wants done, and how much it does at once.
extension MediatorSession {
    /// What happens to it.
    public enum Input: Hashable, Sendable {
        /// A message came on the channel to our key of the account.
        case received(ReceivedMessage)
        /// The store answers the oldest command.
        case answered(MediatorAnswer)
        /// The channel, or the carrier, took the message or the envelope with this identifier.
        case sent(id: String)
        /// The message or the envelope with this identifier could not be handed over.
        case sendFailed(id: String)
        /// Something may have come into the queue.
        case mailArrived
        /// `nextDeadline` has come.
        case timeReached
        /// The channel is over: nothing more is handed out or answered, and what it has taken is still forgotten.
        case channelEnded
    }

    /// What it wants done, in this order.
    public enum Output: Hashable, Sendable {
        /// Ask the store of the account, then say `answered`.
        case command(MediatorCommand)
        /// Send this that way, which is never `nowhere`; then say `sent` or `sendFailed` with its `@id`.
        case send(OutgoingMessage, ReplyWay)
        /// Send this envelope as it is on the channel; then say `sent` or `sendFailed` with its identifier.
        case handOver(QueuedMessage)
        /// Say `mailArrived` from now on, or not any more.
        case watch(Bool)
        /// The account is no more.
        case ended
        /// A message was passed over, and why.
        case ignored(AriesError)
    }

    /// How much is done at once.
    public struct Limits: Hashable, Sendable {
        /// The most messages in one delivery.
        public var deliveryCount = 50
        /// The bytes of envelopes in one delivery, unless a single one is larger.
        public var deliveryBytes = 512 << 10
        /// The most live messages that may be unacknowledged.
        public var windowCount = 100
        /// The bytes of live messages that may be unacknowledged.
        public var windowBytes = 4 << 20
        /// How often a queue is looked into when nothing says that mail has come.
        public var lookInterval = Duration.seconds(30)

        /// The usual limits.
        public init() {}
    }

    /// What the mediator says that it can do.
    public static let features = FeatureList([
        .init(.mediation10, roles: ["mediator"]), .init(.pickup10, roles: ["mediator"]),
        .init(.pickup20, roles: ["mediator"]), .init(.routing10, roles: ["mediator"]),
        .init(.trustPing10, roles: ["sender", "receiver"]),
        .init(.discoverFeatures10, roles: ["requester", "responder"]),
        .init(.discoverFeatures20, roles: ["requester", "responder"]),
    ])

    /// What it says besides when clients are woken.
    static let wakeFeature = FeatureList.Feature(.pushWebhook10, roles: ["notification-sender"])

    /// The purpose of the command whose answer is waited for.
    enum Pending: Hashable, Sendable {
        case grant(Verkey?)
        case update([RequestedChange])
        case list(offset: Int)
        case status(Verkey?)
        case live
        case delivery(Verkey?)
        case acknowledgement([String])
        case oldStatus
        case batch
        case chosen
        /// An envelope to ride back on what brought the message.
        case carrier
        case push
        case forgetting
        /// To learn whether messages may go out on this channel without a request for each.
        case delivering(LiveDelivery.Mode)
        case keeping([OutgoingMessage], Connection)
        case wake
        case ending

        /// Whether the command fetches messages that are forgotten when the channel has taken them, or forgets them.
        ///
        /// - Parameter isImplicit: whether envelopes go out without a request for each.
        func handsOverOnce(isImplicit: Bool) -> Bool {
            switch self {
            case .batch, .chosen, .carrier, .forgetting: true
            case .push: isImplicit
            case .grant, .update, .list, .status, .live, .delivery, .acknowledgement, .oldStatus, .delivering, .keeping,
                .wake, .ending:
                false
            }
        }
    }
}

extension MessageProtocol {
    /// RFC 0094.
    public static let routing10 = MessageProtocol("routing", 1, 0)
}
