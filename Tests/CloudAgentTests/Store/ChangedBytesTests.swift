import Aries
import CloudAgentConformance
import Foundation
import TestSupport
import Testing

@testable import CloudAgent

/// Tests that a check of the store finds envelopes whose bytes have changed.
@Suite struct ChangedBytesTests {
    private static func fill(_ store: DatabaseStore) async throws -> Int64 {
        let account = try await StoreSamples.open(1, in: store)
        _ = try await store.change([StoreSamples.change(1, of: 1)], of: account)
        // More than are compared in one step, the last one on pages of its own.
        for number in 0..<40 {
            let envelope = [UInt8](repeating: UInt8(100 + number), count: number == 39 ? 9000 : 50 + number)
            #expect(try await store.accept(StoreSamples.mail(to: 1, of: 1, envelope)) == .stored)
        }
        return account
    }

    @Test(.shows("A10"), arguments: [0, 20, 39])
    func `a changed byte inside any envelope in a SQLite store is detected`(_ number: Int) async throws {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/agent.sqlite"
            let store = try await DatabaseStore.sqlite(at: path)
            _ = try await Self.fill(store)
            #expect(try await store.check() == [])
            #expect(try await store.uncheckedMessages() == 0)
            await store.close()
            var bytes = try #require(FileManager.default.contents(atPath: path))
            let run = Data(repeating: UInt8(100 + number), count: number == 39 ? 4000 : 50 + number)
            let place = try #require(bytes.range(of: run))
            bytes[place.lowerBound + 30] ^= 1
            try bytes.write(to: URL(filePath: path))
            let damaged = try await DatabaseStore.sqlite(at: path)
            #expect(try await damaged.check() == ["A message has other bytes than were accepted (1 times)."])
            await damaged.close()
        }
    }

    #if PostgreSQL
        @Test(.shows("A10"), .enabled(if: PostgresServer.isInstalled, "skipped: PostgreSQL 15 is not installed"))
        func `a changed byte inside an envelope in PostgreSQL is detected`() async throws {
            try await PostgresServer.with { server in
                let (name, address) = try server.database()
                let store = try await DatabaseStore.postgres(at: address)
                _ = try await Self.fill(store)
                #expect(try await store.check() == [])
                let change =
                    "UPDATE symbolon_agent.messages SET envelope = set_byte(envelope, 30, 77) WHERE position = 21"
                #expect(server.run(change, in: name))
                #expect(try await store.check() == ["A message has other bytes than were accepted (1 times)."])
                await store.close()
            }
        }
    #endif
}
