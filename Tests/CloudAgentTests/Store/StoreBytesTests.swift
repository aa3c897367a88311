import Aries
import CloudAgentConformance
import TestSupport
import Testing

@testable import CloudAgent

/// Tests of the limit on the bytes that all accounts of a store may hold together.
@Suite struct StoreBytesTests {
    private static func limits(_ bytes: Int) -> StoreLimits {
        var limits = StoreLimits()
        limits.maximumBytes = bytes
        return limits
    }

    private static func open(_ number: Int, in store: DatabaseStore) async throws -> Int64 {
        let account = try await StoreSamples.open(number, in: store)
        _ = try await store.change([StoreSamples.change(number, of: number)], of: account)
        return account
    }

    private static func accepts(_ number: Int, in store: DatabaseStore) async throws -> Bool {
        let mail = StoreSamples.mail(to: number, of: number, [UInt8](repeating: 1, count: 10_000))
        return try await store.accept(mail) != .full
    }

    /// Returns the number of messages of 10,000 bytes that the store takes for an account.
    private static func fill(_ number: Int, in store: DatabaseStore) async throws -> Int {
        for count in 0..<200 where try await !accepts(number, in: store) { return count }
        return 200
    }

    @Test(.shows("A6"))
    func `an account may use at most a quarter of the room that the others leave`() async throws {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/agent.sqlite"
            let store = try await DatabaseStore.sqlite(at: path, limits: Self.limits(1_000_000))
            for number in 1...3 { _ = try await Self.open(number, in: store) }
            // b + 10,000 <= (1,000,000 - b) / 4, and so on.
            #expect(try await Self.fill(1, in: store) == 20)
            #expect(try await Self.fill(2, in: store) == 16)
            #expect(try await Self.fill(3, in: store) == 13)
            #expect(try await store.read { try $0.inspection.totals() }.bytes == 490_000)
            await store.close()
        }
    }

    @Test func `a store above its limit delivers and removes messages, and accepts mail again when it is below`()
        async throws
    {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/agent.sqlite"
            let old = try await DatabaseStore.sqlite(at: path)
            let account = try await Self.open(1, in: old)
            for _ in 0..<20 { #expect(try await Self.accepts(1, in: old)) }
            await old.close()
            let store = try await DatabaseStore.sqlite(at: path, limits: Self.limits(100_000))
            _ = try await Self.open(2, in: store)
            #expect(try await !Self.accepts(2, in: store))
            let found = try await StoreSamples.all(of: account, in: store)
            #expect(found.count == 20)
            #expect(try await store.remove(found.dropLast(3).map(\.id), of: account).count == 3)
            #expect(try await Self.accepts(2, in: store))
            await store.close()
        }
    }

    @Test func `messages that another process removes make room within a short time`() async throws {
        try await TemporaryFolder.with { folder in
            let path = "\(folder)/agent.sqlite"
            let store = try await DatabaseStore.sqlite(at: path, limits: Self.limits(1_000_000))
            _ = try await Self.open(1, in: store)
            _ = try await Self.fill(1, in: store)
            let other = try await DatabaseStore.sqlite(at: path)
            #expect(try await other.prune(before: StoreSamples.time(9), limit: 99) == 20)
            await other.close()
            var refusals = 0
            while refusals < 100, try await !Self.accepts(1, in: store) { refusals += 1 }
            #expect(refusals <= 64)
            await store.close()
        }
    }
}
