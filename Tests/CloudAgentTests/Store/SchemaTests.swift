import CloudAgentConformance
import SQLiteEngine
import Testing

@testable import CloudAgent

/// Stores that earlier versions made.
@Suite struct SchemaTests {
    private static let new = ["wakes", "signals", "instances", "holds"]

    private static func connection(_ path: String) throws -> SQLiteConnection<CloudAgentError> {
        try SQLiteConnection(path: path, options: SQLiteOptions())
    }

    @Test func `a file of version 1 is brought to this version with all that it holds`() async throws {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/agent.sqlite"
            let old = try await DatabaseStore.sqlite(at: path)
            let account = try await StoreSamples.open(1, in: old)
            _ = try await old.change([StoreSamples.change(1, of: 1)], of: account)
            _ = try await old.accept(StoreSamples.mail(to: 1, of: 1))
            await old.close()
            for table in Self.new { try Self.connection(path).run("DROP TABLE \(table)") }
            try Self.connection(path).run("DROP INDEX accounts_unserved")
            try Self.connection(path).run("PRAGMA user_version = 1")
            let store = try await DatabaseStore.sqlite(at: path)
            #expect(try await StoreSamples.all(of: account, in: store).count == 1)
            try await store.setWake([1], of: account)
            #expect(try await store.check() == [])
            await store.close()
            #expect(try SQLiteSchema.number("PRAGMA user_version", Self.connection(path)) == SQLiteSchema.version)
        }
    }

    @Test func `a file of version 2 is brought to this version, and accounts that are not served cost no others`()
        async throws
    {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/agent.sqlite"
            let old = try await DatabaseStore.sqlite(at: path)
            _ = try await StoreSamples.open(1, in: old)
            let new = try await old.openAccount([2], keys: [StoreSamples.routing(2)], at: StoreSamples.time(0))
            await old.close()
            for step in ["DROP INDEX accounts_unserved", "PRAGMA user_version = 2"] {
                try Self.connection(path).run(step)
            }
            let store = try await DatabaseStore.sqlite(at: path)
            let found = try await store.unserved(before: StoreSamples.time(1), after: nil, limit: 9)
            #expect(found.map(\.number) == [new])
            await store.close()
            let plan = try Self.connection(path).query("EXPLAIN QUERY PLAN " + StoreSteps.unservedQuery) {
                row throws(CloudAgentError) in try row.text(3)
            }
            #expect(plan.count == 1 && plan[0].contains("USING INDEX accounts_unserved"), "\(plan)")
        }
    }

    @Test func `a file of version 1 with other tables, and one of a later version, are refused`() async throws {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/agent.sqlite"
            await (try await DatabaseStore.sqlite(at: path)).close()
            for version in [1, 2, SQLiteSchema.version + 1] {
                try Self.connection(path).run("PRAGMA user_version = \(version)")
                await #expect(throws: CloudAgentError(.schema, "")) { _ = try await DatabaseStore.sqlite(at: path) }
            }
        }
    }
}
