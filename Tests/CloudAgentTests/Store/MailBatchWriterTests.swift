import Aries
import CloudAgentConformance
import Determinism
import Testing

@testable import CloudAgent

@Suite struct MailBatchWriterTests {
    /// The messages, by account, key and position, and the counts of all queues.
    private struct Contents: Equatable {
        var messages: [[StoreValue]]
        var keys: [[StoreValue]]
        var accounts: [[StoreValue]]

        init(_ database: any MediatorDatabaseConnection) throws {
            messages = try database.query(
                "SELECT slot, account, position, key, tag, arrived, size, envelope, digest FROM messages ORDER BY slot",
                [])
            keys = try database.query("SELECT number, count, bytes, position FROM client_keys ORDER BY number", [])
            accounts = try database.query("SELECT number, count, bytes, position FROM accounts ORDER BY number", [])
        }
    }

    private static func mail(_ random: inout SeededRandom) -> HashedMail {
        let (key, account) = (1 + Int(random.below(7)), 1 + Int(random.below(2)))
        let size = Int(random.below(91))
        return HashedMail(
            StoreSamples.mail(
                to: key, of: account, second: size, [UInt8](repeating: UInt8(key), count: size)))
    }

    private static func filled(_ path: String, _ limits: StoreLimits) async throws -> SQLiteMediatorConnection {
        let store = try await DatabaseStore.sqlite(at: path, limits: limits)
        for account in 1...2 {
            let number = try await StoreSamples.open(account, in: store)
            let keys = (1...3).map { StoreSamples.change(3 * (account - 1) + $0, of: account) }
            _ = try await store.change(keys, of: number)
        }
        await store.close()
        return try SQLiteMediatorConnection(StoreFile(path: path), makes: false)
    }

    @Test func `messages accepted together leave the same rows and outcomes as messages accepted one by one`()
        async throws
    {
        var limits = CloudAgentConformance.limits
        // So little that the free room of the store decides as well.
        limits.maximumBytes = 3000
        try await TemporaryFolder.with { folder in
            let together = try await Self.filled("\(folder)/together.sqlite", limits)
            let single = try await Self.filled("\(folder)/single.sqlite", limits)
            let usages = (StoreUsage(limit: limits.maximumBytes), StoreUsage(limit: limits.maximumBytes))
            var random = SeededRandom(seed: 18)
            var seen: Set<ForwardHandler.ForwardStoreResult> = []
            for round in 0..<60 {
                let batch = (0...random.below(12)).map { _ in Self.mail(&random) }
                var all = MailBatchWriter(together, limits: limits, usage: usages.0)
                let (outcomes, news) = try all.accept(batch)
                var (singleOutcomes, singleNews): ([ForwardHandler.ForwardStoreResult], [StoreNotification]) = ([], [])
                for mail in batch {
                    var one = MailBatchWriter(single, limits: limits, usage: usages.1)
                    let (outcome, news) = try one.accept([mail])
                    singleOutcomes += outcome
                    singleNews += news
                }
                #expect(outcomes == singleOutcomes, "round \(round)")
                #expect(news == singleNews, "round \(round)")
                #expect(try Contents(together) == Contents(single), "round \(round)")
                seen.formUnion(outcomes)
                for database in [together, single] where round.isMultiple(of: 3) {
                    _ = try MailTable(database: database).prune(before: StoreSamples.time(60), limit: 5)
                }
                usages.0.forget()
                usages.1.forget()
            }
            #expect(seen.isSuperset(of: [.stored, .storedOverSoftLimit, .full, .unknown]))
        }
    }
}
