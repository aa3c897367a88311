import Aries
import AriesRuntime
import CryptoSuite
import DIDComm
import Determinism
import WebTransport

/// What all parts of a running cloud agent share.
final class AgentOffice: Sendable {
    /// The largest envelope that goes to a client: what was taken, wrapped once more.
    static let outgoingLimits = EnvelopeLimits.ofMediators

    let configuration: CloudAgentConfiguration
    let store: any AgentStore
    let secret: AgentSecret
    let cabinet: KeyCabinet
    let endpoints: AgentEndpoints
    let invitations: OwnInvitations
    let guests = GuestBook()
    let courier: Courier
    let live = LiveChannels()
    /// Whose turn it is to hand out for good.
    let turns = Turns()
    /// The last failure of the store, and when it was full last.
    private let failure = Lock<(error: CloudAgentError?, fullAt: MonotonicInstant?)>((nil, nil))
    /// When messages are handed out again that could not be forgotten.
    let redelivery = Lock(RedeliveryBackoff())
    /// When live clients are fetched for again for which fetching failed.
    let fetchRetry = Lock(FetchRetry())
    /// Messages of clients that came soon after one that counted as a sign of the client, and so do not count later.
    let signs = Lock(RecentMarks(capacity: 20_000))
    /// By what this instance is told apart from others on the same store.
    let instance: Int64
    /// The rest of those who work here, until the end.
    private let staff = Lock<Staff?>(nil)
    let pool = KeyPool(size: 32)
    let tally = Tally()
    private let sources: Lock<SourceLimits>
    private let ages: Lock<AgeClock>
    private let newcomers: Lock<SourceLimits>
    let timekeeper: any Timekeeper
    let wallTime: @Sendable () -> WallTime

    init(
        _ configuration: CloudAgentConfiguration, _ store: any AgentStore, _ secret: AgentSecret,
        _ endpoints: AgentEndpoints, wire: any MessageTransport, post: WebPost? = nil, timekeeper: any Timekeeper,
        wallTime: @escaping @Sendable () -> WallTime
    ) throws(AriesError) {
        self.configuration = configuration
        self.store = store
        self.secret = secret
        self.endpoints = endpoints
        self.timekeeper = timekeeper
        sources = Lock(
            SourceLimits(perSecond: Double(configuration.perSourceRate), burst: configuration.perSourceBurst))
        newcomers = Lock(
            SourceLimits(
                perSecond: Double(configuration.perSourceAccounts) / 3600, burst: configuration.perSourceAccounts))
        self.wallTime = wallTime
        ages = Lock(AgeClock(window: configuration.messageAge))
        invitations = try OwnInvitations(configuration.label, endpoints, secret)
        let pinned = [CabinetKey(key: invitations.key, kind: .invitation, account: nil)]
        cabinet = KeyCabinet(store, secret, pinned: pinned, limits: .standard)
        courier = Courier(
            wire, waits: configuration.retryAfter,
            limits: .init(count: configuration.maximumDeliveries, bytes: configuration.maximumDeliveryBytes),
            timekeeper: timekeeper)
        var random = SystemRandom()
        instance = random.bytes(count: 7).reduce(Int64(1)) { $0 << 8 | Int64($1) }
        let wakes = post.flatMap { post in
            configuration.wakes.map { WakeDesk(self, $0, post, by: secret) }
        }
        staff.withLock {
            $0 = Staff(
                Neighbours(self), EndpointDelivery(self, waits: configuration.redeliverAfter), wakes,
                UnusedAccounts(self))
        }
        try allow(configuration.allowList)
    }

    /// Takes a list of those who may open an account; nil for everybody.
    func allow(_ list: AllowList?) throws(AriesError) {
        var keys = [CabinetKey(key: invitations.key, kind: .invitation, account: nil)]
        try guests.take(list) { (guest) throws(AriesError) in
            let made = try OwnInvitations(configuration.label, endpoints, secret, name: guest.name)
            keys.append(CabinetKey(key: made.key, kind: .invitation, account: nil))
            return made
        }
        cabinet.pin(keys)
    }

    private struct Staff {
        let neighbours: Neighbours
        let delivery: EndpointDelivery
        let wakes: WakeDesk?
        let unused: UnusedAccounts

        init(
            _ neighbours: Neighbours, _ delivery: EndpointDelivery, _ wakes: WakeDesk?, _ unused: UnusedAccounts
        ) {
            (self.neighbours, self.delivery, self.wakes, self.unused) = (neighbours, delivery, wakes, unused)
        }
    }

    /// Who knows what other instances do; nil when the work is over.
    var neighbours: Neighbours? { staff.withLock { $0?.neighbours } }
    /// Who brings mail to clients with an address; nil when the work is over.
    var delivery: EndpointDelivery? { staff.withLock { $0?.delivery } }
    /// Who wakes clients; nil when nobody does.
    var wakes: WakeDesk? { staff.withLock { $0?.wakes } }

    /// What ends accounts that are not used; nil when the work is over.
    var unused: UnusedAccounts? { staff.withLock { $0?.unused } }

    /// The work is over.
    func end() async {
        await delivery?.end()
        await wakes?.end()
        await neighbours?.end()
        staff.withLock { $0 = nil }
    }

    /// Something was told by the store.
    func hear(_ news: StoreNews) {
        switch news {
        case .signals: Task { await neighbours?.look() }
        case .mail(let account):
            let isTold = live.tell(account)
            if !isTold { Task { await delivery?.mailArrived(account) } }
            if let wakes, wakes.mayConcern(account) { Task { await wakes.mailArrived(account) } }
        case .anyMail:
            live.tell(nil)
            Task {
                await delivery?.lookForAll()
                await wakes?.lookForAll()
            }
        }
    }

    /// Whether a source may bring one more envelope now.
    func admits(_ source: SocketAddress?) -> Bool {
        let now = timekeeper.now()
        let isAdmitted = sources.withLock { $0.admits(source?.address, at: now) }
        if !isAdmitted { tally.add(to: \.slowedDown) }
        return isAdmitted
    }

    /// The last failure of the store; nil before the first.
    var lastStoreFailure: CloudAgentError? { failure.withLock { $0.error } }

    /// Whether the store was full within so short a time; what stands behind a connection does not tell it otherwise.
    func wasFull(within time: Duration) -> Bool {
        let now = timekeeper.now()
        return failure.withLock { $0.fullAt.map { now - $0 < time } ?? false }
    }

    /// The store failed.
    func storeFailed(_ error: any Error) {
        tally.add(to: \.storeFailures)
        guard let error = error as? CloudAgentError else { return }
        let now = timekeeper.now()
        failure.withLock { failure in
            failure.error = error
            if error.code == .full { failure.fullAt = now }
        }
    }

    /// The store answers: fetches for live clients for which fetching failed.
    func storeAnswered() {
        let now = timekeeper.now()
        for account in fetchRetry.withLock({ $0.due(at: now) }) { live.tell(account) }
    }

    /// Whether messages of an account may be handed out now; those behind a place in a queue are no redelivery.
    func mayHandOut(_ selection: MediatorCommand.Selection, of account: Int64) -> Bool {
        if case .after(let position, _) = selection, position > 0 { return true }
        let now = timekeeper.now()
        return redelivery.withLock { $0.admits(account, at: now) }
    }

    /// The time of day, to stamp with it what will be judged by `judgedTime`.
    func stamp() -> WallTime {
        let time = wallTime()
        _ = ages.withLock { [now = timekeeper.now()] ages in ages.read(time, at: now) }
        return time
    }

    /// The time of day so much later than now.
    func wallTime(plus duration: Duration) -> WallTime { Self.later(wallTime(), by: duration) }

    /// The time of day so long ago, by which ages are judged.
    func judgedTime(minus duration: Duration) -> WallTime {
        let time = wallTime()
        let judged = ages.withLock { [now = timekeeper.now()] ages in ages.read(time, at: now) }
        return Self.later(judged, by: .zero - duration)
    }

    private static func later(_ time: WallTime, by duration: Duration) -> WallTime {
        let (seconds, attoseconds) = duration.components
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        return WallTime(millisecondsSinceEpoch: time.millisecondsSinceEpoch + milliseconds)
    }

    /// Whether a source may open one more account now.
    func admitsAccount(from source: SocketAddress?) -> Bool {
        let now = timekeeper.now()
        return newcomers.withLock { $0.admits(source?.address, at: now) }
    }

    /// Tells what a client did to whoever brings mail to its address.
    func note(_ sign: ClientSign, of account: Int64) async { await delivery?.note(sign, of: account) }

    /// Forgets what is in memory of an account that is no more.
    func forget(_ account: Int64) async {
        cabinet.forget(account)
        redelivery.withLock { $0.succeeded(account) }
        live.close(account, reason: "The account is closed.")
        await delivery?.forget(account)
        await wakes?.forget(account)
    }
}
