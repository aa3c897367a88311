import Aries
import AriesRuntime
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
    /// How often a message is refused before it is set aside.
    static let maximumRefusals = 3
    /// The most clients to which mail is delivered at a time.
    static let maximumActive = 64
    /// The least seconds between two records in the store that a client was heard because its server took a message.
    static let secondsBetweenNotes = 3600
    /// How many messages are read at a time.
    private static let batchCount = 20

    private enum Phase {
        /// A task delivers to the client.
        case active
        /// The next attempt waits because the most allowed attempts are active.
        case queued
        /// An attempt is planned for later.
        case waiting
        /// Everything is delivered but for messages that are set aside.
        case resting
    }

    private struct Run {
        var phase = Phase.waiting
        var failures = 0
        /// Whether more messages may have come meanwhile.
        var isAsked = false
        /// True when the client sent a message during the delivery, so that it is reachable in spite of a failure.
        var hasSpoken = false
        /// The time of the last failure, and the number of the valid plan for a retry.
        var failedAt = MonotonicInstant.zero
        var plan = 0
        /// The position up to which every message was taken or is set aside; 0 for none.
        var position: UInt64 = 0
        /// The position up to which messages were set aside earlier, and get one attempt each.
        var known: UInt64 = 0
        /// How often the first message behind `position` was refused.
        var refusals = 0
        /// Whether the client's server took a message.
        var isHeard = false
        /// True while a retry of the messages that were set aside is scheduled.
        var isReturnPlanned = false
        var isReturnDue = false
    }

    private enum Outcome {
        case done
        case failed
        /// The client is live, or has no address of its own.
        case notByAddress
        /// Another instance delivers the account's messages.
        case elsewhere
    }

    private let context: MediatorContext
    private let store: any MediatorStore
    private let keyCache: KeyCache
    private let outbound: OutboundDelivery
    private let live: LiveChannels
    private let holds: AccountHolds
    private let counters: Counters
    private let health: StoreHealth
    private let waits: [Duration]
    private var runs: [Int64: Run] = [:]
    private var active = 0
    private var waiting: [Int64] = []
    private var withoutAddress: Set<Int64> = []
    private var delivered = RecentSet(capacity: EndpointDelivery.maximumMarks)
    private var isEnded = false

    init(
        _ context: MediatorContext, _ store: any MediatorStore, keyCache: KeyCache, outbound: OutboundDelivery,
        live: LiveChannels, counters: Counters, health: StoreHealth
    ) {
        self.context = context
        self.store = store
        self.keyCache = keyCache
        self.outbound = outbound
        self.live = live
        holds = AccountHolds(context: context, store: store)
        self.counters = counters
        self.health = health
        waits = context.configuration.redeliverAfter
    }

    /// Mail has come for an account whose client is not live.
    func mailArrived(_ account: Int64) {
        guard !isEnded, !withoutAddress.contains(account) else { return }
        guard runs[account] == nil else {
            runs[account]?.isAsked = true
            if runs[account]?.phase == .resting { begin(account) }
            return
        }
        runs[account] = Run()
        begin(account)
    }

    /// Notes an activity after which a client may be reachable.
    func note(_ sign: ClientActivity, of account: Int64) {
        switch sign {
        case .spoke: deliverSooner(account)
        case .endedLive: mailArrived(account)
        case .changedDocument:
            withoutAddress.remove(account)
            runs[account]?.isReturnDue = true
            mailArrived(account)
            deliverSooner(account)
        }
    }

    /// The account is deleted.
    func forget(_ account: Int64) {
        withoutAddress.remove(account)
        runs[account]?.position = 0
        if runs[account]?.phase == .resting { runs[account] = nil }
    }

    /// Waits for a reachable client as long as after a first failure, and not longer.
    private func deliverSooner(_ account: Int64) {
        guard let run = runs[account] else { return }
        runs[account]?.hasSpoken = run.phase == .active
        if run.phase != .active, run.failures > 1 { plan(account, failures: 1) }
    }

    /// Stops the deliveries of all accounts.
    func end() {
        isEnded = true
        (runs, waiting) = ([:], [])
    }

    /// Starts deliveries for accounts with waiting mail.
    func lookForAll() async {
        var last: Int64 = 0
        while !isEnded {
            let from = last
            let accounts = try? await store.read { try $0.accounts.list(after: from, limit: 200) }
            guard let accounts, let end = accounts.last else { return }
            last = end.number
            for account in accounts where account.queue.count > 0 && !live.contains(account.number) {
                mailArrived(account.number)
            }
        }
    }

    private func begin(_ account: Int64) {
        guard let run = runs[account], run.phase != .active, run.phase != .queued else { return }
        guard active < Self.maximumActive else {
            runs[account]?.phase = .queued
            return waiting.append(account)
        }
        active += 1
        runs[account]?.phase = .active
        runs[account]?.isAsked = false
        runs[account]?.hasSpoken = false
        if runs[account]?.isReturnDue == true { returnSetAside(account) }
        Task { await self.run(account) }
    }

    private func run(_ account: Int64) async {
        let outcome = await deliver(account)
        active -= 1
        runs[account]?.phase = .waiting
        switch outcome {
        case .done: rest(account, mayGoOn: true)
        case .notByAddress: rest(account, mayGoOn: false)
        case .failed: retry(account)
        // If that instance ends, its hold expires soon.
        case .elsewhere:
            runs[account]?.failedAt = context.clock.now()
            begin(account, in: InstanceChangeFollower.life)
        }
        while active < Self.maximumActive, !waiting.isEmpty {
            let next = waiting.removeFirst()
            runs[next]?.phase = .waiting
            begin(next)
        }
    }

    /// There is nothing to do now, unless more messages have come meanwhile.
    private func rest(_ account: Int64, mayGoOn: Bool) {
        guard let run = runs[account] else { return }
        let goesOn = mayGoOn && (run.isAsked || run.isReturnDue)
        guard run.position > 0 else {
            runs[account] = goesOn ? Run() : nil
            return goesOn ? begin(account) : ()
        }
        runs[account]?.failures = 0
        runs[account]?.phase = .resting
        if goesOn { begin(account) }
        guard !run.isReturnPlanned else { return }
        runs[account]?.isReturnPlanned = true
        let (clock, wait) = (context.clock, context.configuration.bringBackAfter)
        Task { [weak self] in
            do { try await clock.wait(until: clock.now() + wait) } catch { return }
            await self?.returnReached(account)
        }
    }

    private func returnReached(_ account: Int64) {
        guard runs[account]?.isReturnPlanned == true else { return }
        runs[account]?.isReturnPlanned = false
        runs[account]?.isReturnDue = true
        if runs[account]?.phase == .resting { mailArrived(account) }
    }

    /// Begins again with the messages that were set aside.
    private func returnSetAside(_ account: Int64) {
        guard let run = runs[account] else { return }
        runs[account]?.isReturnDue = false
        runs[account]?.known = max(run.known, run.position)
        runs[account]?.position = 0
    }

    private func retry(_ account: Int64) {
        guard let run = runs[account] else { return }
        counters.add(to: \.undelivered)
        runs[account]?.failedAt = context.clock.now()
        plan(account, failures: run.hasSpoken ? 1 : run.failures + 1)
    }

    /// Plans the next attempt, and cancels earlier plans.
    private func plan(_ account: Int64, failures: Int) {
        runs[account]?.failures = failures
        begin(account, in: waits.isEmpty ? .seconds(300) : waits[min(failures, waits.count) - 1])
    }

    /// Begins this long after the last failure, unless the plan has changed meanwhile.
    private func begin(_ account: Int64, in wait: Duration) {
        guard let run = runs[account] else { return }
        let number = run.plan + 1
        runs[account]?.plan = number
        let clock = context.clock
        Task { [weak self] in
            do { try await clock.wait(until: run.failedAt + wait) } catch { return }
            await self?.begin(account, by: number)
        }
    }

    private func begin(_ account: Int64, by plan: Int) {
        if runs[account]?.plan == plan { begin(account) }
    }

    /// Delivers all waiting messages.
    private func deliver(_ account: Int64) async -> Outcome {
        do throws(CloudAgentError) {
            guard let (service, seen) = try await service(of: account) else { return .notByAddress }
            runs[account]?.isHeard = false
            guard try await holds.takeUnlessLiveElsewhere(.delivery, of: account) else { return .elsewhere }
            let outcome = try await deliver(account, to: service)
            // A client whose server takes its mail is reachable.
            let now = context.wallTime()
            if runs[account]?.isHeard == true, MediatorStatus.seconds(from: seen, to: now) >= Self.secondsBetweenNotes {
                try await store.write { try $0.accounts.update(account, body: nil, isServed: nil, seen: now) }
            }
            // After a failure this instance retries, and no other meanwhile.
            if outcome != .failed { try await holds.free(.delivery, of: account) }
            return outcome
        } catch {
            health.failed(error)
            return .failed
        }
    }

    private func deliver(_ account: Int64, to service: PeerService) async throws(CloudAgentError) -> Outcome {
        while !isEnded {
            // A live client fetches its mail, and each message is delivered one way only.
            if live.contains(account) { return .notByAddress }
            let messages = try await store.fetch(
                .after(runs[account]?.position ?? 0, key: nil), of: account, limit: Self.batchCount,
                maximumBytes: 1 << 20)
            guard !messages.isEmpty else { return .done }
            for message in messages {
                switch try await deliver(message, of: account, to: service) {
                case .taken: runs[account]?.refusals = 0
                case .refused where setsAside(message, of: account): break
                case .refused, .failed: return .failed
                }
            }
        }
        return .done
    }

    /// Whether a refused message is set aside.
    private func setsAside(_ message: QueuedMessage, of account: Int64) -> Bool {
        guard let run = runs[account] else { return false }
        guard message.position <= run.known || run.refusals + 1 >= Self.maximumRefusals else {
            runs[account]?.refusals += 1
            return false
        }
        if message.position > run.known { counters.add(to: \.setAside) }
        runs[account]?.position = message.position
        runs[account]?.refusals = 0
        return true
    }

    /// Delivers one message, and removes it when it was taken.
    private func deliver(
        _ message: QueuedMessage, of account: Int64, to service: PeerService
    ) async throws(CloudAgentError) -> OutboundDelivery.Outcome {
        let mark = SHA256.hash(Array("\(account) ".utf8) + message.envelope)
        if delivered.contains(mark) {
            counters.add(to: \.ignored)
        } else {
            guard let envelope = Self.wrapped(message.envelope, for: service) else { return .refused }
            let outcome = await outbound.attempt(envelope, service.endpoint)
            guard outcome == .taken else { return outcome }
            delivered.insert(mark)
            runs[account]?.isHeard = true
            counters.add(to: \.handedOut)
        }
        _ = try await store.remove([message.id], of: account)
        return .taken
    }

    private func service(
        of account: Int64
    ) async throws(CloudAgentError) -> (service: PeerService, seen: WallTime)? {
        guard let entry = try await store.read({ try $0.accounts.account(account) }), entry.isServed else { return nil }
        let connection = try AccountRecord(entry.body, by: context.secret).connection
        guard let service = try? connection?.theirs.service(), try await isElsewhere(service) else {
            if withoutAddress.count >= Self.maximumRemembered { withoutAddress = [] }
            withoutAddress.insert(account)
            return nil
        }
        return (service, entry.seen)
    }

    /// Whether a service has an address, and it does not lead back to this mediator.
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
