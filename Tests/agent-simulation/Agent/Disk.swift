import CloudAgent
import Determinism
import FaultLayer

/// The simulated disk with the store's file: it tears writes, fills up, fails, and loses what was not synchronised.
final class Disk: @unchecked Sendable {
    // Invariant: used by the one thread of the process alone.
    private let world: World
    private let limits: StoreLimits
    private let layer = FaultyLayer()
    /// The history of the store's transactions that instances compare, however often the store is opened.
    private let history = StoreHistory()
    private var lastBlock = MonotonicInstant.zero
    private(set) var store: DatabaseStore?
    private var isArmedToCrash = false
    private var isDying = false

    init(_ world: World, limits: StoreLimits) {
        self.world = world
        self.limits = limits
    }

    /// True once an armed crash has happened; after it the disk does nothing.
    var hasCrashed: Bool { isArmedToCrash && layer.hasStruck }

    /// Opens the agent's store on the simulated disk.
    func open() async throws {
        store = try await DatabaseStore.sqlite(
            fileLayer: layer.name, name: "/agent.sqlite", limits: limits, history: history
        ) {
            [self] block in
            // One block after the other, each when the disk comes to it.
            let pause = world.random.chance(1, in: 40) ? 100...3000 : 0...12
            lastBlock = max(lastBlock, world.now + world.milliseconds(pause))
            world.at(lastBlock, block)
        }
    }

    /// Opens a copy of the store, as a former primary that continues to run; `end` closes it.
    func fork() async throws -> (store: DatabaseStore, end: @Sendable () async -> Void) {
        let copy = layer.copied()
        let last = Lock(MonotonicInstant.zero)
        let made = try await DatabaseStore.sqlite(fileLayer: copy.name, name: "/agent.sqlite", limits: limits) {
            [world] block in
            let next = max(last.withLock { $0 }, world.now + world.milliseconds(0...12))
            last.withLock { $0 = next }
            world.at(next, block)
        }
        return (
            made,
            {
                await made.close()
                // The files live as long as the store.
                withExtendedLifetime(copy) {}
            }
        )
    }

    /// Closes the store, whether its process shut down or died.
    func close() async {
        let closed = store
        store = nil
        await closed?.close()
    }

    /// Delays all steps of the store for a while, without failing them.
    func freeze(for duration: Duration) { lastBlock = max(lastBlock, world.now + duration) }

    /// Keeps a copy of the stored bytes, as a standby that receives nothing more.
    func keep() { layer.keep() }

    /// Replaces the stored bytes by the kept copy, as a standby replaces a lost primary.
    func goBack() async {
        await restart(losesPower: false)
        layer.putBack()
    }

    /// Makes a later write fail; nil disarms.
    func arm(_ fault: FaultyLayer.Fault?, at operation: Int) {
        guard !isDying else { return }
        isArmedToCrash = fault == .crash
        layer.arm(fault, at: operation)
    }

    /// Restarts the disk after its processes have died; after a power loss it keeps the synchronised bytes and any part
    /// of the rest.
    func restart(losesPower: Bool) async {
        if !hasCrashed { arm(.crash, at: 1) }
        isDying = true
        await close()
        isDying = false
        layer.restart(losesPower: losesPower, seed: world.random.within(0...1_000_000))
        isArmedToCrash = false
    }
}
