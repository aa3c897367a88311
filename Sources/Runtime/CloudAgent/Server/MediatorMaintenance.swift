import Determinism

/// Runs periodically: removes old messages and accounts that were never confirmed, deletes unused accounts, and makes
/// keys in advance.
struct MediatorMaintenance: Sendable {
    /// The most messages that are dropped at a time.
    private static let maximumDropped = 100_000
    /// The most accounts that one step checks, and the most steps at a time.
    private static let accountStep = 200
    private static let accountSteps = 25

    let context: MediatorContext
    let storage: MonitoredStore
    let pool: KeyPool
    let unused: UnusedAccountCleanup
    /// The sender of webhook calls; nil when the mediator supports none.
    let notifier: WebhookNotifier?
    let delivery: EndpointDelivery
    let removal: AccountRemoval
    let messageClock: MessageClock

    /// Runs until it is cancelled.
    func run() async {
        var last: AccountEntry?
        while !Task.isCancelled {
            last = await once(after: last)
            do {
                let interval = context.configuration.maintenanceInterval
                try await context.clock.wait(until: context.clock.now() + interval)
            } catch {
                return
            }
        }
    }

    /// Runs all periodic tasks once.
    ///
    /// - Parameter last: up to where accounts were looked at the last time; nil for all.
    /// - Returns: the same for the next time.
    func once(after last: AccountEntry?) async -> AccountEntry? {
        pool.fill()
        do throws(CloudAgentError) {
            let dropped = try await storage.store.prune(
                before: messageClock.judgedTime(minus: context.configuration.messageAge), limit: Self.maximumDropped)
            context.counters.add(dropped, to: \.expired)
            let next = try await forgetUnconfirmed(after: last)
            try await unused.endSilent()
            await notifier?.lookForAll()
            await delivery.lookAgain()
            return next
        } catch {
            storage.health.failed(error)
            return last
        }
    }

    /// Deletes accounts whose clients did not confirm their connection in time; confirmed ones without mediation stay.
    ///
    /// A limited number is checked, and the others the next time.
    private func forgetUnconfirmed(after last: AccountEntry?) async throws(CloudAgentError) -> AccountEntry? {
        let latest = messageClock.judgedTime(minus: context.configuration.confirmationWait)
        var last = last
        for _ in 0..<Self.accountSteps where !Task.isCancelled {
            let from = last
            let accounts = try await storage.store.read {
                try $0.accounts.unserved(before: latest, after: from, limit: Self.accountStep)
            }
            for account in accounts {
                guard let body = try? AccountRecord(account.body, by: context.secret), case .shaking = body.state else {
                    continue
                }
                let isClosed = try await storage.store.write {
                    try $0.accounts.close(account.number, allowsReopening: true)
                }
                if isClosed { await removal.drop(account.number) }
            }
            guard accounts.count == Self.accountStep else { return nil }
            last = accounts.last
        }
        return last
    }
}
