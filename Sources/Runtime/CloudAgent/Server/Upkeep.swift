import Determinism

/// What is done again and again: old messages are dropped, accounts that were never confirmed are forgotten, and keys drawn
/// ahead.
struct Upkeep: Sendable {
    /// The most messages that are dropped at a time.
    private static let maximumDropped = 100_000
    /// The most accounts that are looked at in one step, and the most steps at a time.
    private static let accountStep = 200
    private static let accountSteps = 25

    let office: AgentOffice

    /// Goes on until it is cancelled.
    func run() async {
        var last: AccountEntry?
        while !Task.isCancelled {
            last = await once(after: last)
            do {
                try await office.timekeeper.wait(until: office.timekeeper.now() + office.configuration.upkeepInterval)
            } catch {
                return
            }
        }
    }

    /// - Parameter last: up to where accounts were looked at the last time; nil for all.
    /// - Returns: the same for the next time.
    func once(after last: AccountEntry?) async -> AccountEntry? {
        office.pool.fill()
        do throws(CloudAgentError) {
            let dropped = try await office.store.prune(
                before: office.judgedTime(minus: office.configuration.messageAge), limit: Self.maximumDropped)
            office.tally.add(dropped, to: \.expired)
            let next = try await forgetUnconfirmed(after: last)
            try await office.unused?.endSilent()
            await office.wakes?.lookForAll()
            return next
        } catch {
            office.storeFailed(error)
            return last
        }
    }

    /// Those that confirmed and never asked for the service are not served either, and stay: so many are looked at, and the others
    /// the next time.
    private func forgetUnconfirmed(after last: AccountEntry?) async throws(CloudAgentError) -> AccountEntry? {
        let latest = office.judgedTime(minus: office.configuration.confirmationWait)
        var last = last
        for _ in 0..<Self.accountSteps where !Task.isCancelled {
            let accounts = try await office.store.unserved(before: latest, after: last, limit: Self.accountStep)
            for account in accounts {
                guard let body = try? AccountBody(account.body, by: office.secret), case .shaking = body.state else {
                    continue
                }
                if try await office.store.closeAccount(account.number, allowsReopening: true) {
                    await office.forget(account.number)
                }
            }
            guard accounts.count == Self.accountStep else { return nil }
            last = accounts.last
        }
        return last
    }
}
