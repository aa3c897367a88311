import Aries
import ByteCoding
import CryptoSuite
import DIDComm
import Determinism
import JSON

/// Wakes clients that are not connected by a post to their webhook, once for all messages that came meanwhile.
///
/// It waits for a grace period, because the client may connect without a wake-up, and as long as the client is live and
/// sends messages; after one wake-up it waits an interval before the next. A failed post is retried with the same
/// identifier until a deadline. The position up to which a client was woken is kept in the store, so that a restart
/// neither forgets a wake-up nor repeats it.
actor WebhookNotifier {
    /// The most accounts that are remembered as not to be woken.
    static let maximumRemembered = 100_000
    /// The most accounts with wake-ups under way; the maintenance finds the others again.
    static let maximumRuns = 10_000
    /// The most posts at one time.
    static let maximumPosts = 32
    /// The interval at which the notifier checks whether a live client is still connected.
    private static let glance = Duration.milliseconds(250)

    nonisolated let rules: WebhookRules
    private let context: MediatorContext
    private let store: any MediatorStore
    private let live: LiveChannels
    private let holds: AccountHolds
    private let poster: WebhookSender
    private let counters: Counters
    private let health: StoreHealth
    private nonisolated let unconcerned = Lock<Set<Int64>>([])
    private var runs: [Int64: Task<Void, Never>] = [:]
    private var asked: Set<Int64> = []
    private var posting = 0
    private var queue: [CheckedContinuation<Void, Never>] = []
    private var isEnded = false

    init(
        _ rules: WebhookRules, _ poster: WebhookSender, _ context: MediatorContext, _ store: any MediatorStore,
        live: LiveChannels, counters: Counters, health: StoreHealth
    ) {
        self.rules = rules
        self.poster = poster
        self.context = context
        self.store = store
        self.live = live
        holds = AccountHolds(context: context, store: store)
        self.counters = counters
        self.health = health
    }

    /// Whether the client of an account may have a webhook.
    nonisolated func mayConcern(_ account: Int64) -> Bool { !unconcerned.withLock { $0.contains(account) } }

    /// The client of an account has set a webhook.
    nonisolated func registered(_ account: Int64) { _ = unconcerned.withLock { $0.remove(account) } }

    /// The account is deleted.
    func forget(_ account: Int64) {
        registered(account)
        runs[account]?.cancel()
    }

    /// Stops all webhook calls.
    func end() {
        isEnded = true
        for run in runs.values { run.cancel() }
        for waiting in queue { waiting.resume() }
        queue = []
    }

    /// A message has come for an account.
    func mailArrived(_ account: Int64) {
        guard !isEnded, mayConcern(account) else { return }
        guard runs[account] == nil else { return asked.formUnion([account]) }
        guard runs.count < Self.maximumRuns else { return }
        runs[account] = Task { await self.run(account) }
    }

    /// Finds clients that should be woken, also those that registered with another instance.
    func lookForAll() async {
        var last: Int64 = 0
        while !isEnded {
            let from = last
            let accounts = try? await store.read { try $0.wakes.due(after: from, limit: 500) }
            guard let accounts, let end = accounts.last else { return }
            last = end
            for account in accounts {
                registered(account)
                mailArrived(account)
            }
        }
    }

    private func run(_ account: Int64) async {
        repeat {
            asked.remove(account)
            do {
                try await settle(account)
            } catch is CancellationError {
                break
            } catch {
                // The maintenance finds it again.
                health.failed(error)
                break
            }
        } while asked.contains(account)
        runs[account] = nil
        asked.remove(account)
    }

    private func wait(_ duration: Duration) async throws {
        try await context.clock.wait(until: context.clock.now() + duration)
    }

    /// Waits and posts until the account needs no wake-up.
    private func settle(_ account: Int64) async throws {
        let start = context.clock.now()
        var attempt = Attempt()
        try await wait(rules.grace)
        while !isEnded {
            try Task.checkCancellation()
            let kept = try await store.read { try $0.wakes.entry(of: account) }
            guard let entry = kept else { return rememberUnconcerned(account) }
            guard entry.count > 0, entry.newest > entry.settled else { return }
            if try await isAttended(account, since: start) { continue }
            if let rest = rest(since: entry.woken) {
                try await wait(rest)
                continue
            }
            // Another instance wakes it; if that one ends, the maintenance finds the account again.
            guard try await holds.takeUnlessLiveElsewhere(.wake, of: account) else { return }
            // It may have woken the client since the entry was read, and have freed the hold.
            guard let entry = try await current(entry, account) else { continue }
            let wait = try await call(account, entry, &attempt)
            if wait == nil { try await holds.free(.wake, of: account) }
            guard let wait else { return }
            try await self.wait(wait)
        }
    }

    /// The entry to call the webhook for, now that this instance has the hold; nil when another instance has called it
    /// meanwhile.
    private func current(_ entry: WebhookEntry, _ account: Int64) async throws -> WebhookEntry? {
        guard store.isShared else { return entry }
        let now = try await store.read { try $0.wakes.entry(of: account) }
        if let now, now.count > 0, now.settled == entry.settled { return now }
        try await holds.free(.wake, of: account)
        return nil
    }

    private func rememberUnconcerned(_ account: Int64) {
        unconcerned.withLock { unconcerned in
            if unconcerned.count >= Self.maximumRemembered { unconcerned = [] }
            unconcerned.insert(account)
        }
    }

    /// Waits as long as the client is live here and sends messages; returns whether it waited.
    private func isAttended(_ account: Int64, since start: MonotonicInstant) async throws -> Bool {
        var hasWaited = false
        while !isEnded, let heard = live.heard(account) {
            let rest = max(heard, start) + rules.patience - context.clock.now()
            guard rest > .zero else { break }
            hasWaited = true
            // It may disconnect meanwhile.
            try await wait(min(rest, Self.glance))
        }
        return hasWaited
    }

    /// How long to wait after the last wake-up; nil for no longer.
    private func rest(since woken: WallTime?) -> Duration? {
        guard let woken else { return nil }
        let since = context.wallTime().millisecondsSinceEpoch - woken.millisecondsSinceEpoch
        // A clock that was set back does not lengthen the wait.
        guard since >= 0 else { return nil }
        let rest = rules.interval - .milliseconds(since)
        return rest > .zero ? rest : nil
    }

    /// One wake-up, which may take several attempts.
    private struct Attempt {
        var id: String?
        var failures = 0
        var end: MonotonicInstant?
    }

    /// - Returns: how long to wait for the next attempt; nil when there is none.
    private func call(_ account: Int64, _ entry: WebhookEntry, _ attempt: inout Attempt) async throws -> Duration? {
        let body = try WebhookRecord(entry.body, by: context.secret)
        let now = context.clock.now()
        let end = attempt.end ?? now + rules.deadline
        let id = attempt.id ?? Self.makeID()
        (attempt.end, attempt.id) = (end, id)
        let isAllowed = rules.allows(body.call.webhook)
        let status = isAllowed ? await post(body, id: id) : nil
        if let status, (200...299).contains(status) {
            counters.add(to: \.woken)
            try await settle(account, upTo: entry.newest, woken: context.wallTime())
            return nil
        }
        if isAllowed { counters.add(to: \.wakeFailures) }
        if status == 410 {
            try await store.write { try $0.wakes.set(nil, of: account) }
            return nil
        }
        let wait = attempt.failures < rules.retryAfter.count ? rules.retryAfter[attempt.failures] : nil
        attempt.failures += 1
        guard isAllowed, let wait, context.clock.now() + wait < end else {
            // No retry is left; the next message begins again.
            try await settle(account, upTo: entry.newest, woken: nil)
            return nil
        }
        return wait
    }

    private func settle(_ account: Int64, upTo position: UInt64, woken: WallTime?) async throws {
        try await store.write { try $0.wakes.settle(of: account, upTo: position, woken: woken) }
    }

    private static func makeID() -> String {
        var random = SystemRandom()
        return "wake_" + Base64URL.encode(random.bytes(count: 16))
    }

    /// Posts once; returns the status of the answer, nil without one.
    private func post(_ wake: WebhookRecord, id: String) async -> Int? {
        guard let address = wake.call.webhook.address else { return nil }
        while posting >= Self.maximumPosts, !isEnded { await withCheckedContinuation { queue.append($0) } }
        posting += 1
        let content: JSONObject = ["token": .string(wake.call.token)]
        let bytes = content.encoded
        let key = context.secret.wakeKey(of: wake.routing, for: wake.call.webhook)
        let fields = key.fields(id: id, timestamp: context.wallTime().millisecondsSinceEpoch / 1000, body: bytes)
        let status = try? await poster.post(bytes, fields: fields, to: address)
        posting -= 1
        if !queue.isEmpty { queue.removeFirst().resume() }
        return status
    }
}
