import Aries
import ByteCoding
import CloudAgentConformance
import Foundation
import SQLiteEngine
import Testing

@testable import CloudAgent

/// Stores that earlier versions made.
@Suite struct SchemaTests {
    private static func connection(_ path: String) throws -> SQLiteConnection<CloudAgentErrorCode> {
        try SQLiteConnection(path: path, options: SQLiteOptions())
    }

    /// Makes a file as version `version` would have made it, with one account, one key, one message and two claims.
    private static func make(_ path: String, version: Int64) throws {
        let database = try SQLiteConnection<CloudAgentErrorCode>(path: path, options: SQLiteOptions(creates: true))
        chmod(path, 0o600)
        var tables = SQLiteSchema.firstTables
        for step in SQLiteSchema.steps.prefix(Int(version) - 1) { tables = step.applied(to: tables) }
        let hashes = (0..<3).map { number in
            "x'" + Hex.encode([1, 1_000_001, 5].map { StoreSamples.hash($0).bytes }[number]) + "'"
        }
        let rows = [
            "INSERT INTO accounts VALUES (7, 0, 0, 0, x'01', 1, 3, 1)",
            "INSERT INTO own_keys VALUES (\(hashes[1]), 3, 7, NULL, x'0701')",
            "INSERT INTO keys VALUES (4, \(hashes[0]), 7, \(hashes[1]), x'01', 1, 3, 1)",
            // A key that is gone, whose number is not used again.
            "INSERT INTO keys VALUES (9, x'09', 7, x'09', x'09', 0, 0, 0)", "DELETE FROM keys WHERE number = 9",
            "INSERT INTO messages VALUES (3, 7, 1, 4, 5, 1700000000000, 3, x'010203')",
            "INSERT INTO claims VALUES (2, 7, x'02')", "INSERT INTO claims VALUES (5, 7, \(hashes[2]))",
        ]
        for sql in tables + rows { try database.run(sql) }
        try database.run("PRAGMA application_id = \(SQLiteSchema.applicationID)")
        try database.run("PRAGMA user_version = \(version)")
    }

    @Test(arguments: Int64(1)..<4)
    func `a store file of an earlier version is migrated with all that it holds`(version: Int64) async throws {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/agent.sqlite"
            try Self.make(path, version: version)
            let store = try await DatabaseStore.sqlite(at: path)
            #expect(try await StoreSamples.all(of: 7, in: store).map(\.envelope) == [[1, 2, 3]])
            #expect(try await store.read { try $0.keys.list(of: 7, offset: 0, limit: 9) }.bodies == [[1]])
            #expect(try await store.accept(StoreSamples.mail(to: 1, of: 1)) == .stored)
            #expect(
                try await store.read { try $0.accounts.unserved(before: StoreSamples.time(1), after: nil, limit: 9) }
                    .map(\.number) == [7])
            try await store.write { try $0.wakes.set([1], of: 7) }
            let claim = StoredClientRequest(StoreSamples.hash(5), .handsOut)
            let found = try await store.fetch(.after(0, key: nil), of: 7, limit: 9, maximumBytes: 99, claim: claim)
            #expect(found == .repeated(answer: []), "what was claimed stays claimed")
            #expect(try await store.change([StoreSamples.change(2, of: 1)], of: 7) == [.success])
            #expect(try await store.check() == [])
            await store.close()
            let database = try Self.connection(path)
            #expect(try SQLiteSchema.number("PRAGMA user_version", database) == SQLiteSchema.version)
            #expect(try SQLiteSchema.number("SELECT MAX(number) FROM client_keys", database) == 10)
            await (try await DatabaseStore.sqlite(at: path)).close()
        }
    }

    @Test func `a store file of version 4 gets digests for new messages, and reports how many have none`() async throws
    {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/agent.sqlite"
            let old = try SQLiteConnection<CloudAgentErrorCode>(path: path, options: SQLiteOptions(creates: true))
            chmod(path, 0o600)
            var tables = SQLiteSchema.firstTables
            for step in SQLiteSchema.steps.prefix(3) { tables = step.applied(to: tables) }
            let routing = StoreSamples.routing(1).hash.bytes
            let rows = [
                "INSERT INTO accounts VALUES (7, 0, 0, 1, x'01', 1, 3, 1)",
                "INSERT INTO own_keys VALUES (x'\(Hex.encode(routing))', 3, 7, NULL, x'0701')",
                "INSERT INTO client_keys VALUES (4, x'\(Hex.encode(StoreSamples.hash(1).bytes))', 7, "
                    + "x'\(Hex.encode(routing))', x'01', 1, 3, 1)",
                "INSERT INTO messages VALUES (3, 7, 1, 4, 5, 1700000000000, 3, x'010203')",
            ]
            for sql in tables + rows { try old.run(sql) }
            try old.run("PRAGMA application_id = \(SQLiteSchema.applicationID)")
            try old.run("PRAGMA user_version = 4")
            let store = try await DatabaseStore.sqlite(at: path)
            #expect(try await store.accept(StoreSamples.mail(to: 1, of: 1, [4, 5])) == .stored)
            #expect(try await StoreSamples.all(of: 7, in: store).map(\.envelope) == [[1, 2, 3], [4, 5]])
            #expect(try await store.check() == [])
            #expect(try await store.uncheckedMessages() == 1)
            await store.close()
            await (try await DatabaseStore.sqlite(at: path)).close()
        }
    }

    @Test func `unserved accounts are found without a scan of all accounts`() async throws {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/agent.sqlite"
            await (try await DatabaseStore.sqlite(at: path)).close()
            let plan = try Self.connection(path).query("EXPLAIN QUERY PLAN " + AccountTable.unservedQuery) {
                row throws(CloudAgentError) in try row.text(3)
            }
            #expect(plan.count == 1 && plan[0].contains("USING INDEX accounts_unserved"), "\(plan)")
        }
    }

    @Test func `a store file whose stated version contradicts its tables is refused`() async throws {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/agent.sqlite"
            await (try await DatabaseStore.sqlite(at: path)).close()
            for version in [0, 1, 2, 3, 4, SQLiteSchema.version + 1] {
                try Self.connection(path).run("PRAGMA user_version = \(version)")
                await #expect(throws: CloudAgentError(.schema, "")) { _ = try await DatabaseStore.sqlite(at: path) }
            }
        }
    }
}
