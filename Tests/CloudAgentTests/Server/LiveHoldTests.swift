import Determinism
import Testing
import WebTransport

@testable import CloudAgent

/// The live hold of an account: which of several instances on one store its client is live at.
@Suite struct LiveHoldTests {
    private static let insertion = "INSERT INTO holds"

    /// An agent on a store that instances share, with a client; the body gets a function that reads the holder.
    private static func with(
        _ faults: BreakableStore,
        _ body: (RawClient, _ holder: () async throws -> Int64?, RunningAgent) async throws -> Void
    ) async throws {
        try await TemporaryFolder.with { folder in
            let store = try await faults.open(in: folder, isShared: true)
            let agent = try await RunningAgent(
                in: folder, store: store, change: { $0.publicAddress = "http://agent.example" })
            let service = WebService()
            let client = try await RawClient.connect(agent.invitation, at: agent.address.port, service: service)
            _ = try await client.mediate()
            let account = try #require(try await store.read { try $0.accounts.list(after: 0, limit: 1) }.first).number
            let holder = {
                try await store.read { try $0.instances.holder(of: .live, of: account, at: Wallet.time()) }
            }
            try await body(client, holder, agent)
            await service.stop()
            await agent.stop()
        }
    }

    @Test func `live delivery is confirmed once the account's live hold is stored, however slow the store is`()
        async throws
    {
        let faults = BreakableStore()
        try await Self.with(faults) { client, holder, _ in
            faults.delay(Self.insertion, milliseconds: 500)
            let socket = try await client.liveSocket()
            #expect(try await holder() != nil)
            socket.close()
            #expect(try await eventually { try await holder() == nil })
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func `a client's live hold that could not be stored is stored at the next check of the store`() async throws {
        let faults = BreakableStore()
        try await Self.with(faults) { client, holder, agent in
            faults.failNext(Self.insertion, CloudAgentError(.busy, "Others hold the store."))
            let socket = try await client.liveSocket()
            #expect(!faults.isFailureLeft)
            #expect(agent.server.counts.live == 1)
            #expect(try await eventually { try await holder() != nil })
            socket.close()
        }
    }

    @Test func `of two live connections of a client at one instance the newer keeps the live hold`() async throws {
        let faults = BreakableStore()
        try await Self.with(faults) { client, holder, agent in
            let older = try await client.liveSocket()
            let first = try await holder()
            let newer = try await client.liveSocket()
            for try await _ in older.messages {}
            #expect(try await holder() == first, "the account is held at the same instance all the time")
            #expect(agent.server.counts.live == 1)
            newer.close()
            #expect(try await eventually { try await holder() == nil })
        }
    }
}
