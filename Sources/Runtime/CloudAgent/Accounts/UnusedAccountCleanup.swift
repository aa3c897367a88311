import ByteCoding
import Determinism

/// Deletes unused accounts: those that were only opened, when there is no room for another account; and, where the
/// operator configures it, those whose clients were silent for a long time.
actor UnusedAccountCleanup {
    /// An account that did not request mediation within this time after its opening counts as only opened.
    static let unservedAge = Duration.seconds(3600)
    /// An account is unused as well when its client was not heard later than this after the opening, and not within
    /// `silentAge`.
    static let openingSpan = Duration.seconds(3600)
    /// The least silence of such a client.
    static let silentAge = Duration.seconds(86_400)
    /// The number of accounts that one step deletes.
    static let step = 50
    /// The most steps of one run of the clean-up.
    private static let steps = 40
    /// The pause after a run of the clean-up that found no unused account.
    static let pause = Duration.seconds(60)
    /// The setting with the start of the count of silence, in milliseconds of the epoch.
    private static let startSetting = "idle-since"

    private let context: MediatorContext
    private let storage: MonitoredStore
    private let live: LiveChannels
    private let holds: InstanceAccountHolds
    private let removal: AccountRemoval
    private let messageClock: MessageClock
    private var nextLook = MonotonicInstant.zero
    private var current: Task<Bool, Never>?

    init(
        _ context: MediatorContext, storage: MonitoredStore, live: LiveChannels, removal: AccountRemoval,
        messageClock: MessageClock
    ) {
        self.context = context
        self.storage = storage
        self.live = live
        holds = InstanceAccountHolds(context: context, store: storage.store)
        self.removal = removal
        self.messageClock = messageClock
    }

    /// Deletes a few accounts that were only opened; false when there are none.
    func makeRoom() async -> Bool {
        if let current { return await current.value }
        guard context.clock.now() >= nextLook else { return false }
        let task = Task { await self.endOpened() }
        current = task
        let hasEnded = await task.value
        current = nil
        if !hasEnded { nextLook = context.clock.now() + Self.pause }
        return hasEnded
    }

    private func endOpened() async -> Bool {
        do throws(CloudAgentError) {
            let opened = messageClock.judgedTime(minus: Self.unservedAge)
            let unserved = try await storage.store.read {
                try $0.accounts.unserved(before: opened, after: nil, limit: Self.step)
            }
            if try await end(unserved) > 0 { return true }
            let since = messageClock.judgedTime(minus: Self.silentAge)
            let silent = try await storage.store.read {
                try $0.accounts.silent(since: since, heardWithin: Self.openingSpan, limit: Self.step)
            }
            return try await end(silent) > 0
        } catch {
            storage.health.failed(error)
            return false
        }
    }

    /// Deletes accounts whose clients were silent for as long as the operator configured.
    func endSilent() async throws(CloudAgentError) {
        let start = try await start()
        guard let idle = context.configuration.accountIdle else { return }
        let since = messageClock.judgedTime(minus: idle)
        guard start <= since else { return }
        for _ in 0..<Self.steps where !Task.isCancelled {
            let silent = try await storage.store.read {
                try $0.accounts.silent(since: since, heardWithin: nil, limit: Self.step)
            }
            guard try await end(silent) > 0 else { return }
        }
    }

    /// The time from which silence is counted: stored by the first call, and read by later ones.
    private func start() async throws(CloudAgentError) -> WallTime {
        let now = context.wallTime()
        let kept = try await storage.store.read { try $0.settings.value(Self.startSetting) }
        let bytes: [UInt8]
        if let kept {
            bytes = kept
        } else {
            let milliseconds = UInt64(bitPattern: now.millisecondsSinceEpoch)
            let new = (0..<8).map { UInt8(truncatingIfNeeded: milliseconds >> (56 - 8 * $0)) }
            bytes = try await storage.store.write(adding: new.count) { try $0.settings.settle(Self.startSetting, new) }
        }
        guard bytes.count == 8 else { return now }
        return WallTime(
            millisecondsSinceEpoch: Int64(bitPattern: UInt64(bigEndianBytes: bytes)))
    }

    /// Deletes accounts whose clients are not live; returns how many.
    private func end(_ accounts: [AccountEntry]) async throws(CloudAgentError) -> Int {
        var count = 0
        for account in accounts {
            guard try await !isLive(account.number) else { continue }
            let isClosed = try await storage.store.write {
                try $0.accounts.close(account.number, allowsReopening: true)
            }
            guard isClosed else { continue }
            count += 1
            context.counters.add(to: \.ended)
            await removal.drop(account.number)
        }
        return count
    }

    private func isLive(_ account: Int64) async throws(CloudAgentError) -> Bool {
        if live.contains(account) { return true }
        return try await holds.liveHolder(of: account) != nil
    }
}
