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
    let courier: Courier
    let live = LiveChannels()
    let pool = KeyPool(size: 32)
    let tally = Tally()
    private let sources: Lock<SourceLimits>
    private let ages: Lock<AgeClock>
    private let delivery = Lock<(@Sendable (ClientSign, Int64) async -> Void)?>(nil)
    let timekeeper: any Timekeeper
    let wallTime: @Sendable () -> WallTime

    init(
        _ configuration: CloudAgentConfiguration, _ store: any AgentStore, _ secret: AgentSecret,
        _ endpoints: AgentEndpoints, wire: any Wire, timekeeper: any Timekeeper,
        wallTime: @escaping @Sendable () -> WallTime
    ) throws(AriesError) {
        self.configuration = configuration
        self.store = store
        self.secret = secret
        self.endpoints = endpoints
        self.timekeeper = timekeeper
        sources = Lock(SourceLimits(perSecond: configuration.perSourceRate, burst: configuration.perSourceBurst))
        self.wallTime = wallTime
        ages = Lock(AgeClock(window: configuration.messageAge))
        invitations = try OwnInvitations(configuration.label, endpoints, secret)
        let pinned = [CabinetKey(key: invitations.key, kind: .invitation, account: nil)]
        cabinet = KeyCabinet(store, secret, pinned: pinned, limits: .standard)
        courier = Courier(
            wire, waits: configuration.retryAfter, maximum: configuration.maximumDeliveries, timekeeper: timekeeper)
    }

    /// Whether a source may bring one more envelope now.
    func admits(_ source: SocketAddress?) -> Bool {
        let now = timekeeper.now()
        let isAdmitted = sources.withLock { $0.admits(source?.address, at: now) }
        if !isAdmitted { tally.add(to: \.slowedDown) }
        return isAdmitted
    }

    /// The time of day, to stamp with it what will be judged by `judgedTime`.
    func stamp() -> WallTime {
        let time = wallTime()
        _ = ages.withLock { [now = timekeeper.now()] ages in ages.read(time, at: now) }
        return time
    }

    /// The time of day so long ago, by which ages are judged.
    func judgedTime(minus duration: Duration) -> WallTime {
        let time = wallTime()
        let judged = ages.withLock { [now = timekeeper.now()] ages in ages.read(time, at: now) }
        let (seconds, attoseconds) = duration.components
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        return WallTime(millisecondsSinceEpoch: judged.millisecondsSinceEpoch - milliseconds)
    }

    /// From now on `body` is told what clients do.
    func onSigns(_ body: @escaping @Sendable (ClientSign, Int64) async -> Void) { delivery.withLock { $0 = body } }

    /// Tells what a client did to whoever brings mail to its address.
    func note(_ sign: ClientSign, of account: Int64) async { await delivery.withLock { $0 }?(sign, account) }

    /// Forgets what is in memory of an account that is no more.
    func forget(_ account: Int64) {
        cabinet.forget(account)
        live.close(account, reason: "The account is closed.")
    }
}
