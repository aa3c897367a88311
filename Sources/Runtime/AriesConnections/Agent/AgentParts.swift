import Aries
import DIDComm
import Determinism
import Vault

/// The parts of an agent, made once; each gets the parts that it needs, and none refers back.
struct AgentParts {
    private let context: AgentContext
    private let exchange: MessagingServices
    let jobs = AgentJobQueue()
    let mediator: MediatorDriver
    private let handlers: MessageHandlers
    let rotationPosts: DIDRotationDelivery
    let questions: PendingReplies
    let requests: AttachedRequests
    let acceptance: InvitationAcceptor
    let removal: ConnectionRemoval
    let signing: ConnectionDataSigner
    let receiver: EnvelopeReceiver
    let arrivals: MediatorEnvelopeReceiver
    let mediation: MediatorOperations

    init(_ context: AgentContext, transport: any MessageTransport, arriving: UnprocessedEnvelopeCount) {
        self.context = context
        let keys = KeyStore(store: context.store)
        let opener = EnvelopeOpener(keys: keys, wallTime: context.wallTime)
        let stores = MediatorStores(
            keys: keys, arrivals: UnprocessedEnvelopeStore(store: context.store, count: arriving),
            answers: CrossProcessAnswers(context, opener: opener))
        let observers = AgentObservers()
        let delivery = MessageDelivery(context, keys: keys, transport: transport, observers: observers)
        exchange = MessagingServices(delivery: delivery, awaited: AwaitedAnswers(), observers: observers)
        mediator = MediatorDriver(context, stores: stores, exchange: exchange, jobs: jobs)
        let handshakes = ConnectionHandshakes(context, keys: keys, mediator: mediator, exchange: exchange)
        let reuse = ConnectionReuse(context, handshakes: handshakes, exchange: exchange)
        rotationPosts = DIDRotationDelivery(context)
        let messages = ConnectionMessages(
            context, handshakes: handshakes, exchange: exchange, rotationPosts: rotationPosts)
        let invitations = Invitations(context, handshakes: handshakes, mediator: mediator)
        handlers = MessageHandlers(
            handshakes: handshakes, reuse: reuse, messages: messages, invitations: invitations)
        questions = PendingReplies(
            context, handshakes: handshakes, messages: messages, mediator: mediator, exchange: exchange)
        requests = AttachedRequests(context, messages: messages, delivery: delivery, observers: observers)
        acceptance = InvitationAcceptor(context, handshakes: handshakes, reuse: reuse, requests: requests)
        removal = ConnectionRemoval(
            context, keys: keys, handshakes: handshakes, mediator: mediator, delivery: delivery)
        signing = ConnectionDataSigner(handshakes: handshakes, keys: keys)
        receiver = EnvelopeReceiver(
            context, opener: opener, handlers: handlers, exchange: exchange, mediator: mediator)
        arrivals = MediatorEnvelopeReceiver(
            receiver: receiver, mediator: mediator, arrivals: stores.arrivals, observers: observers)
        mediation = MediatorOperations(
            context, stores: stores, handshakes: handshakes, mediator: mediator, removal: removal)
    }

    var observers: AgentObservers { exchange.observers }

    var delivery: MessageDelivery { exchange.delivery }

    var handshakes: ConnectionHandshakes { handlers.handshakes }

    var reuse: ConnectionReuse { handlers.reuse }

    var messages: ConnectionMessages { handlers.messages }

    var invitations: Invitations { handlers.invitations }

    /// The earliest deadline of the parts; nil for none.
    var nextDeadline: MonotonicInstant? {
        [handshakes.nextDeadline, reuse.nextDeadline, delivery.nextDeadline, mediator.nextDeadline]
            .compactMap(\.self).min()
    }

    /// Resumes everything in the store.
    func resume() async throws {
        try await handshakes.resume()
        try await mediation.resume()
        try await reuse.resume()
        try await delivery.resume()
    }

    /// Reads the changes of another process on the same store.
    ///
    /// - Parameter isFinishing: whether the agent is about to end, so that no mediator is taken up any more.
    func catchUp(isFinishing: Bool) async throws {
        try await questions.catchUp()
        try await mediation.catchUp(isFinishing: isFinishing)
        try await handshakes.catchUp()
        try await reuse.catchUp()
    }

    /// Dispatches a job to the part that handles it.
    func follow(_ job: AgentJob) async throws {
        switch job {
        case .call: preconditionFailure("a call is run by the agent")
        case .resolved(let did, let connection, let answer):
            try await handshakes.resolved(did, for: connection, answer)
        case .delivered(let item, let connection, let failure):
            try await delivery.finished(item, on: connection, failure: failure)
            try await delivered(item, on: connection, failure: failure)
        case .arrived(let envelope, let connection):
            if let answer = NonEnvelopeResponse(envelope), try await take(answer, on: connection) { return }
            if mediator.connection == connection { return try await arrivals.takeArrived(envelope) }
            _ = try await receiver.take(envelope, nil)
        case .fetched(let envelope, let id): try await arrivals.takeFetched(envelope, id: id)
        case .socket(let event, let number): if mediator.isCurrent(number) { try await follow(event) }
        case .keyTaken(let key): try await mediator.feed(.taken(key))
        case .resumeArrivals: try await arrivals.resume()
        case .finishFetching: try await mediator.feed(.finish)
        case .forgetQuestion(let id): try await questions.forget(id)
        case .timeReached: try await wake(at: context.now())
        }
    }

    /// Reports the result of an attempt to send to the part that the message belongs to.
    private func delivered(_ item: Outbox.MessageToSend, on connection: String, failure: (any Error)?) async throws {
        switch item {
        case .handshake(let outgoing): try await handshakes.delivered(outgoing, on: connection, failure: failure)
        case .reuse(let outgoing, let id): if failure != nil { try await reuse.sendFailed(outgoing, of: id) }
        case .mediator(let outgoing):
            let id = outgoing.message.id
            try await mediator.feed(failure == nil ? .sent(id: id) : .sendFailed(id: id))
        case .outbox(let record): if let failure { try await rotationPosts.failed(record, failure) }
        case .once, .single: break
        }
    }

    /// Notes a server's answer to the request for a connection; its answers to other messages do not matter.
    ///
    /// - Returns: false for what a mediator may have had in its queue.
    private func take(_ answer: NonEnvelopeResponse, on connection: String) async throws -> Bool {
        guard let record = try await handshakes.record(connection), record.connection == nil else {
            return !answer.isJSON
        }
        delivery.answered(on: connection, with: answer)
        return true
    }

    private func follow(_ event: MediatorSocketEvent) async throws {
        switch event {
        case .opened(let socket): try await mediator.socketOpened(socket)
        case .failed(let error): try await mediator.socketFailed(error)
        case .ended(let end): try await mediator.socketEnded(end)
        case .envelope(let envelope, _, _): try await arrivals.takeArrived(envelope)
        }
    }

    /// Gives `timeReached` to the parts whose deadline has come.
    private func wake(at now: MonotonicInstant) async throws {
        try await handshakes.wake(at: now)
        try await reuse.wake(at: now)
        // Another process may have received the answers that the frequent polling waits for.
        if mediator.current?.isPollDue(at: now) == true { try await handshakes.catchUp() }
        try await mediator.feed(.timeReached)
    }

    /// Drops everything that is only in memory, because the store failed.
    func abort() {
        delivery.cancelAll()
        reuse.stop()
        observers.finishAll()
        mediator.stop()
    }

    /// Drops everything that is only in memory.
    func stop() {
        jobs.stopCount += 1
        dropUnfinished()
        abort()
    }

    /// Drops the work that a job began after a stop: it would never end, or begin twice after the next start.
    func dropLate(isRunning: Bool) {
        dropUnfinished()
        if !isRunning { observers.finishAll() }
    }

    /// Drops the work under way, and ends the waits for it; readers of events stay.
    func dropUnfinished() {
        handshakes.stop()
        questions.stop()
        delivery.stop()
        reuse.stop()
        observers.finishStages()
        mediator.end()
    }
}
