package import Aries
package import AriesRuntime
import DIDComm
package import Determinism
package import WebTransport

/// A running mediator without its listener: answers envelopes, tells clients of mail, and maintains the store.
///
/// It owns all parts of the mediator, and ends them.
package final class AgentService: Sendable {
    let context: MediatorContext
    let guests: GuestBook
    let cabinet: KeyCabinet
    let clock: MessageClock
    let tally: Tally
    let health: StoreHealth
    let live: LiveChannels
    let delivery: EndpointDelivery
    let neighbours: Neighbours
    let unused: UnusedAccounts
    let upkeep: Upkeep
    let channels: AccountChannel.Parts
    let desk: EnvelopeDesk
    private let wakes: WakeDesk?
    let store: any MediatorStore
    private let sources: Lock<SourceLimits>
    private let tasks = Lock<[Task<Void, Never>]>([])

    /// Makes a service; it does nothing before `begin`.
    ///
    /// - Throws: `aries.*` for a label or an address that no invitation holds.
    package init(
        _ configuration: CloudAgentConfiguration, store: any MediatorStore, secret: AgentSecret,
        endpoints: AgentEndpoints,
        wire: any Wire, post: WebPost? = nil, timekeeper: any Timekeeper,
        wallTime: @escaping @Sendable () -> WallTime
    ) throws {
        let context = MediatorContext(
            configuration, endpoints, secret, timekeeper: timekeeper, wallTime: wallTime)
        (self.context, self.store) = (context, store)
        sources = Lock(
            SourceLimits(perSecond: Double(configuration.perSourceRate), burst: configuration.perSourceBurst))
        let tally = Tally()
        let (clock, health, live) = (MessageClock(context), StoreHealth(timekeeper, tally), LiveChannels())
        let (pool, redelivery) = (KeyPool(size: 32), Lock(RedeliveryBackoff()))
        (self.tally, self.clock, self.health, self.live) = (tally, clock, health, live)
        guests = try GuestBook(context)
        cabinet = KeyCabinet(store, secret, pinned: guests.keys, limits: .standard)
        let courier = Courier(
            wire, waits: configuration.retryAfter,
            limits: .init(count: configuration.maximumDeliveries, bytes: configuration.maximumDeliveryBytes),
            timekeeper: timekeeper)
        delivery = EndpointDelivery(
            context, store, cabinet: cabinet, courier: courier, live: live, tally: tally, health: health)
        wakes = post.flatMap { post in
            configuration.wakes.map { WakeDesk($0, post, context, store, live: live, tally: tally, health: health) }
        }
        let caches = AccountCaches(
            cabinet: cabinet, redelivery: redelivery, live: live, delivery: delivery, wakes: wakes)
        neighbours = Neighbours(context, store, live: live, caches: caches, health: health)
        unused = UnusedAccounts(
            context, store, live: live, caches: caches, clock: clock, tally: tally, health: health)
        upkeep = Upkeep(
            context: context, store: store, pool: pool, unused: unused, wakes: wakes, caches: caches, clock: clock,
            tally: tally, health: health)
        let clerk = AccountClerk(
            context: context, store: store, cabinet: cabinet, guests: guests, pool: pool, wakes: wakes,
            redelivery: redelivery, health: health)
        channels = AccountChannel.Parts(
            context: context, clerk: clerk, guests: guests, cabinet: cabinet, courier: courier, delivery: delivery,
            live: live, neighbours: neighbours, caches: caches, turns: Turns(),
            heardClients: HeardClients(context, store), tally: tally)
        let newcomers = SourceLimits(
            perSecond: Double(configuration.perSourceAccounts) / 3600, burst: configuration.perSourceAccounts)
        let registrar = Registrar(
            context: context, store: store, cabinet: cabinet, guests: guests, pool: pool, unused: unused,
            caches: caches, clock: clock, tally: tally, newcomers: Lock(newcomers))
        desk = EnvelopeDesk(
            context: context, store: store, cabinet: cabinet, registrar: registrar, courier: courier, clock: clock,
            tally: tally, health: health)
    }

    /// Begins to tell of mail, and to maintain the store.
    ///
    /// - Throws: what the store throws.
    package func begin() async throws(CloudAgentError) {
        try await neighbours.begin()
        store.listen { [weak self] news in self?.hear(news) }
        hear(.anyMail)
        let (upkeep, neighbours) = (upkeep, neighbours)
        tasks.withLock { tasks in
            tasks = [Task { await upkeep.run() }, Task { await neighbours.run() }]
        }
    }

    /// Ends what begins without a request; requests are still answered.
    package func end() async {
        for task in tasks.withLock({ $0 }) { task.cancel() }
        await delivery.end()
        await wakes?.end()
    }

    /// Ends everything, and frees for other instances what this one holds in the store.
    package func leave() async {
        await delivery.end()
        await wakes?.end()
        await neighbours.end()
    }

    /// The invitation that opens an account, by out-of-band 1.1.
    package var invitation: Invitation? { guests.general.current.invitation }

    /// What has happened since the service began.
    package var counts: AgentCounts {
        var counts = tally.counts
        counts.live = live.count
        return counts
    }

    /// Takes a list of names that may open an account, instead of the one before; nil for no list.
    ///
    /// - Throws: `aries.*` for an address that no invitation holds; the list before stays then.
    func allow(_ list: AllowList?) throws(AriesError) {
        try guests.take(list)
        cabinet.pin(guests.keys)
    }

    /// The store tells something.
    private func hear(_ news: StoreNews) {
        let (neighbours, delivery, wakes) = (neighbours, delivery, wakes)
        switch news {
        case .signals: Task { await neighbours.look() }
        case .mail(let account):
            let isTold = live.tell(account)
            if !isTold { Task { await delivery.mailArrived(account) } }
            if let wakes, wakes.mayConcern(account) { Task { await wakes.mailArrived(account) } }
        case .anyMail:
            live.tell(nil)
            Task {
                await delivery.lookForAll()
                await wakes?.lookForAll()
            }
        }
    }

    /// Whether a source may bring one more envelope now.
    private func admits(_ source: SocketAddress?) -> Bool {
        let now = context.timekeeper.now()
        let isAdmitted = sources.withLock { $0.admits(source?.address, at: now) }
        if !isAdmitted { tally.add(to: \.slowedDown) }
        return isAdmitted
    }

    /// Answers an envelope that came by HTTP.
    package func answer(_ request: HTTPRequest) async -> HTTPResponse {
        guard admits(request.peer) else {
            var response = HTTPResponse(429, text: "Come more slowly.\n")
            response.headers["Retry-After"] = "1"
            return response
        }
        let carrier = RequestCarrier()
        let line = ClientLine(carrier, from: request.peer, channels)
        let verdict = await desk.take(request.body, on: line)
        switch verdict {
        case .later: return Self.later
        case .refused: return HTTPResponse(400, text: "This is no message for this agent.\n")
        case .taken:
            guard let answer = carrier.answer else { return HTTPResponse(202) }
            return HTTPResponse(200, EnvelopeMediaType.envelope.rawValue, answer)
        }
    }

    /// The answer to an envelope that may be sent again.
    static var later: HTTPResponse {
        var response = HTTPResponse(503, text: "Try again later.\n")
        response.headers["Retry-After"] = "5"
        return response
    }

    /// Serves a WebSocket until it ends.
    package func serve(_ socket: any ClientSocket) async {
        let line = ClientLine(SocketCarrier(socket), from: socket.peer, channels)
        let timekeeper = context.timekeeper
        tally.add(1, to: \.sockets)
        do {
            while let envelope = try await socket.next() {
                // A source that sends too fast on a WebSocket is read more slowly.
                while !admits(socket.peer) {
                    try await timekeeper.wait(until: timekeeper.now() + .milliseconds(100))
                }
                // A WebSocket has no answer that says so, but its end.
                guard await desk.take(envelope, on: line) != .later else {
                    socket.close(.tryAgainLater, "A message could not be kept; bring it again.")
                    break
                }
            }
        } catch {
            // The connection was lost; what was not acknowledged stays in the queue.
        }
        await line.end()
        tally.add(-1, to: \.sockets)
    }
}
