package import Aries
package import AriesConnections
import DIDComm
import Determinism
package import WebTransport

/// A running mediator without its listener: answers envelopes, announces mail to clients, and maintains the store.
///
/// It owns all parts of the mediator, and ends them.
package final class MediatorService: Sendable {
    let context: MediatorContext
    let storage: MonitoredStore
    let keyCache: KeyCache
    let live: LiveChannels
    let delivery: EndpointDelivery
    let peers: InstanceChangeFollower
    let maintenance: MediatorMaintenance
    let channels: ChannelServices
    let handler: EnvelopeHandler
    private let notifier: WebhookNotifier?
    private let sources: Lock<SourceRateLimiter>
    private let tasks = Lock<[Task<Void, Never>]>([])

    /// Makes a service; it does nothing before `begin`.
    ///
    /// - Throws: `aries.*` for a label or an address that no invitation holds.
    package init(
        _ context: MediatorContext, store: any MediatorStore, transport: any MessageTransport,
        post: WebhookSender? = nil
    ) throws {
        let configuration = context.configuration
        let storage = MonitoredStore(
            store: store, health: StoreHealth(context.clock, context.counters, isDatabase: store.isShared))
        let messageClock = MessageClock(context)
        let live = LiveChannels()
        let pool = KeyPool(size: 32)
        let redelivery = Lock(RedeliveryBackoff())
        let invited = try AccountInvitations(context)
        self.context = context
        self.storage = storage
        self.live = live
        sources = Lock(
            SourceRateLimiter(perSecond: Double(configuration.perSourceRate), burst: configuration.perSourceBurst))
        keyCache = KeyCache(store, context.secret, pinned: invited.keys, limits: .standard)
        let outbound = OutboundDelivery(
            transport, waits: CloudAgentConfiguration.retryAfter,
            limits: .init(
                count: CloudAgentConfiguration.maximumDeliveries, bytes: CloudAgentConfiguration.maximumDeliveryBytes),
            clock: context.clock)
        delivery = EndpointDelivery(context, storage: storage, keyCache: keyCache, outbound: outbound, live: live)
        notifier = post.flatMap { post in
            configuration.wakes.map {
                WebhookNotifier($0, poster: post, context: context, storage: storage, live: live)
            }
        }
        let removal = AccountRemoval(
            keyCache: keyCache, redelivery: redelivery, live: live, delivery: delivery, notifier: notifier)
        let liveHolds = LiveClientHolds(context, storage: storage, live: live)
        peers = InstanceChangeFollower(context, storage: storage, live: live, liveHolds: liveHolds, removal: removal)
        let unused = UnusedAccountCleanup(
            context, storage: storage, live: live, removal: removal, messageClock: messageClock)
        maintenance = MediatorMaintenance(
            context: context, storage: storage, pool: pool, unused: unused, notifier: notifier, delivery: delivery,
            removal: removal, messageClock: messageClock)
        let commands = MediationCommands(
            context: context, storage: storage, keyCache: keyCache, invited: invited, pool: pool, notifier: notifier,
            redelivery: redelivery)
        channels = ChannelServices(
            context,
            accounts: AccountServices(
                commands: commands, invited: invited, removal: removal, heardClients: LastSeenRecorder(context, store)),
            live: LiveDeliveryControl(channels: live, holds: store.isShared ? liveHolds : nil, delivery: delivery),
            keyCache: keyCache, outbound: outbound)
        let registrationLimits = SourceRateLimiter(
            perSecond: Double(configuration.perSourceAccounts) / 3600, burst: configuration.perSourceAccounts)
        let registration = AccountRegistration(
            context: context, store: store, keyCache: keyCache, invited: invited, pool: pool, unused: unused,
            removal: removal, messageClock: messageClock, registrationLimits: Lock(registrationLimits))
        handler = EnvelopeHandler(
            context: context, storage: storage, keyCache: keyCache, registration: registration, outbound: outbound,
            messageClock: messageClock)
    }

    var store: any MediatorStore { storage.store }

    var health: StoreHealth { storage.health }

    var counters: MediatorCounters { context.counters }

    var invited: AccountInvitations { channels.accounts.invited }

    var unused: UnusedAccountCleanup { maintenance.unused }

    var messageClock: MessageClock { maintenance.messageClock }

    /// Begins to announce mail, and to maintain the store.
    ///
    /// - Throws: what the store throws.
    package func begin() async throws(CloudAgentError) {
        try await peers.begin()
        store.listen { [weak self] news in self?.hear(news) }
        hear(.anyMail)
        let maintenance = maintenance
        let peers = peers
        tasks.withLock { tasks in
            tasks = [Task { await maintenance.run() }, Task { await peers.run() }]
        }
    }

    /// Ends all background work; requests are still answered.
    package func end() async {
        for task in tasks.withLock({ $0 }) { task.cancel() }
        await delivery.end()
        await notifier?.end()
    }

    /// Ends everything, and frees the holds of this instance in the store.
    package func leave() async {
        await delivery.end()
        await notifier?.end()
        await peers.end()
    }

    /// The invitation that opens an account, by out-of-band 1.1.
    package var invitation: Invitation? { invited.general.current.invitation }

    /// The counts since the service began.
    package var counts: MediatorCounts {
        var counts = counters.counts
        counts.live = live.count
        return counts
    }

    /// Replaces the list of names that may open an account; nil for no list.
    ///
    /// - Throws: `aries.*` for an address that no invitation holds; the list before stays then.
    func allow(_ list: AllowList?) throws(AriesError) {
        try invited.take(list)
        keyCache.pin(invited.keys)
    }

    /// Dispatches news of the store.
    private func hear(_ news: StoreNotification) {
        let peers = peers
        let delivery = delivery
        let notifier = notifier
        switch news {
        case .signals: Task { await peers.look() }
        case .mail(let account):
            let isNotified = live.tell(account)
            if !isNotified { Task { await delivery.mailArrived(account) } }
            if let notifier, notifier.mayConcern(account) { Task { await notifier.mailArrived(account) } }
        case .anyMail:
            live.tell(nil)
            Task {
                await delivery.lookForAll()
                await notifier?.lookForAll()
            }
        case .failed(let error): health.failed(error)
        case .replication(let kind): health.replicates(kind)
        case .wentBack(let loss):
            health.wentBack(loss)
            keyCache.forgetAll()
            live.queueWentBack()
            Task {
                await peers.queueWentBack()
                await delivery.queueWentBack()
                await notifier?.queueWentBack()
                await record(loss)
            }
        }
    }

    /// The number of attempts to record a loss, a second apart.
    private static let maximumRecordings = 60

    /// Records a loss in the store, where it stays until an operator has seen it.
    private func record(_ loss: StoreDataLoss) async {
        let time = context.wallTime()
        for _ in 0..<Self.maximumRecordings {
            do {
                return try await store.write { try $0.losses.record(loss, at: time) }
            } catch {
                guard error.code != .closed else { return }
                do { try await context.clock.wait(until: context.clock.now() + .seconds(1)) } catch { return }
            }
        }
    }

    /// Returns true when one more envelope of a source is within its limit.
    private func admits(_ source: SocketAddress?) -> Bool {
        let now = context.clock.now()
        let isAdmitted = sources.withLock { $0.admits(source?.address, at: now) }
        if !isAdmitted { counters.add(to: \.slowedDown) }
        return isAdmitted
    }

    /// Answers an envelope that came by HTTP.
    package func answer(_ request: HTTPRequest) async -> HTTPResponse {
        guard admits(request.peer) else {
            var response = HTTPResponse(429, text: "Come more slowly.\n")
            response.headers["Retry-After"] = "1"
            return response
        }
        let reply = HTTPReplyChannel()
        let client = MediatorClientConnection(reply, from: request.peer, services: channels)
        let verdict = await handler.take(request.body, on: client)
        switch verdict {
        case .later: return Self.later
        case .refused: return HTTPResponse(400, text: "This is not a message for this agent.\n")
        case .taken:
            guard let answer = reply.answer else { return HTTPResponse(202) }
            return HTTPResponse(200, EnvelopeMediaType.envelope.rawValue, answer)
        }
    }

    /// The answer to an envelope that the sender should send again.
    static var later: HTTPResponse {
        var response = HTTPResponse(503, text: "Try again later.\n")
        response.headers["Retry-After"] = "5"
        return response
    }

    /// Begins to serve a WebSocket; the caller gives its envelopes and tells its end.
    package func begin(_ reply: any ReplyChannel, from source: SocketAddress?) -> ServedWebSocket {
        counters.add(1, to: \.sockets)
        return ServedWebSocket(MediatorClientConnection(reply, from: source, services: channels), self)
    }

    /// Waits until one more envelope of a source is within its limit: on a WebSocket it is read more slowly.
    func waitForAdmission(of source: SocketAddress?) async throws {
        let clock = context.clock
        while !admits(source) {
            let next = sources.withLock { $0.nextAdmission(of: source?.address) }
            try await clock.wait(until: max(next ?? .zero, clock.now() + .milliseconds(1)))
        }
    }
}
