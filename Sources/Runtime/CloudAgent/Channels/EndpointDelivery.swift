import Aries
import AriesConnections
import CryptoSuite
import DIDComm
import Determinism

/// An activity of a client that matters to the delivery to its own address.
enum ClientActivity: Hashable, Sendable {
    /// The client sent a message, so it is reachable, and a failed delivery is retried.
    case spoke
    /// The client has left live mode, and unfetched messages wait.
    case endedLive
    /// The client has a new DID document, perhaps with another address.
    case changedDocument
}

/// Delivers messages to clients that have an address of their own, in their order: a message is removed when the
/// client's server took it, and retried until then.
///
/// A message that the server refuses is set aside after a few attempts, so that those behind it are delivered: it stays
/// for pickup until it is too old, and is retried from time to time. A message that comes back with the bytes with
/// which it was sent is in a loop, for example between two agents that are each other's clients, and is dropped.
actor EndpointDelivery {
    /// The most clients that are remembered as having no address.
    static let maximumRemembered = 10_000
    /// The most messages that are remembered as delivered.
    static let maximumMarks = 10_000
    /// The most clients to which mail is delivered at a time.
    static let maximumActive = 64
    /// The least seconds between two records in the store that a client was heard because its server took a message.
    static let secondsBetweenNotes = 3600
    /// The number of messages that are read at a time.
    private static let batchCount = 20

    private let context: MediatorContext
    private let storage: MonitoredStore
    private let keyCache: KeyCache
    private let outbound: OutboundDelivery
    private let live: LiveChannels
    private let holds: InstanceAccountHolds
    private var dispatcher: DeliveryDispatcher
    private var timer: DeadlineTimer
    private var withoutAddress: Set<Int64> = []
    private var delivered = RecentSet(capacity: EndpointDelivery.maximumMarks)
    /// True when the last search for waiting messages broke off, because the store failed.
    private var isLookUnfinished = false
    private var isEnded = false

    init(
        _ context: MediatorContext, storage: MonitoredStore, keyCache: KeyCache, outbound: OutboundDelivery,
        live: LiveChannels
    ) {
        self.context = context
        self.storage = storage
        self.keyCache = keyCache
        self.outbound = outbound
        self.live = live
        holds = InstanceAccountHolds(context: context, store: storage.store)
        dispatcher = DeliveryDispatcher(
            timing: DeliverySchedule.DeliveryTiming(
                retryAfter: context.configuration.redeliverAfter,
                refusedRetryAfter: context.configuration.refusedRetryAfter),
            maximumActive: Self.maximumActive)
        timer = DeadlineTimer(clock: context.clock)
    }

    /// Schedules a delivery for an account that got a message while its client is not live.
    func mailArrived(_ account: Int64) {
        guard !isEnded, !withoutAddress.contains(account) else { return }
        handle(.messageArrived, of: account)
    }

    /// Notes an activity after which a client may be reachable.
    func note(_ sign: ClientActivity, of account: Int64) {
        switch sign {
        case .spoke: handle(.clientSpoke, of: account)
        case .endedLive: mailArrived(account)
        case .changedDocument:
            withoutAddress.remove(account)
            if !isEnded { handle(.documentChanged, of: account) }
        }
    }

    /// Forgets a deleted account, and cancels its deliveries.
    func forget(_ account: Int64) {
        withoutAddress.remove(account)
        handle(.accountDeleted, of: account)
    }

    /// Drops remembered state and starts all deliveries again, because the store went back to an earlier state.
    func queueWentBack() async {
        withoutAddress = []
        var outputs: [DeliverySchedule.Output] = []
        dispatcher.queueWentBack(at: context.clock.now(), into: &outputs)
        perform(outputs)
        await lookForAll()
    }

    /// Stops the deliveries of all accounts.
    func end() {
        isEnded = true
        dispatcher.removeAll()
        timer.cancel()
    }

    /// Starts deliveries for accounts with waiting messages, where the last search for them broke off.
    func lookAgain() async { if isLookUnfinished { await lookForAll() } }

    /// Starts deliveries for all accounts with waiting messages.
    func lookForAll() async {
        isLookUnfinished = true
        var last: Int64 = 0
        while !isEnded {
            let from = last
            let accounts = try? await storage.store.read { try $0.accounts.list(after: from, limit: 200) }
            guard let accounts else { return }
            guard let end = accounts.last else {
                isLookUnfinished = false
                return
            }
            last = end.number
            for account in accounts where account.queue.count > 0 && !live.contains(account.number) {
                mailArrived(account.number)
            }
        }
    }

    @discardableResult
    private func handle(_ input: DeliverySchedule.Input, of account: Int64) -> [DeliverySchedule.Output] {
        var outputs: [DeliverySchedule.Output] = []
        dispatcher.handle(input, of: account, at: context.clock.now(), into: &outputs)
        perform(outputs)
        return outputs
    }

    private func timeReached(_ generation: UInt64) {
        guard timer.hasFired(generation) else { return }
        var outputs: [DeliverySchedule.Output] = []
        dispatcher.timeReached(at: context.clock.now(), into: &outputs)
        perform(outputs)
    }

    private func perform(_ outputs: [DeliverySchedule.Output]) {
        for output in outputs {
            switch output {
            case .deliver(let account): Task { handle(.attemptEnded(await deliver(account)), of: account) }
            case .setAside(let isFirst): if isFirst { context.counters.add(to: \.setAside) }
            case .retryPlanned: context.counters.add(to: \.undelivered)
            }
        }
        timer.arm(dispatcher.nextDeadline) { [weak self] in await self?.timeReached($0) }
    }

    /// Delivers all waiting messages.
    private func deliver(_ account: Int64) async -> DeliverySchedule.DeliveryAttemptOutcome {
        do throws(CloudAgentError) {
            guard let (service, seen) = try await service(of: account) else { return .notByAddress }
            guard try await holds.takeUnlessLiveElsewhere(.delivery, of: account) else { return .heldElsewhere }
            var isHeard = false
            let end = try await deliver(account, to: service, isHeard: &isHeard)
            // A client whose server takes its mail is reachable.
            let now = context.wallTime()
            if isHeard, !isEnded, MediatorStatus.seconds(from: seen, to: now) >= Self.secondsBetweenNotes {
                try await storage.store.write { try $0.accounts.update(account, body: nil, isServed: nil, seen: now) }
            }
            // After a failure this instance retries, and no other meanwhile.
            if end != .failed { try await holds.free(.delivery, of: account) }
            return end
        } catch {
            storage.health.failed(error)
            return .failed
        }
    }

    private func deliver(
        _ account: Int64, to service: PeerService, isHeard: inout Bool
    ) async throws(CloudAgentError) -> DeliverySchedule.DeliveryAttemptOutcome {
        while !isEnded {
            // A live client fetches its mail, and each message is delivered one way only.
            if live.contains(account) { return .notByAddress }
            let messages = try await storage.store.fetch(
                .after(dispatcher.position(of: account) ?? 0, key: nil), of: account, limit: Self.batchCount,
                maximumBytes: 1 << 20)
            guard !messages.isEmpty else { return .finished }
            for message in messages {
                switch try await deliver(message, of: account, to: service, isHeard: &isHeard) {
                case .taken: handle(.delivered, of: account)
                case .refused where isSetAside(message, of: account): break
                case .refused, .failed: return .failed
                }
            }
        }
        return .finished
    }

    /// Reports a refused message to the schedule, and returns whether it is set aside.
    private func isSetAside(_ message: QueuedMessage, of account: Int64) -> Bool {
        handle(.refused(position: message.position), of: account).contains { output in
            switch output {
            case .setAside: true
            case .deliver, .retryPlanned: false
            }
        }
    }

    /// Delivers one message, and removes it when it was taken.
    private func deliver(
        _ message: QueuedMessage, of account: Int64, to service: PeerService, isHeard: inout Bool
    ) async throws(CloudAgentError) -> OutboundDelivery.OutboundDeliveryResult {
        let mark = SHA256.hash(Array("\(account) ".utf8) + message.envelope)
        if delivered.contains(mark) {
            context.counters.add(to: \.ignored)
        } else {
            guard let envelope = Self.wrapped(message.envelope, for: service) else { return .refused }
            let outcome = await outbound.attempt(envelope, service.endpoint)
            guard outcome == .taken else { return outcome }
            delivered.insert(mark)
            isHeard = true
            context.counters.add(to: \.handedOut)
        }
        _ = try await storage.store.remove([message.id], of: account)
        return .taken
    }

    private func service(
        of account: Int64
    ) async throws(CloudAgentError) -> (service: PeerService, seen: WallTime)? {
        guard let entry = try await storage.store.read({ try $0.accounts.account(account) }), entry.isServed else {
            return nil
        }
        let connection = try AccountRecord(entry.body, by: context.secret).connection
        guard let service = try? connection?.theirs.service(), try await isElsewhere(service) else {
            if withoutAddress.count >= Self.maximumRemembered { withoutAddress = [] }
            withoutAddress.insert(account)
            return nil
        }
        return (service, entry.seen)
    }

    /// Returns true when a service has an address that does not lead back to this mediator.
    func isElsewhere(_ service: PeerService) async throws(CloudAgentError) -> Bool {
        let own = [context.endpoints.http, context.endpoints.socket]
        guard service.endpoint.transport != .queue, !own.contains(service.endpoint) else { return false }
        for key in service.routingKeys {
            if try await keyCache.find(key) != nil { return false }
        }
        return true
    }

    private static func wrapped(_ envelope: [UInt8], for service: PeerService) -> [UInt8]? {
        guard let recipient = service.recipientKeys.first else { return nil }
        var codec = EnvelopeCodec(limits: MediatorContext.outgoingLimits)
        var random = SystemRandom()
        return try? codec.wrap(envelope, for: recipient, via: service.routingKeys, random: &random)
    }
}
