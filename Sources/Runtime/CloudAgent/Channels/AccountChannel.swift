import Aries
import CryptoSuite
import DIDComm
import Determinism
import WebTransport

/// Drives the session of one client on one connection: gives it its inputs one after the other, and performs its
/// outputs.
actor AccountChannel: LiveClient, DeadlineReceiver {
    /// The parts of the mediator that all channels use.
    final class ChannelDependencies: Sendable {
        let context: MediatorContext
        let commands: MediationCommands
        let invited: InvitedAccounts
        let keyCache: KeyCache
        let outbound: OutboundDelivery
        let delivery: EndpointDelivery
        let live: LiveChannels
        /// The live holds of a store that instances share; nil where one instance has the store alone.
        let liveHolds: LiveHolds?
        let removal: AccountRemoval
        let locks: AccountLocks
        let heardClients: LastSeenRecorder
        let counters: Counters
        let timers: ChannelTimers

        init(
            context: MediatorContext, commands: MediationCommands, invited: InvitedAccounts, keyCache: KeyCache,
            outbound: OutboundDelivery, delivery: EndpointDelivery, live: LiveChannels, liveHolds: LiveHolds?,
            removal: AccountRemoval, locks: AccountLocks, heardClients: LastSeenRecorder, counters: Counters
        ) {
            self.context = context
            self.commands = commands
            self.invited = invited
            self.keyCache = keyCache
            self.outbound = outbound
            self.delivery = delivery
            self.live = live
            self.liveHolds = liveHolds
            self.removal = removal
            self.locks = locks
            self.heardClients = heardClients
            self.counters = counters
            timers = ChannelTimers(clock: context.clock)
        }
    }

    let account: Int64
    nonisolated let reply: any ReplyChannel
    private let parts: ChannelDependencies
    private let client: MediationCommands.Client
    private var session: MediatorSession
    private var codec = EnvelopeCodec(limits: MediatorContext.outgoingLimits)
    private var random = SystemRandom()
    /// Messages of the client that the session has no room for yet.
    private var arrived: [ReceivedMessage] = []
    private var inputs: [MediatorSession.Input] = []
    private var hasMail = false
    private var isDraining = false
    private var isEnded = false
    /// True while this channel has the lock of at-most-once delivery of its account.
    private var hasLock = false
    private var waitingReaders: [CheckedContinuation<Void, Never>] = []
    /// The earliest deadline at which `timers` wakes the channel.
    private var wakeTime: MonotonicInstant?
    private let lastHeard: Lock<MonotonicInstant>
    private var seen: WallTime

    init(
        _ account: AccountEntry, _ body: AccountRecord, _ connection: Connection, _ parts: ChannelDependencies,
        _ reply: any ReplyChannel
    ) {
        self.account = account.number
        self.parts = parts
        self.reply = reply
        client = MediationCommands.Client(number: account.number, routing: body.routing, name: body.name)
        let context = parts.context
        session = MediatorSession(
            connection, on: reply.channel, isGranted: account.isServed, random: SystemRandom(),
            limits: context.configuration.session, wakes: parts.commands.wakesClients,
            invitations: parts.invited.invitations(for: body.name))
        lastHeard = Lock(context.clock.now())
        seen = account.seen
    }

    /// Takes a message of the client; returns when the next may be read.
    ///
    /// On a request it returns when everything is done that the message asks for.
    func receive(_ message: ReceivedMessage) async {
        await parts.delivery.note(.spoke, of: account)
        // No suspension between this check and the wait below: a message that began to wait after the end would wait
        // without end.
        guard !isEnded else { return }
        parts.counters.add(to: \.requests)
        arrived.append(message)
        await drain()
        while !arrived.isEmpty || reply.channel == .single && isDraining {
            await withCheckedContinuation { waitingReaders.append($0) }
        }
    }

    /// True when the session has released the documents of the connection.
    var isResting: Bool { session.isResting }

    /// The time of the client's last message on the channel.
    nonisolated var heard: MonotonicInstant { lastHeard.withLock { $0 } }

    private func noteHeard(_ message: ReceivedMessage) async {
        guard let connection = session.connection, (try? connection.check(message)) != nil else { return }
        lastHeard.withLock { $0 = parts.context.clock.now() }
        parts.live.changed(account)
        let noted = await parts.heardClients.note(message, of: account, seen: seen)
        seen = max(seen, noted)
    }

    /// Mail may have come.
    func mailArrived() async {
        hasMail = true
        await drain()
    }

    /// The store is in an earlier state than before.
    func queueWentBack() async {
        inputs.append(.queueWentBack)
        await drain()
    }

    /// The connection is over.
    func end() async {
        isEnded = true
        arrived = []
        inputs.append(.channelEnded)
        resumeReaders()
        await drain()
        await endLive()
    }

    /// Begins live delivery.
    ///
    /// In a store that instances share, the hold of the account is written before the answer goes out.
    private func beginLive() async {
        guard let liveHolds = parts.liveHolds else { return parts.live.add(self, for: account) }
        await liveHolds.makeLive(self, for: account)
        // The connection may have ended during the write.
        if isEnded { await endLive() }
    }

    /// Ends live delivery; a client with an address of its own gets its mail delivered there.
    private func endLive() async {
        guard parts.live.remove(self, for: account) else { return }
        parts.liveHolds?.endedLive(account)
        await parts.delivery.note(.endedLive, of: account)
    }

    private func drain() async {
        guard !isDraining else { return }
        isDraining = true
        while var input = next() {
            if session.isResting { input = await resume(for: input) }
            if case .received(let message) = input { await noteHeard(message) }
            var outputs: [MediatorSession.Output] = []
            session.handle(input, at: parts.context.clock.now(), into: &outputs)
            if hasLock, !session.isDeliveringAtMostOnce { freeLock() }
            if arrived.isEmpty, reply.channel == .persistent { resumeReaders() }
            for output in outputs { await follow(output) }
        }
        isDraining = false
        resumeReaders()
        armTimer()
    }

    /// Gives a session that rests its connection where the input needs it.
    ///
    /// - Returns: the input; where the store fails, an answer of the store that says so.
    private func resume(for input: MediatorSession.Input) async -> MediatorSession.Input {
        switch input {
        case .received: break
        case .answered(.messages(let messages)) where !messages.isEmpty: break
        case .answered, .sent, .sendFailed, .mailArrived, .queueWentBack, .timeReached, .resumed, .channelEnded:
            return input
        }
        guard let connection = await parts.commands.connection(of: account) else {
            if case .answered = input {
                // The messages were fetched and are not delivered: without a retry they would wait for the next look.
                if session.isLive { parts.live.fetchFailed(account) }
                return .answered(.failed)
            }
            reply.close(.tryAgainLater, "The account could not be read; bring the message again.")
            return input
        }
        var outputs: [MediatorSession.Output] = []
        session.handle(.resumed(connection), at: parts.context.clock.now(), into: &outputs)
        for output in outputs { await follow(output) }
        return input
    }

    private func resumeReaders() {
        let waiting = waitingReaders
        waitingReaders = []
        for reader in waiting { reader.resume() }
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
        guard !isEnded, let deadline = session.nextDeadline, wakeTime.map({ deadline < $0 }) ?? true else { return }
        wakeTime = deadline
        parts.timers.arm(self, at: deadline)
    }

    /// A deadline of the session has passed.
    func timeReached() async {
        wakeTime = nil
        guard !isEnded else { return }
        inputs.append(.timeReached)
        await drain()
    }

    // Outputs of the session.

    private func follow(_ output: MediatorSession.Output) async {
        switch output {
        case .command(let command):
            await takeLock()
            let answer = await parts.commands.perform(command, for: client)
            if case .messages(let messages) = answer { parts.counters.add(messages.count, to: \.handedOut) }
            if case .fetch = command, answer == .failed, session.isLive { parts.live.fetchFailed(account) }
            if case .once(.document, _) = command, answer == .done {
                await parts.delivery.note(.changedDocument, of: account)
            }
            inputs.append(.answered(answer))
        case .send(let outgoing, let way): await send(outgoing, way)
        case .handOver(let message):
            let isTaken = await reply.handOver(message.envelope)
            inputs.append(isTaken ? .sent(id: message.id) : .sendFailed(id: message.id))
        case .watch(let isWatching):
            guard isWatching, !isEnded else { return await endLive() }
            await beginLive()
        case .ended:
            parts.counters.add(to: \.closed)
            await end()
            await parts.removal.drop(account)
            reply.close(.accountClosed, "The account is closed.")
        case .ignored: parts.counters.add(to: \.ignored)
        }
    }

    private func send(_ outgoing: OutgoingMessage, _ way: ReplyRoute) async {
        let id = outgoing.message.id
        let key: AgentKey?
        do throws(CloudAgentError) {
            key = try await parts.keyCache.find(outgoing.sender)?.key
        } catch {
            // The session counts the message as delivered: only a new connection fetches it again.
            inputs.append(.sendFailed(id: id))
            return reply.close(.tryAgainLater, "The key of the connection could not be read; connect again.")
        }
        guard let key, let envelope = outgoing.packed(with: key, by: &codec, &random) else {
            inputs.append(.sendFailed(id: id))
            return
        }
        switch way {
        case .back:
            let isTaken =
                session.isDeliveredAtMostOnce(id) ? await reply.handOver(envelope) : await reply.send(envelope)
            inputs.append(isTaken ? .sent(id: id) : .sendFailed(id: id))
        case .endpoint, .nowhere:
            let (outbound, endpoint) = (parts.outbound, outgoing.service.endpoint)
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
        await parts.locks.take(account)
    }

    private func freeLock() {
        hasLock = false
        parts.locks.end(account)
    }

    private func report(_ id: String, _ isDelivered: Bool) async {
        if !isDelivered { parts.counters.add(to: \.undelivered) }
        inputs.append(isDelivered ? .sent(id: id) : .sendFailed(id: id))
        await drain()
    }
}

extension OutgoingMessage {
    /// Packs it for one key, and wraps it for the client's mediators; nil when that fails.
    func packed(
        with key: AgentKey, by codec: inout EnvelopeCodec, _ random: inout SystemRandom
    ) -> [UInt8]? {
        guard let recipient = service.recipientKeys.first,
            let envelope = try? codec.pack(message.encoded, from: key, to: [recipient], random: &random)
        else { return nil }
        return try? codec.wrap(envelope, for: recipient, via: service.routingKeys, random: &random)
    }
}
