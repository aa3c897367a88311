import CloudAgent
import CryptoSuite
import Determinism
import WebTransport

/// A simulated process of the cloud agent, which can be started, drained, and killed at any moment.
final class Host: @unchecked Sendable {
    // Invariant: used by the one thread of the process alone.
    let name: String
    private let world: World
    private let network: Network
    /// The number of starts of the process; answers of an earlier life are dropped.
    private(set) var life = 0
    private(set) var service: MediatorService?
    private(set) var store: WatchedStore?
    private var clock: HostClock?
    private var takesNothing = false
    private var isStarting = false
    var exchanges: [Network.Exchange] = []
    var lines: [VirtualSocket] = []

    init(_ name: String, _ world: World, _ network: Network) {
        self.name = name
        self.world = world
        self.network = network
    }

    /// The mediator service while it accepts new requests; nil otherwise.
    var open: MediatorService? { takesNothing ? nil : service }

    /// True while the process drains, until it has ended.
    var isDraining: Bool { takesNothing && service != nil }

    /// The fixed secret of simulated agents, which protects nothing.
    static func secret() throws -> MediatorSecret {
        try MediatorSecret(Secret(copying: [UInt8](repeating: 5, count: 32)))
    }

    /// Starts the process on a disk that is open; does nothing when it is up, or being started.
    ///
    /// - Throws: The error of the store; the process is down then.
    func start(
        _ configuration: CloudAgentConfiguration, _ disk: Disk, _ books: Books, _ planted: PlantedBug? = nil,
        isShared: Bool
    ) async throws {
        guard service == nil, !isStarting else { return }
        isStarting = true
        defer { isStarting = false }
        let (world, clock, life) = (world, HostClock(world), life)
        let store = WatchedStore(disk, books, world, planted, isShared: isShared)
        let made = try MediatorService(
            MediatorContext(
                configuration, endpoints: MediatorEndpoints("http://agent.example"), secret: Self.secret(),
                clock: clock, wallTime: { world.wallTime }),
            store: store, transport: network)
        try await made.begin()
        guard life == self.life else {
            store.isDead = true
            return clock.end()
        }
        (service, self.store, self.clock, takesNothing) = (made, store, clock, false)
        self.life += 1
        exchanges = []
        lines = []
        world.note("up", name)
    }

    /// Ends the process at once, like a kill signal.
    func die() {
        life += 1
        guard service != nil else { return }
        world.note("dead", name)
        store?.isDead = true
        service = nil
        let (exchanges, lines) = (exchanges, lines)
        for exchange in exchanges { exchange.end(.lost) }
        for line in lines { line.die() }
        (self.exchanges, self.lines) = ([], [])
        clock?.end()
    }

    /// Stops accepting requests, waits for those under way, closes the WebSockets, and ends the process.
    func drain() async {
        guard let service else { return }
        world.note("drain", name, visit: true)
        takesNothing = true
        let life = life
        await service.end()
        _ = await world.until(within: .seconds(10)) { self.exchanges.allSatisfy(\.isOver) || self.life != life }
        guard isAlive(since: life) else { return }
        for line in lines { line.close(.goingAway, "The agent ends.") }
        await world.pause(.milliseconds(200))
        guard isAlive(since: life) else { return }
        await service.leave()
        guard isAlive(since: life) else { return }
        die()
    }

    /// True when the process has not been killed since `life`, the number of its start.
    private func isAlive(since life: Int) -> Bool {
        if self.life != life { world.note("killed-while-draining", name, visit: true) }
        return self.life == life
    }
}
