import Aries
import DIDComm
import Determinism
import Vault

/// The parts of an agent, made once; each gets the parts that it needs, and none refers back.
struct AgentParts {
    private let context: AgentContext
    let observers = AgentObservers()
    let jobs = JobQueue()
    let delivery: MessageDelivery
    let keys: KeyStore
    let mediator: MediatorDriver
    let handshakes: Handshakes
    let reuse: ConnectionReuse
    let messages: ConnectionMessages
    let rotationPosts: RotationPosts
    let questions: PendingReplies
    let requests: AttachedRequests
    let invitations: Invitations
    let acceptance: InvitationAcceptor
    let removal: ConnectionRemoval
    let signing: DataSigning
    let receiver: EnvelopeReceiver
    let arrivals: MediatorArrivals
    let mediation: MediatorOperations

    init(_ context: AgentContext, transport: any MessageTransport, arriving: ArrivalCount) {
        self.context = context
        let awaited = AwaitedAnswers()
        let stored = ArrivalStore(store: context.store, count: arriving)
        keys = KeyStore(store: context.store)
        let opener = EnvelopeOpener(keys: keys, wallTime: context.wallTime)
        let answers = MediatorAnswers(context, opener: opener)
        delivery = MessageDelivery(context, keys: keys, transport: transport, observers: observers)
        mediator = MediatorDriver(
            context, keys: keys, delivery: delivery, observers: observers, jobs: jobs, arrivals: stored,
            awaited: awaited, answers: answers)
        handshakes = Handshakes(
            context, keys: keys, delivery: delivery, mediator: mediator, observers: observers, awaited: awaited)
        reuse = ConnectionReuse(
            context, handshakes: handshakes, delivery: delivery, observers: observers, awaited: awaited)
        rotationPosts = RotationPosts(context)
        messages = ConnectionMessages(
            context, handshakes: handshakes, delivery: delivery, observers: observers, awaited: awaited,
            rotationPosts: rotationPosts)
        questions = PendingReplies(
            context, handshakes: handshakes, messages: messages, delivery: delivery, mediator: mediator,
            observers: observers, awaited: awaited)
        requests = AttachedRequests(context, messages: messages, delivery: delivery, observers: observers)
        invitations = Invitations(context, handshakes: handshakes, mediator: mediator)
        acceptance = InvitationAcceptor(context, handshakes: handshakes, reuse: reuse, requests: requests)
        removal = ConnectionRemoval(
            context, keys: keys, handshakes: handshakes, mediator: mediator, delivery: delivery)
        signing = DataSigning(handshakes: handshakes, keys: keys)
        receiver = EnvelopeReceiver(
            context, opener: opener, handshakes: handshakes, reuse: reuse, messages: messages,
            invitations: invitations, delivery: delivery, mediator: mediator, answers: answers, observers: observers)
        arrivals = MediatorArrivals(
            receiver: receiver, mediator: mediator, arrivals: stored, observers: observers)
        mediation = MediatorOperations(
            context, keys: keys, handshakes: handshakes, mediator: mediator, arrivals: stored, removal: removal,
            answers: answers)
    }

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
            if let answer = ForeignAnswer(envelope), try await take(answer, on: connection) { return }
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
    private func take(_ answer: ForeignAnswer, on connection: String) async throws -> Bool {
        guard let record = try await handshakes.record(connection), record.connection == nil else {
            return !answer.isJSON
        }
        delivery.answered(on: connection, with: answer)
        return true
    }

    private func follow(_ event: SocketEvent) async throws {
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
