import DIDComm
public import Determinism

/// The mediator's state machine for one channel of one account: grants, keys, and the delivery of messages.
///
/// It processes one message at a time: the next one waits for the answer of the store. What is delivered by pickup 2.0,
/// live or on request, stays in the queue until it is acknowledged; what is delivered by pickup 1.0 or unasked
/// (implicit pickup) is deleted when the channel has taken it, because these have no acknowledgement.
/// Sources: RFC 0211, RFC 0685, RFC 0212, RFC 0092.
public struct MediatorSession: StateMachine, Sendable {
    /// The services that the mediator offers to the client.
    private struct OfferedServices: Sendable {
        let features: FeatureList
        let invitations: [IssuedInvitation]
    }

    /// The messages of the client that wait for their turn.
    private struct WaitingClientMessages: Sendable {
        var waiting: [ReceivedMessage] = []
        private(set) var isOver = false

        mutating func end() {
            isOver = true
            waiting = []
        }
    }

    /// The events on the channel so far that later answers depend on.
    private struct ChannelProgress: Sendable {
        var hasAnswered = false
        var hasAskedForPickup = false
    }

    private let channel: IncomingChannel
    private let limits: Limits
    private let offer: OfferedServices
    private var random: any RandomSource
    private var isGranted: Bool
    private var pending: PendingCommand?
    private var inbox = WaitingClientMessages()
    /// The client's message that is being answered; nil before the first.
    private var current: MediatorRequestInProgress?
    private var progress = ChannelProgress()
    private var live: LiveDelivery
    private var handOvers = UnacknowledgedDeliveries()
    private var hold: ReleasableConnection

    /// Makes a session for one channel of an account.
    ///
    /// - Parameters:
    ///   - connection: the connection with the client.
    ///   - isGranted: true when the account is served.
    ///   - wakes: true when clients can set a webhook.
    ///   - invitations: those of the mediator, for which the client may use its connection again.
    public init(
        _ connection: Connection, on channel: IncomingChannel, isGranted: Bool, random: any RandomSource,
        limits: Limits = Limits(), wakes: Bool = false, invitations: [IssuedInvitation] = []
    ) {
        offer = OfferedServices(
            features: wakes ? FeatureList(Self.features.features + [Self.wakeFeature]) : Self.features,
            invitations: invitations)
        hold = ReleasableConnection(connection)
        self.channel = channel
        self.isGranted = isGranted
        self.random = random
        self.limits = limits
        live = LiveDelivery(limits: limits)
    }

    /// The connection with the client, with its newest document; nil while the session rests.
    public var connection: Connection? { hold.connection }

    /// True while the session has released the connection.
    ///
    /// The caller then gives `resumed` before `received`, and before `answered` with messages.
    public var isResting: Bool { hold.isReleased }

    /// True when no command is pending and every message was answered.
    public var isIdle: Bool { pending == nil && inbox.waiting.isEmpty && !handOvers.hasToForget }

    /// True while messages that are delivered at most once are being fetched, sent or deleted.
    ///
    /// Another session of the account that fetches meanwhile could deliver the same messages again.
    public var isDeliveringAtMostOnce: Bool {
        handOvers.isUnderWay || pending?.handsOverOnce(isImplicit: live.mode == .implicit) ?? false
    }

    /// Returns true when messages are deleted as soon as the channel has sent the message or envelope `id`.
    public func isDeliveredAtMostOnce(_ id: String) -> Bool { handOvers.contains(id) }

    /// The number of client messages in the queue; one beyond `maximumWaiting` is refused.
    public var waitingCount: Int { inbox.waiting.count }

    /// True while messages are delivered without requests.
    public var isLive: Bool { live.mode != nil }

    /// The number of live messages that the client has not acknowledged.
    public var outstandingCount: Int { live.outstandingCount }

    /// The time at which the caller gives the input `timeReached`; nil while no deadline is pending.
    public var nextDeadline: MonotonicInstant? { [live.nextDeadline, hold.releaseTime].compactMap(\.self).min() }

    /// Handles one input and appends the outputs that it causes.
    public mutating func handle(_ input: Input, at now: MonotonicInstant, into outputs: inout [Output]) {
        switch input {
        case .received where inbox.isOver: return
        case .received(let received):
            guard inbox.waiting.count < Self.maximumWaiting else {
                return outputs.append(.ignored(AriesError(.unexpected, "Too many messages wait for their turn.")))
            }
            inbox.waiting.append(received)
        case .answered where inbox.isOver: pending = nil
        case .answered(let answer): answered(answer, into: &outputs)
        case .sent(let id): handOvers.sent(id)
        case .sendFailed(let id):
            handOvers.failed(id)
            live.sendFailed(id)
        case .mailArrived: live.mailArrived()
        case .queueWentBack: live.queueWentBack()
        case .timeReached: live.timeReached(at: now)
        case .resumed(let connection): hold.hold(connection)
        case .channelEnded:
            inbox.end()
            live.end()
        }
        live.plan(at: now)
        proceed(into: &outputs)
        if pending == nil { current = nil }
        let mayRest = channel == .persistent && !inbox.isOver && isIdle
        hold.plan(isIdle: mayRest, isTime: input == .timeReached, interval: limits.restInterval, at: now)
    }

    /// Handles the next message in the queue, unless an answer of the store is pending.
    private mutating func proceed(into outputs: inout [Output]) {
        while pending == nil {
            if handOvers.hasToForget {
                ask(.remove(handOvers.takeToForget()), .forgetting, into: &outputs)
            } else if !inbox.waiting.isEmpty {
                take(inbox.waiting.removeFirst(), into: &outputs)
            } else if let fetch = live.next(isConfirmed: handOvers.isConfirmed) {
                self.fetch(.after(fetch.after, except: live.withheld), fetch.limit, .push, into: &outputs)
            } else {
                return
            }
        }
    }

    // The store.

    private mutating func ask(_ command: MediatorStoreCommand, _ pending: PendingCommand, into outputs: inout [Output])
    {
        self.pending = pending
        outputs.append(.command(command))
    }

    /// Commands the store to make a change once, with the same answer for a repeated message.
    private mutating func askOnce(
        _ change: MediatorStoreCommand.MediatorStoreChange, _ pending: PendingCommand, into outputs: inout [Output]
    ) {
        if let connection { current?.repeatAnswers(at: connection.ours.key) }
        ask(.once(change, by: underWay.request), pending, into: &outputs)
    }

    private mutating func fetch(
        _ selection: MediatorStoreCommand.MessageSelection, _ limit: Int, _ pending: PendingCommand,
        claim: ClientRequestIdentity? = nil,
        into outputs: inout [Output]
    ) {
        ask(
            .fetch(selection, limit: limit, maximumBytes: Limits.deliveryBytes, claim: claim), pending, into: &outputs)
    }

    private mutating func answered(_ answer: MediatorStoreAnswer, into outputs: inout [Output]) {
        guard let pending else { preconditionFailure("the store answers a command") }
        self.pending = nil
        switch answer {
        case .replayed: return replayed(pending, into: &outputs)
        case .outdated:
            return refuse(
                "message-outdated", "The message was sent before others that are forgotten here; send a new one.",
                into: &outputs)
        case .failed: return failed(pending, into: &outputs)
        case .granted, .denied, .changed, .keys, .status, .messages, .waking, .shortLink, .done: break
        }
        switch (pending, answer) {
        case (.grant(let key), .granted(let grant)):
            if key == nil { isGranted = true }
            reply(.granted(grant, for: key), into: &outputs)
        case (.grant, _): reply(.denied, into: &outputs)
        case (.update(let requested), .changed(let results)): reply(.changed(requested, results), into: &outputs)
        case (.list(let offset), .keys(let page)): reply(.listed(page, offset: offset), into: &outputs)
        case (.status(let key), .status(let status)): sendStatus(status, of: key, into: &outputs)
        case (.live, .status(let status)): beginLive(status, into: &outputs)
        case (.acknowledgement(let ids), .status(let status)):
            live.settled(ids)
            sendStatus(status, of: nil, into: &outputs)
        case (.oldStatus, .status(let status)): reply(.oldStatus(status, at: underWay.arrival), into: &outputs)
        case (.keeping(let answers, let connection), .done):
            hold.hold(connection)
            for answer in answers { send(answer, into: &outputs) }
        case (.delivering(let mode), .done): deliver(mode, into: &outputs)
        case (.wake, .waking(let state)): reply(.waking(state), into: &outputs)
        case (.wake, .denied):
            refuse("webhook-not-allowed", "Nothing is posted to this address from here.", into: &outputs)
        case (.shortLink, .shortLink(let link)): reply(.shortLink(link), into: &outputs)
        case (.shortLink, .done): reply(.acknowledged, into: &outputs)
        case (.shortLink, .denied):
            refuse("short_url_invalid", "No short link of this account has this address.", into: &outputs)
        case (.ending, .done):
            setLive(nil, into: &outputs)
            outputs.append(.ended)
        case (.forgetting, _): break
        case (.delivery(let key), .messages(let messages)): deliver(messages, key: key, into: &outputs)
        case (.batch, .messages(let messages)): handOut(messages, as: "batch", into: &outputs)
        case (.chosen, .messages(let messages)): handOut(messages, as: "list-response", into: &outputs)
        case (.carrier, .messages(let messages)):
            if let message = messages.first { handOver(message, into: &outputs) }
        case (.push, .messages(let messages)): pushed(messages, into: &outputs)
        // The answer is not one to this command.
        case (.update, _), (.list, _), (.status, _), (.live, _), (.delivery, _), (.acknowledgement, _), (.oldStatus, _),
            (.batch, _), (.chosen, _), (.carrier, _), (.push, _), (.delivering, _), (.keeping, _), (.wake, _),
            (.shortLink, _), (.ending, _):
            failed(pending, into: &outputs)
        }
    }

    /// Answers a repeated request like the first time where possible; nothing changes.
    private mutating func replayed(_ pending: PendingCommand, into outputs: inout [Output]) {
        switch pending {
        case .keeping(let answers, _): for answer in answers { send(answer, into: &outputs) }
        case .delivering(.acknowledged): askStatus(of: nil, into: &outputs)
        case .grant, .update, .list, .status, .live, .delivery, .acknowledgement, .oldStatus, .batch, .chosen, .carrier,
            .push, .forgetting, .delivering(.implicit), .wake, .shortLink, .ending:
            outputs.append(.ignored(AriesError(.replayed, "The same request for messages came before.")))
        }
    }

    /// Handles a failure of the store: a client that waits for an answer is asked to try again.
    private mutating func failed(_ pending: PendingCommand, into outputs: inout [Output]) {
        // The answer to the next attempt may differ.
        current?.answerIDs = nil
        if case .update(let requested) = pending { return reply(.changed(requested, nil), into: &outputs) }
        // A message that could not be deleted is handed out again.
        if case .acknowledgement(let ids) = pending { live.settled(ids) }
        guard pending.isAnswered else { return }
        refuse("e.p.later", "The mediator cannot do this now; ask again.", into: &outputs)
    }

    // Messages of the client.

    /// Dispatches a message of the client to the handler of its kind.
    private mutating func take(_ received: ReceivedMessage, into outputs: inout [Output]) {
        let message = received.message
        do throws(AriesError) {
            let connection = try hold.required()
            try connection.check(received)
            current = MediatorRequestInProgress(received)
            switch ClientRequestKind(message.type) {
            case .mediation: try takeMediation(message, into: &outputs)
            case .pickup20: try takePickup2(message, into: &outputs)
            case .pickup10: try takePickup1(message, into: &outputs)
            case .webhook:
                let isOffered = offer.features.contains(.pushWebhook10)
                follow(try .wake(message, isOffered: isOffered, isGranted: isGranted), into: &outputs)
            case .shortLink:
                follow(try .shortLink(message, isGranted: isGranted, at: received.arrival), into: &outputs)
            case .reuse:
                send(
                    try ReuseResponder.answer(
                        received, on: connection, invitations: offer.invitations, random: &random),
                    into: &outputs)
            case .otherVersion: refuse("message-parse-failure", "This version is not spoken here.", into: &outputs)
            case .other: takeOther(received, on: connection, into: &outputs)
            }
        } catch {
            outputs.append(.ignored(error))
        }
    }

    private mutating func takeMediation(_ message: Message, into outputs: inout [Output]) throws(AriesError) {
        switch message.type.name {
        case "mediate-request":
            let key = try message.optionalKey("recipient_key")
            askOnce(.grant(for: key), .grant(key), into: &outputs)
        case "keylist-update", "keylist-query":
            guard isGranted else { return refuse("not_granted", "Ask for mediation first.", into: &outputs) }
            guard message.type.name == "keylist-update" else {
                let page = try message.keyPage()
                return ask(
                    .list(offset: page.offset, limit: page.limit), .list(offset: page.offset), into: &outputs)
            }
            guard let requested = try message.keyChanges() else {
                let text = "At most \(KeylistUpdate.maximumCount) keys are changed by one message."
                return refuse("too_many_updates", text, into: &outputs)
            }
            askOnce(.keys(requested.compactMap(\.change)), .update(requested), into: &outputs)
        default: throw .unexpected(message)
        }
    }

    private mutating func takePickup2(_ message: Message, into outputs: inout [Output]) throws(AriesError) {
        progress.hasAskedForPickup = true
        if live.mode == .implicit { setLive(nil, into: &outputs) }
        switch message.type.name {
        case "status-request":
            askStatus(of: try message.optionalKey("recipient_key"), into: &outputs)
        case "delivery-request":
            let key = try message.optionalKey("recipient_key")
            let limit = live.room(upTo: try message.limit("limit", upTo: limits.deliveryCount))
            // Waiting messages go out as soon as the client has acknowledged those under way.
            guard limit > 0 else { return sendStatus(.empty, of: key, into: &outputs) }
            fetch(.after(0, recipient: key, except: live.withheld), limit, .delivery(key), into: &outputs)
        case "messages-received":
            let ids = try message.identifiers("message_id_list")
            ask(.remove(ids, except: live.withheld(without: ids)), .acknowledgement(ids), into: &outputs)
        case "live-delivery-change": try changeLive(message, into: &outputs)
        default: throw .unexpected(message)
        }
    }

    private mutating func takePickup1(_ message: Message, into outputs: inout [Output]) throws(AriesError) {
        progress.hasAskedForPickup = true
        let claim = underWay.request
        switch message.type.name {
        case "status-request": ask(.status(nil), .oldStatus, into: &outputs)
        case "batch-pickup":
            let limit = try message.limit("batch_size", upTo: limits.deliveryCount)
            fetch(.after(0), limit, .batch, claim: claim, into: &outputs)
        case "list-pickup":
            let ids = try message.identifiers("message_ids")
            fetch(.ids(ids), limits.deliveryCount, .chosen, claim: claim, into: &outputs)
        case "noop": fetch(.after(0), 1, .carrier, claim: claim, into: &outputs)
        default: throw .unexpected(message)
        }
    }

    private mutating func follow(_ request: ClientServiceDecision, into outputs: inout [Output]) {
        switch request {
        case .ask(let command, let pending): ask(command, pending, into: &outputs)
        case .change(let change, let pending): askOnce(change, pending, into: &outputs)
        case .refusal(let code, let explanation): refuse(code, explanation, into: &outputs)
        }
    }

    /// Handles a message of another protocol through the inbox; without an answer, queued envelopes are returned.
    private mutating func takeOther(
        _ received: ReceivedMessage, on connection: Connection, into outputs: inout [Output]
    ) {
        var identifiers = AnswerMessageIdentifiers(to: received.message.id, at: connection.ours.key)
        var answers: [OutgoingMessage] = []
        var (rotated, hasHungUp): (Connection?, Bool) = (nil, false)
        // Only the store, which knows all channels, knows whether a message came before; the session remembers nothing.
        var connectionInbox = ConnectionMessageHandler(connection, features: offer.features)
        for output in connectionInbox.handle(received, random: &identifiers) {
            switch output {
            case .send(let outgoing): answers.append(outgoing)
            case .event(.rotated(let connection)): rotated = connection.withoutFormerKeys
            case .event(.hungUp): hasHungUp = true
            case .ignored(let error): outputs.append(.ignored(error))
            case .persist, .event: break
            }
        }
        current?.answerIDs = identifiers
        if hasHungUp { return ask(.end, .ending, into: &outputs) }
        if let rotated {
            return askOnce(.document(rotated), .keeping(answers, rotated), into: &outputs)
        }
        for answer in answers { send(answer, into: &outputs) }
        if answers.isEmpty { carryBack(received.message, into: &outputs) }
    }

    private mutating func carryBack(_ message: Message, into outputs: inout [Output]) {
        guard message.returnRoute == "all", !progress.hasAskedForPickup, !message.type.isProblemReport else { return }
        let request = underWay.request
        switch channel {
        case .single:
            guard !progress.hasAnswered else { return }
            fetch(.after(0), 1, .carrier, claim: request, into: &outputs)
        case .persistent:
            guard live.mode == nil else { return }
            ask(.once(.delivery, by: request), .delivering(.implicit), into: &outputs)
        }
    }

    // Delivery without a request for each message.

    private mutating func changeLive(_ message: Message, into outputs: inout [Output]) throws(AriesError) {
        guard try message.wantsLiveDelivery() else {
            setLive(nil, into: &outputs)
            return askStatus(of: nil, into: &outputs)
        }
        guard channel == .persistent else {
            return refuse(
                "e.m.live-mode-not-supported", "Live delivery needs a persistent connection.", into: &outputs)
        }
        // Answered by a status, which differs each time.
        ask(.once(.delivery, by: underWay.request), .delivering(.acknowledged), into: &outputs)
    }

    /// Begins delivery on this channel by `mode`, which the store has allowed.
    private mutating func deliver(_ mode: LiveDelivery.Mode, into outputs: inout [Output]) {
        switch mode {
        case .acknowledged: ask(.status(nil, except: live.outstandingPositions), .live, into: &outputs)
        case .implicit:
            setLive(.implicit, into: &outputs)
            live.beginFromOldest()
        }
    }

    private mutating func beginLive(_ status: QueueStatus, into outputs: inout [Output]) {
        if live.mode == nil { setLive(.acknowledged, into: &outputs) }
        live.begin(behind: status.newestPosition)
        sendStatus(status, of: nil, into: &outputs)
    }

    private mutating func setLive(_ mode: LiveDelivery.Mode?, into outputs: inout [Output]) {
        if let isWatching = live.change(to: mode) { outputs.append(.watch(isWatching)) }
    }

    /// Sends the messages that were read for a live client.
    private mutating func pushed(_ messages: [QueuedMessage], into outputs: inout [Output]) {
        if isResting, live.mode == .acknowledged, !messages.isEmpty {
            // They are fetched again at the next deadline.
            return outputs.append(.ignored(ReleasableConnection.missing))
        }
        let id = Message.makeID(from: &random)
        switch live.fetched(messages, in: id) {
        case nil: break
        case .implicit: for message in messages { handOver(message, into: &outputs) }
        case .acknowledged:
            let reply = MediatorReply.delivery(messages, key: nil)
            let delivery = Message(reply.type, id: id, body: reply.body)
            do throws(AriesError) {
                outputs.append(.send(try hold.required().outgoing(delivery), .back))
            } catch {
                outputs.append(.ignored(error))
            }
        }
    }

    /// Sends one envelope unchanged; it is deleted once the channel has sent it.
    private mutating func handOver(_ message: QueuedMessage, into outputs: inout [Output]) {
        progress.hasAnswered = true
        handOvers.begin(message.id, messages: [message.id])
        outputs.append(.handOver(message))
    }

    // Answers.

    /// The client's message that is being answered; traps when there is none.
    private var underWay: MediatorRequestInProgress {
        guard let current else { preconditionFailure("only a message of the client is answered") }
        return current
    }

    private mutating func askStatus(of key: Verkey?, into outputs: inout [Output]) {
        ask(.status(key, except: live.withheld), .status(key), into: &outputs)
    }

    private mutating func sendStatus(_ status: QueueStatus, of key: Verkey?, into outputs: inout [Output]) {
        if key == nil { live.counted() }
        let isLive = live.mode == .acknowledged
        reply(.status(status, of: key, isLive: isLive, at: underWay.arrival), into: &outputs)
    }

    /// Delivers the requested messages, or reports that there is none.
    private mutating func deliver(_ messages: [QueuedMessage], key: Verkey?, into outputs: inout [Output]) {
        guard !messages.isEmpty else { return sendStatus(.empty, of: key, into: &outputs) }
        let delivery = answer(with: .delivery(messages, key: key))
        live.handedOut(messages, areOldest: key == nil, in: delivery.id)
        send(delivery, into: &outputs)
    }

    /// Sends messages that are deleted once the channel has sent the answer.
    private mutating func handOut(_ messages: [QueuedMessage], as name: String, into outputs: inout [Output]) {
        let answer = answer(with: .handOut(messages, as: name))
        do throws(AriesError) {
            let outgoing = try hold.required().outgoing(answer)
            if !messages.isEmpty { handOvers.begin(answer.id, messages: messages.map(\.id)) }
            send(outgoing, into: &outputs)
        } catch {
            outputs.append(.ignored(error))
        }
    }

    /// Makes the answer to the client's message.
    private mutating func answer(with reply: MediatorReply) -> Message {
        var request = underWay
        defer { current = request }
        return request.answer(reply, random: &random)
    }

    private mutating func reply(_ reply: MediatorReply, into outputs: inout [Output]) {
        send(answer(with: reply), into: &outputs)
    }

    /// Answers the client's message with a problem report.
    private mutating func refuse(_ code: String, _ explanation: String, into outputs: inout [Output]) {
        var request = underWay
        send(request.refusal(code, explanation, random: &random), into: &outputs)
        current = request
    }

    private mutating func send(_ message: Message, into outputs: inout [Output]) {
        do throws(AriesError) { send(try hold.required().outgoing(message), into: &outputs) } catch {
            outputs.append(.ignored(error))
        }
    }

    private mutating func send(_ outgoing: OutgoingMessage, into outputs: inout [Output]) {
        let id = outgoing.message.id
        let way = ReplyRoute.deciding(
            for: underWay.message, on: channel, answered: progress.hasAnswered,
            endpoint: outgoing.service.endpoint.transport)
        switch way {
        case .back: progress.hasAnswered = true
        case .endpoint: handOvers.goesElsewhere(id)
        case .nowhere:
            handOvers.cancel(id)
            let error = AriesError(.unreachable, "The client has no address, and does not wait for an answer.")
            return outputs.append(.ignored(error))
        }
        outputs.append(.send(outgoing, way))
    }
}
