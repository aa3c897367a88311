package import Aries
package import AriesConnections
import DIDComm
package import Determinism
package import WebTransport

/// A running mediator without its listener: answers envelopes, announces mail to clients, and maintains the store.
///
/// It owns all parts of the mediator, and ends them.
package final class MediatorService: Sendable {
    let context: MediatorContext
    let invited: InvitedAccounts
    let keyCache: KeyCache
    let messageClock: MessageClock
    let counters: Counters
    let health: StoreHealth
    let live: LiveChannels
    let delivery: EndpointDelivery
    let peers: InstanceChangeFollower
    let unused: UnusedAccountCleanup
    let maintenance: Maintenance
    let channels: AccountChannel.ChannelDependencies
    let handler: EnvelopeHandler
    private let notifier: WebhookNotifier?
    let store: any MediatorStore
    private let sources: Lock<SourceLimits>
    private let tasks = Lock<[Task<Void, Never>]>([])

    /// Makes a service; it does nothing before `begin`.
    ///
    /// - Throws: `aries.*` for a label or an address that no invitation holds.
    package init(
        _ configuration: CloudAgentConfiguration, store: any MediatorStore, secret: MediatorSecret,
        endpoints: MediatorEndpoints,
        transport: any MessageTransport, post: WebhookSender? = nil, clock: any MonotonicClock,
        wallTime: @escaping @Sendable () -> WallTime
    ) throws {
        let context = MediatorContext(
            configuration, endpoints, secret, clock: clock, wallTime: wallTime)
        (self.context, self.store) = (context, store)
        sources = Lock(
            SourceLimits(perSecond: Double(configuration.perSourceRate), burst: configuration.perSourceBurst))
        let counters = Counters()
        let health = StoreHealth(clock, counters, isDatabase: store.isShared)
        let (messageClock, live) = (MessageClock(context), LiveChannels())
        let (pool, redelivery) = (KeyPool(size: 32), Lock(RedeliveryBackoff()))
        (self.counters, self.messageClock, self.health, self.live) = (counters, messageClock, health, live)
        invited = try InvitedAccounts(context)
        keyCache = KeyCache(store, secret, pinned: invited.keys, limits: .standard)
        let outbound = OutboundDelivery(
            transport, waits: CloudAgentConfiguration.retryAfter,
            limits: .init(
                count: CloudAgentConfiguration.maximumDeliveries, bytes: CloudAgentConfiguration.maximumDeliveryBytes),
            clock: clock)
        delivery = EndpointDelivery(
            context, store, keyCache: keyCache, outbound: outbound, live: live, counters: counters, health: health)
        notifier = post.flatMap { post in
            configuration.wakes.map {
                WebhookNotifier($0, post, context, store, live: live, counters: counters, health: health)
            }
        }
        let removal = AccountRemoval(
            keyCache: keyCache, redelivery: redelivery, live: live, delivery: delivery, notifier: notifier)
        let liveHolds = LiveHolds(context, store, live: live, health: health)
        peers = InstanceChangeFollower(
            context, store, live: live, liveHolds: liveHolds, removal: removal, health: health)
        unused = UnusedAccountCleanup(
            context, store, live: live, removal: removal, messageClock: messageClock, counters: counters, health: health
        )
        maintenance = Maintenance(
            context: context, store: store, pool: pool, unused: unused, notifier: notifier, delivery: delivery,
            removal: removal, messageClock: messageClock, counters: counters, health: health)
        let commands = MediationCommands(
            context: context, store: store, keyCache: keyCache, invited: invited, pool: pool, notifier: notifier,
            redelivery: redelivery, health: health)
        channels = AccountChannel.ChannelDependencies(
            context: context, commands: commands, invited: invited, keyCache: keyCache, outbound: outbound,
            delivery: delivery,
            live: live, liveHolds: store.isShared ? liveHolds : nil, removal: removal, locks: AccountLocks(),
            heardClients: LastSeenRecorder(context, store), counters: counters)
        let registrationLimits = SourceLimits(
            perSecond: Double(configuration.perSourceAccounts) / 3600, burst: configuration.perSourceAccounts)
        let registration = AccountRegistration(
            context: context, store: store, keyCache: keyCache, invited: invited, pool: pool, unused: unused,
            removal: removal, messageClock: messageClock, counters: counters,
            registrationLimits: Lock(registrationLimits))
        handler = EnvelopeHandler(
            context: context, store: store, keyCache: keyCache, registration: registration, outbound: outbound,
            messageClock: messageClock,
            counters: counters, health: health)
    }

    /// Begins to announce mail, and to maintain the store.
    ///
    /// - Throws: what the store throws.
    package func begin() async throws(CloudAgentError) {
        try await peers.begin()
        store.listen { [weak self] news in self?.hear(news) }
        hear(.anyMail)
        let (maintenance, peers) = (maintenance, peers)
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
        let (peers, delivery, notifier) = (peers, delivery, notifier)
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
    private func record(_ loss: StoreLoss) async {
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
        let reply = RequestReply()
        let client = MediatorClientConnection(reply, from: request.peer, channels)
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
    package func begin(_ socket: any ClientSocket) -> ServedSocket {
        counters.add(1, to: \.sockets)
        return ServedSocket(
            socket, MediatorClientConnection(SocketReplyChannel(socket), from: socket.peer, channels), self)
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
