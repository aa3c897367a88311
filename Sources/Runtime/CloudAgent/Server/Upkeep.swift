import Determinism

/// What is done again and again: old messages are dropped, accounts that were never confirmed are forgotten, and keys drawn
/// ahead.
struct Upkeep: Sendable {
    /// The most messages that are dropped at a time.
    private static let maximumDropped = 100_000
    /// The most accounts that are looked at in one step.
    private static let accountStep = 200

    let office: AgentOffice

    /// Goes on until it is cancelled.
    func run() async {
        while !Task.isCancelled {
            await once()
            do {
                try await office.timekeeper.wait(until: office.timekeeper.now() + office.configuration.upkeepInterval)
            } catch {
                return
            }
        }
    }

    func once() async {
        office.pool.fill()
        do throws(CloudAgentError) {
            let dropped = try await office.store.prune(
                before: office.judgedTime(minus: office.configuration.messageAge), limit: Self.maximumDropped)
            office.tally.add(dropped, to: \.expired)
            try await forgetUnconfirmed()
            await office.wakes?.lookForAll()
        } catch {
            office.tally.add(to: \.storeFailures)
        }
    }

    private func forgetUnconfirmed() async throws(CloudAgentError) {
        let latest = office.judgedTime(minus: office.configuration.confirmationWait)
        var last: Int64 = 0
        while !Task.isCancelled {
            let accounts = try await office.store.accounts(after: last, limit: Self.accountStep)
            guard let end = accounts.last else { return }
            last = end.number
            for account in accounts where account.created < latest && !account.isServed {
                guard let body = try? AccountBody(account.body, by: office.secret), case .shaking = body.state else {
                    continue
                }
                if try await office.store.closeAccount(account.number) {
                    await office.forget(account.number)
                }
            }
        }
    }
}
