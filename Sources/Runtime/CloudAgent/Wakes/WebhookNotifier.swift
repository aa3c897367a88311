import Aries
import CryptoSuite
import DIDComm
import Determinism
import JSON

/// Wakes clients that are not connected by a post to their webhook, once for all messages that came meanwhile.
///
/// A `WebhookSchedule` per account decides when. The position up to which a client was woken is kept in the store, so
/// that a restart neither forgets a wake-up nor repeats it.
actor WebhookNotifier {
    /// The most accounts that are remembered as not to be woken.
    static let maximumRemembered = 100_000
    /// The most accounts with wake-ups under way; the maintenance finds the others again.
    static let maximumRuns = 10_000
    /// The most posts at one time.
    static let maximumPosts = 32

    private struct AccountWakeUp {
        var schedule: WebhookSchedule
        /// The operation under way, or the last one.
        var operation: Task<Void, Never>?
    }

    /// The posts under way, and those that wait for their end.
    private struct PostLimiter {
        var count = 0
        var waiters: [CheckedContinuation<Void, Never>] = []

        var isFull: Bool { count >= WebhookNotifier.maximumPosts }

        mutating func ended() {
            count -= 1
            if !waiters.isEmpty { waiters.removeFirst().resume() }
        }
    }

    nonisolated let rules: WebhookRules
    private let poster: WebhookSender
    private let context: MediatorContext
    private let storage: MonitoredStore
    private let live: LiveChannels
    private let holds: InstanceAccountHolds
    private nonisolated let unconcerned = Lock<Set<Int64>>([])
    private var runs: [Int64: AccountWakeUp] = [:]
    private var deadlines = AccountDeadlines()
    private var timer: DeadlineTimer
    private var posts = PostLimiter()
    private var isEnded = false

    init(
        _ rules: WebhookRules, poster: WebhookSender, context: MediatorContext, storage: MonitoredStore,
        live: LiveChannels
    ) {
        self.rules = rules
        self.poster = poster
        self.context = context
        self.storage = storage
        self.live = live
        holds = InstanceAccountHolds(context: context, store: storage.store)
        timer = DeadlineTimer(clock: context.clock)
    }

    /// Returns true when the client of an account may have a webhook.
    nonisolated func mayConcern(_ account: Int64) -> Bool { !unconcerned.withLock { $0.contains(account) } }

    /// Records that the client of an account has set a webhook.
    nonisolated func registered(_ account: Int64) { _ = unconcerned.withLock { $0.remove(account) } }

    /// Cancels the wake-ups of an account that is deleted.
    func forget(_ account: Int64) {
        registered(account)
        cancel(account)
    }

    /// Cancels all wake-ups and looks for due ones anew, because the store went back to an earlier state.
    func queueWentBack() async {
        unconcerned.withLock { $0 = [] }
        for account in runs.keys.sorted() { cancel(account) }
        await lookForAll()
    }

    /// Stops all webhook calls.
    func end() {
        isEnded = true
        for account in Array(runs.keys) { cancel(account) }
        for waiting in posts.waiters { waiting.resume() }
        posts.waiters = []
    }

    /// Schedules a wake-up for the client of an account that got a message.
    func mailArrived(_ account: Int64) {
        guard !isEnded, mayConcern(account) else { return }
        if runs[account] == nil {
            guard runs.count < Self.maximumRuns else { return }
            runs[account] = AccountWakeUp(schedule: WebhookSchedule(rules, random: SystemRandom()))
        }
        handle(.messageWaits, of: account)
    }

    /// Finds clients that should be woken, also those that registered with another instance.
    func lookForAll() async {
        var last: Int64 = 0
        while !isEnded {
            let from = last
            let accounts = try? await storage.store.read { try $0.wakes.due(after: from, limit: 500) }
            guard let accounts, let end = accounts.last else { return }
            last = end
            for account in accounts {
                registered(account)
                mailArrived(account)
            }
        }
    }

    // Inputs of the schedules.

    private func handle(_ input: WebhookSchedule.Input, of account: Int64) {
        var outputs: [WebhookSchedule.Output] = []
        runs[account]?.schedule.handle(input, at: context.clock.now(), into: &outputs)
        deadlines.set(runs[account]?.schedule.nextDeadline, for: account)
        for output in outputs { follow(output, of: account) }
        armTimer()
    }

    private func cancel(_ account: Int64) {
        runs[account]?.operation?.cancel()
        handle(.cancelled, of: account)
    }

    private func armTimer() {
        timer.arm(deadlines.next()) { [weak self] in await self?.timeReached($0) }
    }

    private func timeReached(_ generation: UInt64) {
        guard timer.hasFired(generation) else { return }
        let now = context.clock.now()
        var due: [Int64] = []
        while let account = deadlines.popDue(at: now) { due.append(account) }
        for account in due { handle(.timeReached, of: account) }
        armTimer()
    }

    /// Gives the schedule the state of the live client, and watches for the next change.
    private func watchClient(_ account: Int64) {
        guard runs[account]?.schedule.isWaitingForClient == true else { return }
        // The watch comes first: a change after it is read again.
        live.watch(account) { [weak self] in
            guard let self else { return }
            Task { await self.watchClient(account) }
        }
        handle(live.heard(account).map { .clientHeard(at: $0) } ?? .clientLeft, of: account)
    }

    // Outputs of the schedules.

    private func follow(_ output: WebhookSchedule.Output, of account: Int64) {
        switch output {
        case .perform(let operation): runs[account]?.operation = Task { await perform(operation, of: account) }
        case .watchClient: watchClient(account)
        case .postFailed: context.counters.add(to: \.wakeFailures)
        case .hasNoWebhook: rememberUnconcerned(account)
        case .ended:
            runs[account] = nil
            live.unwatch(account)
        }
    }

    private func rememberUnconcerned(_ account: Int64) {
        unconcerned.withLock { unconcerned in
            if unconcerned.count >= Self.maximumRemembered { unconcerned = [] }
            unconcerned.insert(account)
        }
    }

    private func perform(_ operation: WebhookSchedule.Operation, of account: Int64) async {
        let result: WebhookSchedule.Input
        do {
            result = try await self.result(of: operation, for: account)
        } catch {
            storage.health.failed(error)
            result = .operationFailed
        }
        handle(result, of: account)
    }

    private func result(
        of operation: WebhookSchedule.Operation, for account: Int64
    ) async throws -> WebhookSchedule.Input {
        switch operation {
        case .read:
            let entry = try await storage.store.read { try $0.wakes.entry(of: account) }
            return .found(entry, heard: live.heard(account), wallTime: context.wallTime())
        case .takeHold(let entry):
            guard try await holds.takeUnlessLiveElsewhere(.wake, of: account) else { return .heldElsewhere }
            guard storage.store.isShared else { return .holdTaken(entry) }
            return .holdTaken(try await storage.store.read { try $0.wakes.entry(of: account) })
        case .freeHold:
            try await holds.free(.wake, of: account)
            return .holdFreed
        case .post(let entry, let id):
            let body = try WebhookRecord(entry.body, by: context.secret)
            guard rules.allows(body.call.webhook) else { return .notAllowed }
            return .answered(status: await post(body, id: id))
        case .recordWakeUp(let position):
            context.counters.add(to: \.woken)
            let woken = context.wallTime()
            try await storage.store.write { try $0.wakes.settle(of: account, upTo: position, woken: woken) }
        case .giveUp(let position):
            try await storage.store.write { try $0.wakes.settle(of: account, upTo: position, woken: nil) }
        case .removeWebhook:
            try await storage.store.write { try $0.wakes.set(nil, of: account) }
        }
        try await holds.free(.wake, of: account)
        return .settled
    }

    /// Posts once; returns the status of the answer, nil without one.
    private func post(_ wake: WebhookRecord, id: String) async -> Int? {
        guard let address = wake.call.webhook.address else { return nil }
        while posts.isFull, !isEnded { await withCheckedContinuation { posts.waiters.append($0) } }
        posts.count += 1
        let content: JSONObject = ["token": .string(wake.call.token)]
        let bytes = content.encoded
        let key = context.secret.wakeKey(of: wake.routing, for: wake.call.webhook)
        let fields = key.fields(id: id, timestamp: context.wallTime().millisecondsSinceEpoch / 1000, body: bytes)
        let status = try? await poster.post(bytes, fields: fields, to: address)
        posts.ended()
        return status
    }
}
