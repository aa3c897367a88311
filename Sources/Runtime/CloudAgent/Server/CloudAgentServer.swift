public import Aries
public import AriesConnections
import DIDComm
public import Determinism
public import WebTransport

/// A cloud agent server: accepts messages for its clients over HTTP and WebSocket on one port, and stores them until
/// they are fetched.
///
/// Its guarantees stand in `Documentation/Delivery.md`. Several servers may share one store in PostgreSQL, with one
/// secret and one public address.
public final class CloudAgentServer: Sendable {
    private let configuration: CloudAgentConfiguration
    private let store: any MediatorStore
    private let secret: MediatorSecret
    private let transport: any MessageTransport
    private let post: WebhookSender?
    private let clock: any MonotonicClock
    private let wallTime: @Sendable () -> WallTime
    private let service: Lock<MediatorService?>
    private let server: HTTPServer
    private let stopping = Lock(false)
    private let memory = MemoryTrimmer()
    private let watch = StoreStallDetector()

    /// Makes a server; nothing happens before `start`.
    ///
    /// - Parameters:
    ///   - store: closed by `stop`.
    ///   - transport: what carries answers to clients that have an address of their own; closed by `stop`.
    ///   - post: posts wake-ups; without it, or without rules for them, there are no webhooks.
    public init(
        _ configuration: CloudAgentConfiguration, store: any MediatorStore, secret: MediatorSecret,
        transport: any MessageTransport,
        post: WebhookSender? = nil, clock: any MonotonicClock = SystemMonotonicClock(),
        wallTime: @escaping @Sendable () -> WallTime
    ) {
        self.configuration = configuration
        self.store = store
        self.secret = secret
        self.transport = transport
        self.post = post
        self.clock = clock
        self.wallTime = wallTime
        let service = Lock<MediatorService?>(nil)
        self.service = service
        server = HTTPServer(
            configuration.server, router: CloudAgentRoutes.router(configuration) { service.withLock { $0 } })
    }

    /// Checks its settings and the store, begins to listen, and serves; once.
    ///
    /// When it throws, no port is open.
    /// - Returns: where it listens, with the real port.
    /// - Throws: `cloud.secret.wrong`, `cloud.store.in-use` and what the store throws; as `HTTPServer.start`;
    ///   `didcomm.endpoint.*` for a public address that is malformed.
    @discardableResult
    public func start() async throws -> SocketAddress {
        // The invitations of a list's names differ from the general ones in their keys alone, so these check for all.
        _ = try MediatorInvitations(configuration.label, endpoints: endpoints(at: "127.0.0.1"), secret: secret)
        try await store.beginServing()
        try await secret.claim(store)
        let socket = try await server.start()
        do {
            let made = try MediatorService(
                MediatorContext(
                    configuration, endpoints: endpoints(at: "\(socket)"), secret: secret, clock: clock,
                    wallTime: wallTime),
                store: store, transport: transport, post: post)
            try await made.begin()
            service.withLock { $0 = made }
            memory.start()
            watch.start({ [weak self] () throws(CloudAgentError) in try await self?.probe() }, made.health)
            return socket
        } catch {
            await server.stop(within: .zero)
            throw error
        }
    }

    /// The public address, or one made from the listening address.
    private func endpoints(at socket: String) throws(DIDCommError) -> MediatorEndpoints {
        let scheme = configuration.server.certificate == nil ? "http" : "https"
        return try MediatorEndpoints(configuration.publicAddress ?? "\(scheme)://\(socket)")
    }

    /// The addresses of the mediator; nil before the start.
    public var endpoints: MediatorEndpoints? { service.withLock { $0?.context.endpoints } }

    /// The invitation that opens an account, by out-of-band 1.1; nil before it was started.
    public var invitation: Invitation? { service.withLock { $0?.invitation } }

    /// The general invitation for agents that support only connections 1.0.
    public var olderInvitation: Invitation? { service.withLock { $0?.invited.general.older.invitation } }

    /// The invitations of a name on the list, by out-of-band 1.1 and for agents that know connections 1.0 alone; nil
    /// for another name, and before it was started.
    public func invitations(for name: String) -> (current: Invitation, older: Invitation)? {
        guard let entry = service.withLock({ $0 })?.invited.entry(named: name) else { return nil }
        return (entry.invitations.current.invitation, entry.invitations.older.invitation)
    }

    /// The names on the list, in their order; nil without a list.
    var listedNames: [String]? { service.withLock { $0 }?.invited.listedNames }

    /// The short link at which the agent serves an invitation, as JSON to wallets and as a page to browsers.
    ///
    /// - Parameter name: a name on the list; nil for the general invitation.
    /// - Returns: nil for another name, for the general invitation while there is a list, and before the start.
    public func shortLink(for name: String? = nil) -> String? { service.withLock { $0 }?.invited.shortLink(for: name) }

    /// Replaces the list of names that may open an account; after the start.
    ///
    /// A removed name keeps its account with the keys that it has, and gets no more keys.
    ///
    /// - Throws: `aries.*` for an address that no invitation holds; the list before stays then.
    public func allow(_ list: AllowList) throws(AriesError) { try service.withLock { $0 }?.allow(list) }

    /// The counts since the start.
    public var counts: MediatorCounts { service.withLock { $0?.counts } ?? MediatorCounts() }

    /// The handling times of envelopes since the start.
    var durations: DurationHistogram { service.withLock { $0 }?.counters.durations ?? DurationHistogram() }

    /// The totals of the store: accounts, keys, messages.
    ///
    /// - Throws: what the store throws.
    public func totals() async throws(CloudAgentError) -> StoreTotals {
        try await store.read { try $0.inspection.totals() }
    }

    /// The accounts with greater numbers than `number`, in the order of their numbers.
    ///
    /// - Throws: what the store throws.
    public func accounts(after number: Int64, limit: Int) async throws(CloudAgentError) -> [AccountEntry] {
        try await store.read { try $0.accounts.list(after: number, limit: limit) }
    }

    /// The accounts for which most messages wait, the one with most first.
    ///
    /// - Throws: what the store throws.
    public func busiest(limit: Int) async throws(CloudAgentError) -> [AccountEntry] {
        try await store.read { try $0.accounts.busiest(limit: limit) }
    }

    /// The last failure of the store since the start; nil for none.
    public var lastStoreFailure: CloudAgentError? { service.withLock { $0?.health.lastFailure } }

    /// The loss when the store last went back to an earlier state; nil when it never did.
    public var lastStoreLoss: StoreDataLoss? { service.withLock { $0?.health.lastLoss } }

    /// The cause for which the store does not answer, and since when; nil while it answers.
    var storeOutage: StoreHealth.Outage? { service.withLock { $0?.health.outage } }

    /// True when the store is in a database, and not in a file.
    var usesDatabase: Bool { store.isShared }

    /// The kind of replication of the store's database; nil for a file, and before it is known.
    public var storeReplication: StoreReplication? { service.withLock { $0?.health.replication } }

    /// False while the store stands still, or the last small step in it failed; such a step is made twice a second.
    public var storeAnswers: Bool { watch.isAnswered }

    /// The time for which a database counts as full that refused messages because its disk is full.
    private static let fullness = Duration.seconds(10)

    /// Runs a small step in the store, to find out whether it answers, and whether it would store a message.
    ///
    /// This also reconnects a lost connection of the store, so that later messages are accepted.
    /// - Throws: what the store throws.
    public func probe() async throws(CloudAgentError) {
        _ = try await MediatorSecret.isMarked(store)
        try await secret.probe(store)
        if store.isShared, service.withLock({ $0 })?.health.wasFull(within: Self.fullness) == true {
            throw CloudAgentError(.full, "The database refused messages a moment ago: its disk is full.")
        }
    }

    /// True when the server accepts nothing new, because it is stopping.
    public var isStopping: Bool { stopping.withLock { $0 } }

    /// Accepts nothing new, lets requests under way finish until the deadline, closes all WebSockets, and then the
    /// store.
    public func stop(within duration: Duration = .seconds(10)) async {
        stopping.withLock { $0 = true }
        memory.stop()
        watch.stop()
        let service = service.withLock { $0 }
        await service?.end()
        await server.stop(within: duration)
        await service?.leave()
        await transport.close()
        await store.close()
    }
}
