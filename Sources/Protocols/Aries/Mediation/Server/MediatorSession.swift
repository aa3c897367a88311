public import DIDComm
public import Determinism
import JSON

/// The mediator's side of one channel of one account: grants, keys, and the ways to fetch what waits.
///
/// It does one thing at a time: a command to the store is waited for before the next message is looked at. What is handed
/// out by pickup 2.0, live or asked for, stays in the queue until it is acknowledged; what goes out by pickup 1.0 or by
/// itself (implicit pickup) is forgotten when the channel has taken it, because these have no acknowledgement. In live mode
/// as much is under way as a window allows, so that a slow reader is waited for and loses nothing.
/// Sources: RFC 0211, RFC 0685, RFC 0212, RFC 0092.
public struct MediatorSession: Sendable {
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

    /// The most messages of the client that wait for their turn.
    public static let maximumWaiting = 16

    /// The most identifiers in one acknowledgement.
    public static let maximumIDs = 1000

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

    /// What the answer of the store is waited for.
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
        /// That mail may go out on this channel: live mode, or envelopes that go out without a request for each.
        case delivering(Live)
        case keeping([OutgoingMessage], Connection)
        case wake
        case ending
    }

    /// Live mode of pickup 2.0, or envelopes that go out by themselves on a line that stays open.
    enum Live: Hashable, Sendable {
        case acknowledged
        case implicit
    }

    let channel: IncomingChannel
    let limits: Limits
    let features: FeatureList
    let invitations: [IssuedInvitation]
    var random: any RandomSource
    var isGranted: Bool
    var pending: Pending?
    var waiting: [ReceivedMessage] = []
    /// The message under way, to which answers go.
    var current: Message?
    /// The identifiers of answers to a message that are the same each time that it comes; nil where answers differ.
    var answerIDs: AnswerIdentifiers?
    var hasAnswered = false
    var hasAskedForPickup = false
    var arrival = WallTime(millisecondsSinceEpoch: 0)

    var live: Live?
    var hasMail = false
    var lookAt: MonotonicInstant?
    /// Up to where the queue was handed out; nil before the client asked for anything.
    var known: UInt64?
    var outstanding: [String: Int] = [:]
    var outstandingBytes = 0
    /// What is forgotten when the message of this identifier was taken.
    var unconfirmed: [String: [String]] = [:]
    var toForget: [String] = []
    /// Those of `unconfirmed` that go to an address, and not on the channel.
    var unconfirmedElsewhere: Set<String> = []
    var isOver = false

    /// Makes a session.
    ///
    /// - Parameters:
    ///   - connection: the connection with the client.
    ///   - isGranted: whether the account is served.
    ///   - wakes: whether clients that are away are woken.
    ///   - invitations: those of the mediator, for which the client may use its connection again.
    public init(
        _ connection: Connection, on channel: IncomingChannel, isGranted: Bool, random: any RandomSource,
        limits: Limits = Limits(), wakes: Bool = false, invitations: [IssuedInvitation] = []
    ) {
        self.invitations = invitations
        features = wakes ? FeatureList(Self.features.features + [Self.wakeFeature]) : Self.features
        self.connection = connection
        self.channel = channel
        self.isGranted = isGranted
        self.random = random
        self.limits = limits
    }

    /// The connection with the client, with its newest document.
    public internal(set) var connection: Connection

    /// Whether nothing is being done: what came was answered, as far as it is answered.
    public var isIdle: Bool { pending == nil && waiting.isEmpty && toForget.isEmpty }

    /// Whether it fetches what is forgotten once the channel has taken it, or has not forgotten all of it yet.
    ///
    /// Another session of the account that fetches meanwhile may hand out the same again.
    public var isHandingOutForGood: Bool {
        if !toForget.isEmpty || unconfirmed.count > unconfirmedElsewhere.count { return true }
        switch pending {
        case .batch, .chosen, .carrier, .forgetting: return true
        case .push: return live == .implicit
        case .grant, .update, .list, .status, .live, .delivery, .acknowledgement, .oldStatus, .delivering, .keeping,
            .wake, .ending, nil:
            return false
        }
    }

    /// Whether something is forgotten when the channel has taken the message with this identifier.
    public func isForGood(_ id: String) -> Bool { unconfirmed[id] != nil }

    /// How many messages of the client wait for their turn; one beyond `maximumWaiting` is not taken.
    public var waitingCount: Int { waiting.count }

    /// Whether the client is told of mail as it comes.
    public var isLive: Bool { live != nil }

    /// How many live messages are not acknowledged.
    public var outstandingCount: Int { outstanding.count }

    /// When `timeReached` is to be given; nil for not at all.
    public var nextDeadline: MonotonicInstant? { live == nil ? nil : lookAt }

    /// Takes one event and appends what is to be done.
    public mutating func handle(_ input: Input, at now: MonotonicInstant, into outputs: inout [Output]) {
        switch input {
        case .received where isOver: return
        case .received(let received):
            guard waiting.count < Self.maximumWaiting else {
                return outputs.append(.ignored(AriesError(.unexpected, "Too many messages wait for their turn.")))
            }
            waiting.append(received)
        case .answered where isOver: pending = nil
        case .answered(let answer): answered(answer, into: &outputs)
        case .sent(let id): toForget += confirmed(id)
        case .sendFailed(let id): _ = confirmed(id)
        case .mailArrived: hasMail = true
        case .timeReached: if let lookAt, now >= lookAt { hasMail = true }
        case .channelEnded: (isOver, live, lookAt, waiting) = (true, nil, nil, [])
        }
        if live != nil, lookAt.map({ now >= $0 }) ?? true { lookAt = now + limits.lookInterval }
        proceed(into: &outputs)
    }

    /// As `handle(_:at:into:)`, returning the outputs.
    public mutating func handle(_ input: Input, at now: MonotonicInstant) -> [Output] {
        var outputs: [Output] = []
        handle(input, at: now, into: &outputs)
        return outputs
    }

    /// What waited for word of this message.
    private mutating func confirmed(_ id: String) -> [String] {
        unconfirmedElsewhere.remove(id)
        return unconfirmed.removeValue(forKey: id) ?? []
    }

    /// Begins the next thing, while the store is not waited for.
    private mutating func proceed(into outputs: inout [Output]) {
        while pending == nil {
            if !toForget.isEmpty {
                let ids = toForget
                toForget = []
                ask(.remove(ids), .forgetting, into: &outputs)
            } else if !waiting.isEmpty {
                take(waiting.removeFirst(), into: &outputs)
            } else if canPush {
                push(into: &outputs)
            } else {
                return
            }
        }
    }

    mutating func ask(_ command: MediatorCommand, _ pending: Pending, into outputs: inout [Output]) {
        self.pending = pending
        outputs.append(.command(command))
    }

    /// What is done once for the message under way; its answers are the same each time that it comes.
    mutating func askOnce(
        _ change: MediatorCommand.Change, _ pending: Pending, into outputs: inout [Output]
    ) {
        guard let request else { return }
        repeatAnswers()
        ask(.once(change, by: request), pending, into: &outputs)
    }

    /// By what the message under way is recognised when it comes again.
    var request: RequestIdentity? { current.map { RequestIdentity($0, arrival: arrival) } }

    /// From here on answers to the message under way have the identifiers that they have each time.
    mutating func repeatAnswers() {
        answerIDs = current.map { AnswerIdentifiers(to: $0.id, at: connection.ours.key) }
    }

    /// Hands a message of the client to the part that knows its kind.
    private mutating func take(_ received: ReceivedMessage, into outputs: inout [Output]) {
        do throws(AriesError) {
            try connection.check(received)
            (current, arrival, answerIDs) = (received.message, received.arrival, nil)
            let type = received.message.type.protocol
            if type.isCompatible(with: .mediation10) {
                try takeMediation(received.message, into: &outputs)
            } else if type.isCompatible(with: .pickup20) {
                try takePickup2(received.message, into: &outputs)
            } else if type.isCompatible(with: .pickup10) {
                try takePickup1(received.message, into: &outputs)
            } else if type.isCompatible(with: .pushWebhook10) {
                try takeWake(received.message, into: &outputs)
            } else if received.message.type.isSame(as: MessageType(.outOfBand11, "handshake-reuse")) {
                let answer = try ReuseResponder.answer(
                    received, on: connection, invitations: invitations, random: &random)
                send(answer, into: &outputs)
            } else if Self.families.contains(where: { $0.family == type.family }), type.namespace == .community {
                refuse("message-parse-failure", "This version is not spoken here.", into: &outputs)
            } else {
                takeOther(received, into: &outputs)
            }
        } catch {
            outputs.append(.ignored(error))
        }
    }

    /// Families of which other versions are answered by a report.
    private static let families: [MessageProtocol] = [.mediation10, .pickup10]

    // Answers.

    /// An answer to the message under way.
    mutating func reply(_ type: MessageType, _ body: JSONObject, into outputs: inout [Output]) {
        guard let current else { return }
        let message = Message(type, id: makeID(), thread: MessageThread(id: current.threadID), body: body)
        send(message, into: &outputs)
    }

    /// Tells that the message under way is not followed.
    mutating func refuse(_ code: String, _ explanation: String, into outputs: inout [Output]) {
        guard let current else { return }
        let report = ProblemReport(code: code, explanation: explanation, threadID: current.threadID)
        let type = MessageType(.reportProblem10, "problem-report")
        send(report.message(type, id: makeID()), into: &outputs)
    }

    private mutating func makeID() -> String {
        guard var identifiers = answerIDs else { return Message.makeID(from: &random) }
        defer { answerIDs = identifiers }
        return Message.makeID(from: &identifiers)
    }

    private mutating func send(_ message: Message, into outputs: inout [Output]) {
        do throws(AriesError) {
            send(try connection.outgoing(message), into: &outputs)
        } catch {
            outputs.append(.ignored(error))
        }
    }

    mutating func send(_ outgoing: OutgoingMessage, into outputs: inout [Output]) {
        guard let current else { return }
        let way = ReplyWay.deciding(
            for: current, on: channel, answered: hasAnswered, endpoint: outgoing.service.endpoint.transport)
        switch way {
        case .back: hasAnswered = true
        case .endpoint: if unconfirmed[outgoing.message.id] != nil { unconfirmedElsewhere.insert(outgoing.message.id) }
        case .nowhere:
            unconfirmed[outgoing.message.id] = nil
            let reason = "The client has no address, and does not wait for an answer."
            return outputs.append(.ignored(AriesError(.unreachable, reason)))
        }
        outputs.append(.send(outgoing, way))
    }
}

extension MessageProtocol {
    /// RFC 0094.
    public static let routing10 = MessageProtocol("routing", 1, 0)
}
