import Aries
import ByteCoding
import CloudAgentConformance
import Determinism
import SQLiteEngine
import Testing

@testable import CloudAgent

/// Files of stores in which rows contradict each other, as no step leaves them.
@Suite struct StoreDamageTests {
    /// A store with two accounts with a key and two messages each, changed by statements while it was closed.
    private static func with(
        _ statements: [String], _ body: (DatabaseStore, [Int64]) async throws -> Void
    ) async throws {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/agent.sqlite"
            let sound = try await DatabaseStore.sqlite(at: path)
            var accounts: [Int64] = []
            for number in 1...2 {
                let account = try await StoreSamples.open(number, in: sound)
                _ = try await sound.change([StoreSamples.change(number, of: number)], of: account)
                for second in 1...2 {
                    let mail = StoreSamples.mail(
                        to: number, of: number, second: second, [UInt8(number), UInt8(second)])
                    _ = try await sound.accept(mail)
                }
                accounts.append(account)
            }
            #expect(try await sound.check() == [])
            await sound.close()
            let database = try SQLiteConnection<CloudAgentErrorCode>(path: path, options: SQLiteOptions())
            for statement in statements { try database.run(statement) }
            let store = try await DatabaseStore.sqlite(at: path)
            do { try await body(store, accounts) } catch { Issue.record(error) }
            await store.close()
        }
    }

    @Test(
        arguments: [
            ("UPDATE accounts SET count = 3 WHERE number = 1", "An account counts other messages"),
            ("UPDATE accounts SET bytes = 5 WHERE number = 1", "An account counts other messages"),
            // One message has changed sides: the sums of both are as before.
            ("UPDATE messages SET account = 3 - account, position = position + 2", "A key counts other messages"),
            ("UPDATE client_keys SET count = 1 WHERE number = 1", "A key counts other messages"),
            ("UPDATE messages SET account = 9 WHERE account = 1", "belongs to no account"),
            ("UPDATE client_keys SET account = 9 WHERE account = 1", "belongs to no account"),
            ("UPDATE own_keys SET account = 9 WHERE account = 1", "belongs to no account"),
            ("INSERT INTO requests VALUES (9, x'01', 1, 1, 0, x'')", "belongs to no account"),
            ("INSERT INTO forgotten_requests VALUES (9, 1, 5)", "belongs to no account"),
            ("INSERT INTO wakes VALUES (9, x'01', 0, 0)", "belongs to no account"),
            ("UPDATE client_keys SET routing = x'01' WHERE number = 1", "a routing key that there is not"),
            ("UPDATE messages SET size = 3 WHERE slot = 1", "has another size"),
            ("UPDATE accounts SET position = 1 WHERE number = 1", "stands behind where its queue ends"),
        ])
    func `the check of an agent's store finds rows that contradict each other`(statement: String, finding: String)
        async throws
    {
        try await Self.with([statement]) { store, _ in
            let findings = try await store.check()
            #expect(findings.contains { $0.contains(finding) }, "\(findings)")
        }
    }

    @Test func `a message stored under another account's key is not delivered to that account`() async throws {
        // Messages of the second account under the number of the first one's key: before, beside and behind its own.
        let strays = [(0, 0), (1, 0), (2, 0), (9, 50)].map { position, second in
            "INSERT INTO messages (account, position, key, tag, arrived, size, envelope) "
                + "VALUES (2, \(position), 1, 5, \(StoreSamples.time(second).millisecondsSinceEpoch), 1, x'09')"
        }
        try await Self.with(strays) { store, accounts in
            let key = StoreSamples.hash(1)
            let found = try await store.fetch(.after(0, key: key), of: accounts[0], limit: 9, maximumBytes: 99)
            #expect(found.map(\.envelope) == [[1, 1], [1, 2]])
            let few = try await store.fetch(.after(0, key: key), of: accounts[0], limit: 2, maximumBytes: 99)
            #expect(few.map(\.envelope) == [[1, 1], [1, 2]])
            let status = try await store.read { try $0.mail.status(of: accounts[0], key: key) }
            #expect(status.oldest == StoreSamples.time(1) && status.newest == StoreSamples.time(2))
        }
    }

    @Test func `removing a key removes the messages of its own account alone`() async throws {
        let place = [
            "UPDATE own_keys SET place = x'\(Hex.encode(StoreSamples.hash(1).bytes))' WHERE account = 1",
            "INSERT INTO messages (account, position, key, tag, arrived, size, envelope) VALUES (2, 3, 1, 5, 0, 1, x'09')",
            "UPDATE accounts SET count = 3, bytes = 5, position = 3 WHERE number = 2",
        ]
        try await Self.with(place) { store, accounts in
            let removal = StoreSamples.change(1, of: 1, adds: false)
            let results = try await store.change([removal], of: accounts[0])
            #expect(results == [.success])
            #expect(try await StoreSamples.all(of: accounts[0], in: store).isEmpty)
            #expect(try await StoreSamples.all(of: accounts[1], in: store).count == 3)
        }
    }
}
