import Determinism

/// Follows what other instances, and commands, change in the same store: accounts that were closed, clients that
/// connected to another instance. Records in the store that this instance is alive.
actor InstanceChangeFollower {
    /// The polling interval for signals, in case no notification comes.
    static let look = Duration.seconds(2)
    /// The interval of this instance's heartbeats, and how long each counts.
    static let (beat, life) = (Duration.seconds(5), Duration.seconds(30))
    /// The number of signals that are read at a time.
    private static let step = 500

    private let context: MediatorContext
    private let storage: MonitoredStore
    private let live: LiveChannels
    private let liveHolds: LiveClientHolds
    private let removal: AccountRemoval
    /// The number of the last signal that was processed; nil before the first read.
    private var last: Int64?
    private var beatAt = MonotonicInstant.zero
    private var mustCompare = false
    private var isLooking = false
    private var isAsked = false
    private var isEnded = false

    init(
        _ context: MediatorContext, storage: MonitoredStore, live: LiveChannels, liveHolds: LiveClientHolds,
        removal: AccountRemoval
    ) {
        self.context = context
        self.storage = storage
        self.live = live
        self.liveHolds = liveHolds
        self.removal = removal
    }

    /// Records this instance, and the signal from which on to read; before a client is served.
    func begin() async throws(CloudAgentError) {
        if storage.store.isShared { _ = try await beat() }
        last = try await storage.store.read { try $0.signals.newest() }
    }

    /// Handles a store that went back to an earlier state: reads the signals anew, and compares all accounts with it.
    func queueWentBack() async {
        last = nil
        beatAt = .zero
        mustCompare = true
        await look()
    }

    /// Runs until it is cancelled.
    func run() async {
        while !Task.isCancelled {
            do { try await context.clock.wait(until: context.clock.now() + Self.look) } catch { return }
            await look()
        }
    }

    /// Frees the holds of this instance, and processes no signal any more.
    func end() async {
        isEnded = true
        await liveHolds.end()
        guard storage.store.isShared else { return }
        let instance = context.instance
        try? await storage.store.write { try $0.instances.leave(instance) }
    }

    /// Processes the signals that other instances have written since the last call.
    func look() async {
        guard !isEnded else { return }
        guard !isLooking else {
            isAsked = true
            return
        }
        isLooking = true
        repeat {
            isAsked = false
            do throws(CloudAgentError) {
                if storage.store.isShared, context.clock.now() >= beatAt, try await !beat() { try await compareAll() }
                if mustCompare {
                    try await compareAll()
                    mustCompare = false
                }
                try await follow()
                try await liveHolds.retry()
                live.retryFetches(at: context.clock.now())
            } catch {
                storage.health.failed(error)
            }
        } while isAsked
        isLooking = false
    }

    /// Records the heartbeat of this instance in the store.
    ///
    /// - Returns: false when the store did not know this instance to live.
    private func beat() async throws(CloudAgentError) -> Bool {
        beatAt = context.clock.now() + Self.beat
        let (instance, now) = (context.instance, context.wallTime())
        return try await storage.store.write {
            try $0.instances.beat(instance, until: now.adding(Self.life), at: now)
        }
    }

    private func follow() async throws(CloudAgentError) {
        guard let from = last else {
            last = try await storage.store.read { try $0.signals.newest() }
            return
        }
        let (signals, isComplete) = try await storage.store.read { try $0.signals.list(after: from, limit: Self.step) }
        for signal in signals {
            last = signal.number
            switch signal.kind {
            case .closed: await removal.drop(signal.account)
            case .live: if signal.instance != context.instance { try await liveHolds.compare(signal.account) }
            }
        }
        guard !isComplete else { return }
        // There are more signals than one read returns, or some were removed before this instance has read them.
        if signals.count == Self.step {
            isAsked = true
            return
        }
        last = try await storage.store.read { try $0.signals.newest() }
        try await compareAll()
    }

    /// Compares the state in memory with the store.
    private func compareAll() async throws(CloudAgentError) {
        for account in live.accounts {
            guard try await storage.store.read({ try $0.accounts.account(account) }) != nil else {
                await removal.drop(account)
                continue
            }
            if storage.store.isShared { try await liveHolds.compare(account) }
        }
    }
}
