import Aries
import CryptoSuite
import DIDComm
import Determinism
import WebTransport

/// Drives the session of one client on one connection: gives it its inputs one after the other, and performs its
/// outputs.
actor AccountChannel: LiveClient, DeadlineReceiver {
    /// The inputs that wait for a session: messages, events and the sign of mail.
    private struct SessionInputQueue {
        /// Messages of the client that the session has no room for yet.
        var arrived: [ReceivedMessage] = []
        var inputs: [MediatorSession.Input] = []
        var hasMail = false
        private(set) var isEnded = false

        /// Ends the channel: what has arrived is dropped.
        mutating func end() {
            isEnded = true
            arrived = []
            inputs.append(.channelEnded)
        }

        /// The next input of a session in which messages wait; nil when there is none for it.
        mutating func next(waitingCount: Int) -> MediatorSession.Input? {
            if !inputs.isEmpty { return inputs.removeFirst() }
            if isEnded { return nil }
            if !arrived.isEmpty, waitingCount < MediatorSession.maximumWaiting {
                return .received(arrived.removeFirst())
            }
            guard hasMail else { return nil }
            hasMail = false
            return .mailArrived
        }
    }

    let account: Int64
    nonisolated let reply: any ReplyChannel
    private let services: ChannelServices
    private let client: MediationCommands.CommandingAccount
    private var session: MediatorSession
    private var packer = EnvelopePacker()
    private var inbox = SessionInputQueue()
    private var readers = ChannelWaiters()
    /// True while this channel has the lock of at-most-once delivery of its account.
    private var hasLock = false
    /// The earliest deadline at which `timers` wakes the channel.
    private var wakeTime: MonotonicInstant?
    private let lastHeard: Lock<MonotonicInstant>
    private var seen: WallTime

    init(
        _ account: AccountEntry, record: AccountRecord, connection: Connection, services: ChannelServices,
        reply: any ReplyChannel
    ) {
        self.account = account.number
        self.services = services
        self.reply = reply
        client = MediationCommands.CommandingAccount(number: account.number, routing: record.routing, name: record.name)
        let context = services.context
        session = MediatorSession(
            connection, on: reply.channel, isGranted: account.isServed, random: SystemRandom(),
            limits: context.configuration.session, wakes: services.accounts.commands.wakesClients,
            invitations: services.accounts.invited.invitations(for: record.name))
        lastHeard = Lock(context.clock.now())
        seen = account.seen
    }

    /// Takes a message of the client; returns when the next may be read.
    ///
    /// On a request it returns when everything is done that the message asks for.
    func receive(_ message: ReceivedMessage) async {
        await services.live.delivery.note(.spoke, of: account)
        // No suspension between this check and the wait below: a message that began to wait after the end would wait
        // without end.
        guard !inbox.isEnded else { return }
        services.context.counters.add(to: \.requests)
        inbox.arrived.append(message)
        await drain()
        while !inbox.arrived.isEmpty || reply.channel == .single && readers.isDraining {
            await withCheckedContinuation { readers.waiting.append($0) }
        }
    }

    /// True when the session has released the documents of the connection.
    var isResting: Bool { session.isResting }

    /// The time of the client's last message on the channel.
    nonisolated var heard: MonotonicInstant { lastHeard.withLock { $0 } }

    private func noteHeard(_ message: ReceivedMessage) async {
        guard let connection = session.connection, (try? connection.check(message)) != nil else { return }
        lastHeard.withLock { $0 = services.context.clock.now() }
        services.live.channels.changed(account)
        let noted = await services.accounts.heardClients.note(message, of: account, seen: seen)
        seen = max(seen, noted)
    }

    /// Handles the news that mail may have come for the client.
    func mailArrived() async {
        inbox.hasMail = true
        await drain()
    }

    /// Handles a store that went back to an earlier state: the session checks its queue again.
    func queueWentBack() async {
        inbox.inputs.append(.queueWentBack)
        await drain()
    }

    /// Handles the end of the connection: ends the session and live delivery.
    func end() async {
        inbox.end()
        readers.resume()
        await drain()
        await endLive()
    }

    /// Begins live delivery; the connection may end while the hold of the account is written.
    private func beginLive() async {
        await services.live.begin(self, for: account)
        if inbox.isEnded { await endLive() }
    }

    private func endLive() async { await services.live.end(self, for: account) }

    private func drain() async {
        guard !readers.isDraining else { return }
        readers.isDraining = true
        while var input = inbox.next(waitingCount: session.waitingCount) {
            if session.isResting { input = await resume(for: input) }
            if case .received(let message) = input { await noteHeard(message) }
            var outputs: [MediatorSession.Output] = []
            session.handle(input, at: services.context.clock.now(), into: &outputs)
            if hasLock, !session.isDeliveringAtMostOnce { freeLock() }
            if inbox.arrived.isEmpty, reply.channel == .persistent { readers.resume() }
            for output in outputs { await follow(output) }
        }
        readers.isDraining = false
        readers.resume()
        armTimer()
    }

    /// Gives a session that released its connection's documents the connection again, where the input needs it.
    ///
    /// - Returns: the input; where the store fails, an answer of the store that says so.
    private func resume(for input: MediatorSession.Input) async -> MediatorSession.Input {
        switch input {
        case .received: break
        case .answered(.messages(let messages)) where !messages.isEmpty: break
        case .answered, .sent, .sendFailed, .mailArrived, .queueWentBack, .timeReached, .resumed, .channelEnded:
            return input
        }
        guard let connection = await services.accounts.commands.connection(of: account) else {
            if case .answered = input {
                // The messages were fetched and are not delivered: without a retry they would wait for the next look.
                if session.isLive { services.live.channels.fetchFailed(account) }
                return .answered(.failed)
            }
            reply.close(.tryAgainLater, "The account could not be read; bring the message again.")
            return input
        }
        var outputs: [MediatorSession.Output] = []
        session.handle(.resumed(connection), at: services.context.clock.now(), into: &outputs)
        for output in outputs { await follow(output) }
        return input
    }

    private func armTimer() {
        guard !inbox.isEnded, let deadline = session.nextDeadline, wakeTime.map({ deadline < $0 }) ?? true else {
            return
        }
        wakeTime = deadline
        services.timers.arm(self, at: deadline)
    }

    /// Handles a deadline of the session that has passed.
    func timeReached() async {
        wakeTime = nil
        guard !inbox.isEnded else { return }
        inbox.inputs.append(.timeReached)
        await drain()
    }

    // Outputs of the session.

    private func follow(_ output: MediatorSession.Output) async {
        switch output {
        case .command(let command):
            await takeLock()
            let answer = await services.accounts.commands.perform(command, for: client)
            if case .messages(let messages) = answer { services.context.counters.add(messages.count, to: \.handedOut) }
            if case .fetch = command, answer == .failed, session.isLive { services.live.channels.fetchFailed(account) }
            if case .once(.document, _) = command, answer == .done {
                await services.live.delivery.note(.changedDocument, of: account)
            }
            inbox.inputs.append(.answered(answer))
        case .send(let outgoing, let way): await send(outgoing, way)
        case .handOver(let message):
            let isTaken = await reply.handOver(message.envelope)
            inbox.inputs.append(isTaken ? .sent(id: message.id) : .sendFailed(id: message.id))
        case .watch(let isWatching):
            guard isWatching, !inbox.isEnded else { return await endLive() }
            await beginLive()
        case .ended:
            services.context.counters.add(to: \.closed)
            await end()
            await services.accounts.removal.drop(account)
            reply.close(.accountClosed, "The account is closed.")
        case .ignored: services.context.counters.add(to: \.ignored)
        }
    }

    private func send(_ outgoing: OutgoingMessage, _ way: ReplyRoute) async {
        let id = outgoing.message.id
        let key: AgentKey?
        do throws(CloudAgentError) {
            key = try await services.keyCache.find(outgoing.sender)?.key
        } catch {
            // The session counts the message as delivered: only a new connection fetches it again.
            inbox.inputs.append(.sendFailed(id: id))
            return reply.close(.tryAgainLater, "The key of the connection could not be read; connect again.")
        }
        guard let key, let envelope = packer.pack(outgoing, with: key) else {
            inbox.inputs.append(.sendFailed(id: id))
            return
        }
        switch way {
        case .back:
            let isTaken =
                session.isDeliveredAtMostOnce(id) ? await reply.handOver(envelope) : await reply.send(envelope)
            inbox.inputs.append(isTaken ? .sent(id: id) : .sendFailed(id: id))
        case .endpoint, .nowhere:
            let outbound = services.outbound
            let endpoint = outgoing.service.endpoint
            Task {
                let isDelivered = await outbound.send(envelope, to: endpoint)
                await self.report(id, isDelivered)
            }
        }
    }

    // At-most-once delivery: one channel of the account at a time fetches and removes such messages, or they would go
    // out twice.

    private func takeLock() async {
        guard session.isDeliveringAtMostOnce, !hasLock else { return }
        hasLock = true
        await services.locks.take(account)
    }

    private func freeLock() {
        hasLock = false
        services.locks.end(account)
    }

    private func report(_ id: String, _ isDelivered: Bool) async {
        if !isDelivered { services.context.counters.add(to: \.undelivered) }
        inbox.inputs.append(isDelivered ? .sent(id: id) : .sendFailed(id: id))
        await drain()
    }
}

/// Packs messages into envelopes for clients.
private struct EnvelopePacker {
    private var codec = EnvelopeCodec(limits: MediatorContext.outgoingLimits)
    private var random = SystemRandom()

    /// Packs a message into an envelope; nil when that fails.
    mutating func pack(_ outgoing: OutgoingMessage, with key: AgentKey) -> [UInt8]? {
        outgoing.packed(with: key, by: &codec, &random)
    }
}

/// The callers that wait until a channel may take the next message.
private struct ChannelWaiters {
    var waiting: [CheckedContinuation<Void, Never>] = []
    /// True while the channel performs what has arrived.
    var isDraining = false

    mutating func resume() {
        let resumed = waiting
        waiting = []
        for reader in resumed { reader.resume() }
    }
}

extension OutgoingMessage {
    /// Packs the message for its recipient's first key, and wraps it for the client's mediators; nil when that fails.
    func packed(
        with key: AgentKey, by codec: inout EnvelopeCodec, _ random: inout SystemRandom
    ) -> [UInt8]? {
        guard let recipient = service.recipientKeys.first,
            let envelope = try? codec.pack(message.encoded, from: key, to: [recipient], random: &random)
        else { return nil }
        return try? codec.wrap(envelope, for: recipient, via: service.routingKeys, random: &random)
    }
}
