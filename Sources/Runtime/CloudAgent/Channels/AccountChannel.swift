import Aries
import CryptoSuite
import DIDComm
import Determinism

/// Drives the session of one client on one connection: gives it what happens, one thing after the other, and does what it
/// wants done.
actor AccountChannel {
    /// How often the store is told at most that a client was heard.
    static let secondsBetweenNotes = 60

    let account: Int64
    nonisolated let carrier: any Carrier
    private let office: AgentOffice
    private let clerk: AccountClerk
    private var session: MediatorSession
    private var codec = EnvelopeCodec(limits: AgentOffice.outgoingLimits)
    private var random = SystemRandom()
    /// Messages of the client that the session has no room for yet.
    private var arrived: [ReceivedMessage] = []
    private var inputs: [MediatorSession.Input] = []
    private var hasMail = false
    private var isDraining = false
    private var isEnded = false
    /// Whether no other channel of the account may hand out for good.
    private var hasTurn = false
    private var takers: [CheckedContinuation<Void, Never>] = []
    private var timer: DeadlineTimer
    private let lastHeard: Lock<MonotonicInstant>
    private var seen: WallTime

    init(
        _ account: AccountEntry, _ body: AccountBody, _ connection: Connection, _ office: AgentOffice,
        _ carrier: any Carrier
    ) {
        self.account = account.number
        self.office = office
        self.carrier = carrier
        clerk = AccountClerk(account.number, body, office)
        session = MediatorSession(
            connection, on: carrier.channel, isGranted: account.isServed, random: SystemRandom(),
            limits: office.configuration.session, wakes: office.wakes != nil,
            invitations: office.invitations(for: body.name))
        timer = DeadlineTimer(timekeeper: office.timekeeper)
        lastHeard = Lock(office.timekeeper.now())
        seen = account.seen
    }

    /// Takes a message of the client; returns when the next may be read.
    ///
    /// On a request it returns when everything was done that it asked for.
    func receive(_ message: ReceivedMessage) async {
        await office.note(.spoke, of: account)
        await noteHeard(message)
        // Nothing may happen between this look and the wait below: whoever waits behind the end waits for ever.
        guard !isEnded else { return }
        office.tally.add(to: \.requests)
        arrived.append(message)
        await drain()
        while !arrived.isEmpty || carrier.channel == .single && isDraining {
            await withCheckedContinuation { takers.append($0) }
        }
    }

    /// When the client was heard last.
    nonisolated var heard: MonotonicInstant { lastHeard.withLock { $0 } }

    /// The client was heard, which the store is told now and then; a message that came before is no sign of it.
    ///
    /// A message that says when it was sent counts for that time. Of others those are remembered that counted: in the store, and
    /// those that came soon after one that did, in memory.
    private func noteHeard(_ message: ReceivedMessage) async {
        guard (try? session.connection.check(message)) != nil else { return }
        lastHeard.withLock { $0 = office.timekeeper.now() }
        let (secret, id) = (office.secret, message.message.id)
        let request = RequestIdentity(message.message, arrival: message.arrival)
        // A time that has not come yet says nothing.
        let sent = request.sent.flatMap { $0 < message.arrival ? $0 : nil }
        let time = sent ?? office.wallTime()
        let mark = sent == nil ? SHA256.hash(Array("\(account) \(id)".utf8)) : nil
        guard AgentStatus.seconds(from: seen, to: time) >= Self.secondsBetweenNotes else {
            if let mark { office.signs.withLock { $0.insert(mark) } }
            return
        }
        if let mark, office.signs.withLock({ $0.contains(mark) }) { return }
        let outcome = try? await office.store.change(
            .heard(time, unless: secret.claim(id)), of: account,
            by: sent == nil ? StoredRequest(secret.sign(id), .sign) : nil
        ) { _ in [] }
        if case .first = outcome { seen = max(seen, time) }
    }

    /// Something may have come into the queue.
    func mailArrived() async {
        hasMail = true
        await drain()
    }

    /// The connection is over.
    func end() async {
        isEnded = true
        timer.cancel()
        arrived = []
        inputs.append(.channelEnded)
        wakeTakers()
        await drain()
        await leaveLine()
    }

    /// Begins live delivery.
    ///
    /// In a store that instances share, the hold of the account is written before the answer goes out.
    private func beginLive() async {
        guard office.store.isShared, let neighbours = office.neighbours else {
            return office.live.add(self, for: account)
        }
        await neighbours.makeLive(self)
        // The connection may have ended during the write.
        if isEnded { await leaveLine() }
    }

    /// Is told of mail no more; who has an address is brought it there.
    private func leaveLine() async {
        guard office.live.remove(self, for: account) else { return }
        office.neighbours?.endedLive(account)
        await office.note(.leftLine, of: account)
    }

    private func drain() async {
        guard !isDraining else { return }
        isDraining = true
        while let input = next() {
            var outputs: [MediatorSession.Output] = []
            session.handle(input, at: office.timekeeper.now(), into: &outputs)
            if hasTurn, !session.isHandingOutForGood { endTurn() }
            if arrived.isEmpty, carrier.channel == .persistent { wakeTakers() }
            for output in outputs { await follow(output) }
        }
        isDraining = false
        wakeTakers()
        armTimer()
    }

    private func wakeTakers() {
        let waiting = takers
        takers = []
        for taker in waiting { taker.resume() }
    }

    private func next() -> MediatorSession.Input? {
        if !inputs.isEmpty { return inputs.removeFirst() }
        if isEnded { return nil }
        if !arrived.isEmpty, session.waitingCount < MediatorSession.maximumWaiting {
            return .received(arrived.removeFirst())
        }
        guard hasMail else { return nil }
        hasMail = false
        return .mailArrived
    }

    private func armTimer() {
        timer.arm(isEnded ? nil : session.nextDeadline) { [weak self] in await self?.timeReached() }
    }

    private func timeReached() async {
        timer.fired()
        inputs.append(.timeReached)
        await drain()
    }

    // What the session wants.

    private func follow(_ output: MediatorSession.Output) async {
        switch output {
        case .command(let command):
            await takeTurn()
            let answer = await clerk.perform(command)
            if case .messages(let messages) = answer { office.tally.add(messages.count, to: \.handedOut) }
            if case .fetch = command, answer == .failed, session.isLive {
                office.fetchRetry.withLock { $0.failed(account) }
            }
            if case .once(.document, _) = command, answer == .done { await office.note(.changedDocument, of: account) }
            inputs.append(.answered(answer))
        case .send(let outgoing, let way): await send(outgoing, way)
        case .handOver(let message):
            let isTaken = await carrier.handOver(message.envelope)
            inputs.append(isTaken ? .sent(id: message.id) : .sendFailed(id: message.id))
        case .watch(let isWatching):
            guard isWatching, !isEnded else { return await leaveLine() }
            await beginLive()
        case .ended:
            office.tally.add(to: \.closed)
            await end()
            await office.forget(account)
            carrier.close(.accountClosed, "The account is closed.")
        case .ignored: office.tally.add(to: \.ignored)
        }
    }

    private func send(_ outgoing: OutgoingMessage, _ way: ReplyWay) async {
        let id = outgoing.message.id
        let key = try? await office.cabinet.find(outgoing.sender)?.key
        guard let key, let envelope = outgoing.packed(with: key, by: &codec, &random) else {
            inputs.append(.sendFailed(id: id))
            return
        }
        switch way {
        case .back:
            let isTaken = session.isForGood(id) ? await carrier.handOver(envelope) : await carrier.send(envelope)
            inputs.append(isTaken ? .sent(id: id) : .sendFailed(id: id))
        case .endpoint, .nowhere:
            let (courier, endpoint) = (office.courier, outgoing.service.endpoint)
            Task {
                let isDelivered = await courier.bring(envelope, to: endpoint)
                await self.report(id, isDelivered)
            }
        }
    }

    // What is handed out for good is fetched and forgotten by one channel of the account at a time, or it would go out twice.

    private func takeTurn() async {
        guard session.isHandingOutForGood, !hasTurn else { return }
        hasTurn = true
        await office.turns.take(account)
    }

    private func endTurn() {
        hasTurn = false
        office.turns.end(account)
    }

    private func report(_ id: String, _ isDelivered: Bool) async {
        if !isDelivered { office.tally.add(to: \.undelivered) }
        inputs.append(isDelivered ? .sent(id: id) : .sendFailed(id: id))
        await drain()
    }
}

extension OutgoingMessage {
    /// Packs it for one key alone, and wraps it for those who pass it on; nil when that cannot be done.
    func packed(
        with key: AgentKey, by codec: inout EnvelopeCodec, _ random: inout SystemRandom
    ) -> [UInt8]? {
        guard let recipient = service.recipientKeys.first,
            let envelope = try? codec.pack(message.encoded, from: key, to: [recipient], random: &random)
        else { return nil }
        return try? codec.wrap(envelope, for: recipient, via: service.routingKeys, random: &random)
    }
}
